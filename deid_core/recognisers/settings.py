"""Settings of the recognisers, as a pipeline's YAML file gives them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from deid_core.recognisers.base import RecogniserSettings


class PatternSettings(RecogniserSettings):
    """Recogniser `pattern`: groups of rules (deid_core/recognise/patterns), in order of precedence."""

    kind: Literal["pattern"]
    groups: list[str]


class GazetteerRecogniserSettings(RecogniserSettings):
    """Recogniser `gazetteer`: which kinds of list count, and how strict a match is."""

    kind: Literal["gazetteer"]
    lists: list[str]
    ambiguous: Literal["accept", "context"] = "accept"
    """accept: a list word is a name wherever it stands (the seed). context: a word that is also a common word,
    a medical term or an eponym needs a name's context (issue: diagnoses stay readable)."""


class SuffixSettings(RecogniserSettings):
    """Recogniser `suffix`: words that end in a street's or town's suffix (seed 000, section 6.1)."""

    kind: Literal["suffix"]
    lists: list[str]
    min_stem: Annotated[int, Field(ge=0)] = 0
    ambiguous: Literal["accept", "context"] = "accept"


class LetterheadSettings(RecogniserSettings):
    """Recogniser `header`: header words and their spelling variants in the whole note (seed 000, section 4.3)."""

    kind: Literal["header"]
    max_ratio: Annotated[float, Field(gt=0, lt=1)] = 0.333
    """A variant has R = d / min(|n|, |w|) below this, d the Levenshtein distance."""
    typed: bool = False
    """False: a variant takes the label another recogniser gave it, else OTHER (placeholder `O`, as the seed).
    True: typed fields of the header give the label, and words without one are left to the others."""


class PersonContextSettings(RecogniserSettings):
    """Recogniser `context`: names behind a salutation, a title, a kinship or role word, or in a signature."""

    kind: Literal["context"]


class InstitutionSettings(RecogniserSettings):
    """Recogniser `institution`: names of hospitals, homes, insurers and employers around their head words."""

    kind: Literal["institution"]


class ProfessionSettings(RecogniserSettings):
    """Recogniser `profession`: what somebody does or did for a living, by a list and its context."""

    kind: Literal["profession"]


class AddressSettings(RecogniserSettings):
    """Recogniser `address`: streets and towns that no list knows, by how an address or a residence is written."""

    kind: Literal["address"]


class CrfSettings(RecogniserSettings):
    """Recogniser `crf`: a statistical model of words and their neighbours (seed 000, section 4.2)."""

    kind: Literal["crf"]
    model: str
    """Name of a folder in deid_core/models, or the path of a model folder, with a slash in it."""
    labels: Annotated[list[Literal["PER", "LOC", "ORG"]], Field(min_length=1)]
    """Classes of the model that are taken; what it calls otherwise is left to others."""
    threshold: Annotated[float, Field(gt=0, le=1)] | None = None
    """A token that is of these classes with at least this probability is taken though the best path leaves it out:
    lower finds more. None takes the best path alone."""
