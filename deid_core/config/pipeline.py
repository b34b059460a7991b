"""conf/pipelines/NAME.yaml: the recognisers of a pipeline with their settings, and how it decides."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from deid_core.config.base import FrozenSettings, Share
from deid_core.config.yaml_file import load_yaml
from deid_core.errors import ConfigurationError
from deid_core.labels import Label
from deid_core.resources import conf_dir


class PatternSettings(FrozenSettings):
    """Recogniser `pattern`: groups of rules (deid_core/recognise/patterns), in order of precedence."""

    kind: Literal["pattern"]
    groups: list[str]


class GazetteerRecogniserSettings(FrozenSettings):
    """Recogniser `gazetteer`: which kinds of list count, and how strict a match is."""

    kind: Literal["gazetteer"]
    lists: list[str]
    ambiguous: Literal["accept", "context"] = "accept"
    """accept: a list word is a name wherever it stands (the seed). context: a word that is also a common word,
    a medical term or an eponym needs a name's context (issue: diagnoses stay readable)."""


class SuffixSettings(FrozenSettings):
    """Recogniser `suffix`: words that end in a street's or town's suffix (seed 000, section 6.1)."""

    kind: Literal["suffix"]
    lists: list[str]
    min_stem: Annotated[int, Field(ge=0)] = 0
    ambiguous: Literal["accept", "context"] = "accept"


class HeaderSettings(FrozenSettings):
    """Recogniser `header`: header words and their spelling variants in the whole note (seed 000, section 4.3)."""

    kind: Literal["header"]
    max_ratio: Annotated[float, Field(gt=0, lt=1)] = 0.333
    """A variant has R = d / min(|n|, |w|) below this, d the Levenshtein distance."""
    typed: bool = False
    """False: a variant takes the label another recogniser gave it, else OTHER (placeholder `O`, as the seed).
    True: typed fields of the header give the label, and words without one are left to the others."""


class ContextSettings(FrozenSettings):
    """Recogniser `context`: names behind a salutation, a title, a kinship or role word, or in a signature."""

    kind: Literal["context"]


class InstitutionSettings(FrozenSettings):
    """Recogniser `institution`: names of hospitals, homes, insurers and employers around their head words."""

    kind: Literal["institution"]


class ProfessionSettings(FrozenSettings):
    """Recogniser `profession`: what somebody does or did for a living, by a list and its context."""

    kind: Literal["profession"]


class AddressSettings(FrozenSettings):
    """Recogniser `address`: streets and towns that no list knows, by how an address or a residence is written."""

    kind: Literal["address"]


class CrfSettings(FrozenSettings):
    """Recogniser `crf`: a statistical model of words and their neighbours (seed 000, section 4.2)."""

    kind: Literal["crf"]
    model: str
    """Name of a folder in deid_core/models, or the path of a model folder, with a slash in it."""
    labels: Annotated[list[Literal["PER", "LOC", "ORG"]], Field(min_length=1)]
    """Classes of the model that are taken; what it calls otherwise is left to others."""
    threshold: Annotated[float, Field(gt=0, le=1)] | None = None
    """A token that is of these classes with at least this probability is taken though the best path leaves it out:
    lower finds more. None takes the best path alone."""


RecogniserSettings = Annotated[
    PatternSettings
    | GazetteerRecogniserSettings
    | SuffixSettings
    | HeaderSettings
    | ContextSettings
    | InstitutionSettings
    | AddressSettings
    | ProfessionSettings
    | CrfSettings,
    Field(discriminator="kind"),
]


class DecisionSettings(FrozenSettings):
    """The learned decision (decide/learned.py)."""

    model: str
    """Model folder in deid_core/models, or a path; it has the knowledge of words of recogniser `crf`'s model."""
    add: Share = 0.2
    """A token is taken as well if it is a person's name with at least this probability."""
    add_others: Share | None = None
    """The same for places, institutions and professions; None: as for names."""
    add_numbers: Share = 1.0
    """The same for dates, ages, telephone numbers and numbers that identify."""
    add_repeated: Share | None = None
    """The same for a word that is a person's name elsewhere in the note; None: as for others."""
    usual_share: Annotated[float, Field(gt=0, lt=1)] | None = None
    """The share of words in entities that `add`, `add_others` and `add_numbers` are meant for: in a note with fewer
    they rise; None: never."""
    veto: Share = 0.9
    """A detection is dropped if each of its tokens is none with more than this probability."""
    keep: list[Annotated[Label, Field(strict=False)]] = Field(default=[])
    """Labels of detections that are never dropped."""


class PipelineSettings(FrozenSettings):
    """conf/pipelines/NAME.yaml: which recognisers, in which order of decision, and what stands for a removed span."""

    name: str
    description: str
    recognisers: list[RecogniserSettings]
    order: list[str]
    """Recogniser kinds by precedence: where detections overlap, the earlier kind's label stands."""
    naming: list[str]
    """Recogniser kinds whose label a header word of the untyped recogniser takes over (seed 000: NE labels)."""
    unwrap: bool = False
    """Read line ends that only a fixed width of the lines forced as blanks (wrapped.py)."""
    whole_note: bool = False
    """Look everywhere for names that are sure in one place (decide/whole_note.py); stands in `order` if it is on."""
    decision: DecisionSettings | None = None
    """Weigh all evidence by a model (decide/learned.py), whose entities come before all in `order`."""
    edges: bool = False
    """Cut what is no part of a name or number from its edges (decide/edges.py)."""
    finer_types: str | None = None
    """Model folder in deid_core/models, or a path, by which spans get the type of their label (finer_type/); None: the
    type that their recogniser knows."""
    merge_names: bool = True
    """Adjacent spans of one label that only a blank or hyphen parts become one span."""
    unlabelled_placeholder: str = "O"
    """What stands for a header word that no recogniser named (seed 000, section 5, step 1)."""

    @property
    def crf(self) -> CrfSettings | None:
        """The settings of recogniser `crf`, None if the pipeline has none."""
        return next((r for r in self.recognisers if isinstance(r, CrfSettings)), None)

    @field_validator("recognisers")
    @classmethod
    def _kinds_once(cls, value: list[Any]) -> list[Any]:
        kinds = [r.kind for r in value]
        twice = sorted({k for k in kinds if kinds.count(k) > 1})
        if twice:
            raise ValueError(f"each kind may stand once; more than once: {', '.join(twice)}")
        return value


def load_pipeline(name: str) -> PipelineSettings:
    """The pipeline of that name, or of that path if it ends in .yaml.

    Raises ConfigurationError, naming the pipelines that exist if this one does not.
    """
    if name.endswith((".yaml", ".yml")):
        path = Path(name)
    else:
        path = conf_dir() / "pipelines" / f"{name}.yaml"
        if not path.is_file():
            raise ConfigurationError(f"there is no pipeline {name!r}; there are: {', '.join(pipeline_names())}")
    pipeline = load_yaml(path, PipelineSettings)
    kinds = [str(r.kind) for r in pipeline.recognisers]
    deciding = [*kinds, "whole_note"] if pipeline.whole_note else kinds
    problems = []
    if pipeline.decision and not pipeline.crf:
        problems.append(f"{path}: decision: needs recogniser crf, whose knowledge of words its model has")
    if sorted(deciding) != sorted(pipeline.order):
        problems.append(f"{path}: order: must name each recogniser once: {', '.join(deciding)}")
    if unknown := sorted(set(pipeline.naming) - set(kinds)):
        problems.append(f"{path}: naming: no recogniser of this pipeline: {', '.join(unknown)}")
    if problems:
        raise ConfigurationError(problems)
    return pipeline


def pipeline_names() -> list[str]:
    """Names of the pipelines in conf/pipelines, sorted."""
    return sorted(path.stem for path in (conf_dir() / "pipelines").glob("*.yaml"))
