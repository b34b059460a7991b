"""Settings of the recognisers, as a pipeline's YAML file gives them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import regex
from pydantic import Field, ValidationInfo, field_validator, model_validator

from deid_core.core.labels import Label, PhiType, general_type, label_of, types_with
from deid_core.core.settings import FrozenSettings
from deid_core.lexicon.gazetteer.readers import entry_lines
from deid_core.recognisers.base import RecogniserSettings

_MAX_PROBLEMS = 20
"""Of one file, at most; in a file of another format every line is wrong."""


class PatternSettings(RecogniserSettings):
    """Recogniser `pattern`: groups of rules (deid_core/recognisers/pattern)."""

    kind: Literal["pattern"]
    groups: list[str]


class GazetteerRecogniserSettings(RecogniserSettings):
    """Recogniser `gazetteer`: which kinds of list count, and how strict a match is."""

    kind: Literal["gazetteer"]
    lists: list[str]
    ambiguous: Literal["accept", "context"] = "accept"
    """accept: a list word is a name in any context (the seed). context: an ambiguous word needs a name's context, so
    diagnoses stay readable; lexicon/disambiguation/evidence.py says which are ambiguous."""


class SuffixSettings(RecogniserSettings):
    """Recogniser `suffix`: words that end in a street's or town's suffix (seed 000, section 6.1)."""

    kind: Literal["suffix"]
    lists: list[str]


class LetterheadSettings(RecogniserSettings):
    """Recogniser `letterhead`: header words and their spelling variants in the whole note (seed 000, section 4.3)."""

    kind: Literal["letterhead"]
    max_ratio: Annotated[float, Field(gt=0, lt=1)]
    """A variant has R = d / min(|n|, |w|) below this, d the Levenshtein distance."""
    typed: bool = False
    """False: a variant takes the label another recogniser gave it, else OTHER (placeholder `O`, as the seed).
    True: only words of typed header fields are searched for, with the field's label; others are not detected here."""


class InstitutionSettings(RecogniserSettings):
    """Recogniser `institution`: names of hospitals, practices, homes, departments, insurers, schools, employers.

    Most of them are found around a head word.
    """

    kind: Literal["institution"]


class CrfSettings(RecogniserSettings):
    """Recogniser `crf`: a statistical model of words and their neighbours (seed 000, section 4.2)."""

    kind: Literal["crf"]
    model: str
    """Name of a folder in deid_core/models, or the path of a model folder, with a slash in it. In a YAML file it is
    relative to this file."""
    labels: Annotated[list[Literal["PER", "LOC", "ORG"]], Field(min_length=1)]
    """Labels of the model, without B- and I-, that become detections."""
    threshold: Annotated[float, Field(gt=0, le=1)] | None = None
    """A token whose label on the best path is none of `labels` becomes an entity of its most probable one of these,
    if it alone has at least this probability. A lower threshold finds more. None: the best path alone."""


class _CustomRule(FrozenSettings):
    """What patterns and lists of recogniser `custom` have in common."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9_.-]+$")]
    """The rule's name in spans and audit rows: no PHI."""
    label: Annotated[Label, Field(strict=False)]
    type: Annotated[PhiType, Field(strict=False)] | None = None
    """None: the label's most general type."""

    @property
    def phi_type(self) -> PhiType:
        """The type of the rule's spans."""
        return self.type or general_type(self.label)

    @field_validator("type")
    @classmethod
    def _of_the_label(cls, value: PhiType | None, info: ValidationInfo) -> PhiType | None:
        label = info.data.get("label")
        if value is not None and label is not None and label_of(value) is not label:
            raise ValueError(f"is no type of {label}; there are: {', '.join(types_with(label))}")
        return value


class CustomPattern(_CustomRule):
    """A regular expression of the package `regex`; a group "phi" limits the span to a part of the match."""

    regex: str
    flags: list[Literal["ignorecase", "multiline", "dotall"]] = Field(default=[])

    @model_validator(mode="after")
    def _compiles(self) -> CustomPattern:
        try:
            compiled = compile_custom(self.regex, self.flags)
        except regex.error as error:
            raise ValueError(f"regex: is not a regular expression: {error}") from None
        if compiled.match(""):
            raise ValueError("regex: matches the empty text")
        return self


class CustomList(_CustomRule):
    """Words, or terms of several words, that are found wherever they are whole words.

    In YAML `file` may stand in place of `words`: a text file in UTF-8 with an entry a line. Lines that begin with # are
    comments. Its path is relative to the YAML file. The words become part of the pipeline, so workers need no file.
    """

    words: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    case: Literal["exact", "ignore"] = "exact"

    @model_validator(mode="before")
    @classmethod
    def _read(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "file" not in data:
            return data
        rest = {key: value for key, value in data.items() if key != "file"}
        if "words" in rest:
            raise ValueError("has both `file` and `words`")
        try:
            content = Path(str(data["file"])).read_bytes()
        except OSError as error:
            raise ValueError(f"file: {data['file']} cannot be read: {error.strerror}") from None
        malformed: list[str] = []
        words = {entry for _, entry in entry_lines(content, malformed)}
        if malformed:
            raise ValueError("file: " + "; ".join(f"{data['file']}:{each}" for each in malformed[:_MAX_PROBLEMS]))
        return rest | {"words": sorted(words)}


class CustomSettings(RecogniserSettings):
    """Recogniser `custom`: regular expressions and word lists of one's own (custom.py)."""

    kind: Literal["custom"]
    patterns: list[CustomPattern] = Field(default=[])
    lists: list[CustomList] = Field(default=[])
    timeout_s: Annotated[float, Field(gt=0)] = 2.0
    """Limit of all rules together on one note, in seconds; beyond it the note is quarantined."""

    @model_validator(mode="after")
    def _names_once(self) -> CustomSettings:
        names = [rule.name for rule in (*self.patterns, *self.lists)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"each name may be used once; more than once: {', '.join(twice)}")
        return self


def compile_custom(expression: str, flags: Sequence[str]) -> regex.Pattern[str]:
    """Return a custom pattern's expression, compiled. Raises regex.error if it is none."""
    return regex.compile(expression, sum(getattr(regex, flag.upper()) for flag in flags))
