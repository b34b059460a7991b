"""Settings: conf/default.yaml and conf/pipelines/NAME.yaml, checked as a whole before any work starts.

Every mistake of a file is reported at once, as "file:line: setting: what is wrong", with the names that exist
where a name is unknown. Settings are frozen; their JSON is part of a pipeline's fingerprint.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from deid_core.errors import ConfigurationError
from deid_core.labels import Label
from deid_core.resources import conf_dir, gazetteer_dir

Share = Annotated[float, Field(ge=0, le=1)]
GAZETTEER_DIR_VARIABLE = "DEID_GAZETTEER_DIR"


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ReadingSettings(_Settings):
    """Limits of reading; a file beyond one is quarantined, never truncated."""

    max_file_bytes: Annotated[int, Field(gt=0)] = 50_000_000
    max_unpacked_bytes: Annotated[int, Field(gt=0)] = 200_000_000
    """Of all parts of a .docx together, as the archive's directory declares them and as they turn out."""
    max_compression_ratio: Annotated[float, Field(gt=1)] = 200.0
    """Unpacked to packed size of one part over 1 MB; beyond it the file is a zip bomb."""
    max_xml_bytes: Annotated[int, Field(gt=0)] = 40_000_000
    """Of the parts of a .docx that hold text, together; parsed, they take about ten times as much memory."""
    max_text_chars: Annotated[int, Field(gt=0)] = 5_000_000
    max_blocks: Annotated[int, Field(gt=0)] = 100_000
    """Paragraphs and table cells of a note: empty ones cost time and memory and no characters."""
    doc_reader: Literal["direct", "libreoffice"] = "direct"
    """Who reads .doc files. direct: the reader of this project, LibreOffice those that it refuses; libreoffice: all."""
    libreoffice: str | None = None
    """Path of soffice; None looks on PATH."""
    libreoffice_batch: Annotated[int, Field(gt=0)] = 50
    libreoffice_start_s: Annotated[float, Field(gt=0)] = 30.0
    libreoffice_file_s: Annotated[float, Field(gt=0)] = 10.0
    """A batch may take start + files times this; a file retried alone as much as a batch of one."""


class YearSettings(_Settings):
    """Where a note's year comes from: the path, else the header's date, else the file's date."""

    path_pattern: str = r"(?:^|/)(?P<year>(?:19|20)\d{2})(?:/|$)"
    earliest: int = 1980
    latest: int = 2100

    @field_validator("path_pattern")
    @classmethod
    def _has_year(cls, value: str) -> str:
        import re

        try:
            groups = re.compile(value).groupindex
        except re.error as error:
            raise ValueError(f"is not a regular expression: {error}") from None
        if "year" not in groups:
            raise ValueError("needs a group named 'year', e.g. (?P<year>20\\d{2})")
        return value


class GazetteerSettings(_Settings):
    """Which lists are compiled, and where their files are looked for."""

    sources: str = "sources.yaml"
    """Relative to gazetteers/ or absolute."""
    lists_dir: str | None = None
    """Folder of the larger lists that sources.yaml marks `from: lists_dir`; None leaves them out."""
    cache_dir: str | None = None
    """Compiled automata; None is gazetteers/compiled."""


class QuarantineSettings(_Settings):
    """Which share of the lake's notes may be in quarantine before a run counts as failed (exit code 65)."""

    allowed_share: Share = 0.05


class RunSettings(_Settings):
    """How a run over a lake goes about it."""

    batch_notes: Annotated[int, Field(gt=0)] = 20_000
    """Notes that are read, or de-identified, between two commits: what a crash may cost."""
    allowed_deleted_share: Share = 0.5
    """A run stops if more than this share of the ledger's files is gone: the input may not be mounted."""
    compact_above_files: Annotated[int, Field(ge=2)] = 16
    """A year of a table, or of the raw notes, with more small files than this is written anew as few: every night adds
    one or two."""
    small_file_bytes: Annotated[int, Field(gt=0)] = 32_000_000


class EngineSettings(_Settings):
    """Limits of the engine on one note."""

    note_time_limit_s: Annotated[float, Field(gt=0)] = 20.0
    max_word_types: Annotated[int, Field(gt=0)] = 500_000
    """A worker forgets its word types and starts anew beyond this many: bounded memory."""
    max_word_type_chars: Annotated[int, Field(gt=0)] = 20_000_000
    """The same for their characters together: a "word" may have megabytes."""


class Settings(_Settings):
    """conf/default.yaml."""

    reading: ReadingSettings = ReadingSettings()
    year: YearSettings = YearSettings()
    gazetteers: GazetteerSettings = GazetteerSettings()
    quarantine: QuarantineSettings = QuarantineSettings()
    engine: EngineSettings = EngineSettings()
    run: RunSettings = RunSettings()
    pipeline: str = "default"


class PatternSettings(_Settings):
    """Recogniser `pattern`: groups of rules (deid_core/recognise/patterns), in order of precedence."""

    kind: Literal["pattern"]
    groups: list[str]


class GazetteerRecogniserSettings(_Settings):
    """Recogniser `gazetteer`: which kinds of list count, and how strict a match is."""

    kind: Literal["gazetteer"]
    lists: list[str]
    ambiguous: Literal["accept", "context"] = "accept"
    """accept: a list word is a name wherever it stands (the seed). context: a word that is also a common word,
    a medical term or an eponym needs a name's context (issue: diagnoses stay readable)."""


class SuffixSettings(_Settings):
    """Recogniser `suffix`: words that end in a street's or town's suffix (seed 000, section 6.1)."""

    kind: Literal["suffix"]
    lists: list[str]
    min_stem: Annotated[int, Field(ge=0)] = 0
    ambiguous: Literal["accept", "context"] = "accept"


class HeaderSettings(_Settings):
    """Recogniser `header`: header words and their spelling variants in the whole note (seed 000, section 4.3)."""

    kind: Literal["header"]
    max_ratio: Annotated[float, Field(gt=0, lt=1)] = 0.333
    """A variant has R = d / min(|n|, |w|) below this, d the Levenshtein distance."""
    typed: bool = False
    """False: a variant takes the label another recogniser gave it, else OTHER (placeholder `O`, as the seed).
    True: typed fields of the header give the label, and words without one are left to the others."""


class ContextSettings(_Settings):
    """Recogniser `context`: names behind a salutation, a title, a kinship or role word, or in a signature."""

    kind: Literal["context"]


class InstitutionSettings(_Settings):
    """Recogniser `institution`: names of hospitals, homes, insurers and employers around their head words."""

    kind: Literal["institution"]


class ProfessionSettings(_Settings):
    """Recogniser `profession`: what somebody does or did for a living, by a list and its context."""

    kind: Literal["profession"]


class AddressSettings(_Settings):
    """Recogniser `address`: streets and towns that no list knows, by how an address or a residence is written."""

    kind: Literal["address"]


class CrfSettings(_Settings):
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


class DecisionSettings(_Settings):
    """The learned decision (decide/learned.py)."""

    model: str
    """Model folder in deid_core/models, or a path; it has the knowledge of words of recogniser `crf`'s model."""
    add: Share = 0.2
    """A token is taken as well if it is a person's name with at least this probability."""
    add_others: Share | None = None
    """The same for places, institutions and professions; None: as for names."""
    add_numbers: Share = 1.0
    """The same for dates, ages, telephone numbers and numbers that identify."""
    usual_share: Annotated[float, Field(gt=0, lt=1)] | None = None
    """The share of words in entities that the three are meant for: in a note with fewer they rise; None: never."""
    veto: Share = 0.9
    """A detection is dropped if each of its tokens is none with more than this probability."""
    keep: list[Annotated[Label, Field(strict=False)]] = []
    """Labels of detections that are never dropped."""


class PipelineSettings(_Settings):
    """conf/pipelines/NAME.yaml: which recognisers, in which order of decision, and what stands for a removed span."""

    name: str
    description: str
    recognisers: list[RecogniserSettings]
    order: list[str]
    """Recogniser kinds by precedence: where detections overlap, the earlier kind's label stands."""
    naming: list[str]
    """Recogniser kinds whose label a header word of the untyped recogniser takes over (seed 000: NE labels)."""
    whole_note: bool = False
    """Look everywhere for names that are sure in one place (decide/whole_note.py); stands in `order` if it is on."""
    decision: DecisionSettings | None = None
    """Weigh all evidence by a model (decide/learned.py), whose entities come before all in `order`."""
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


Model = TypeVar("Model", bound=BaseModel)


def load_settings(path: Path | None = None) -> Settings:
    """The project's settings; DEID_GAZETTEER_DIR, if set, stands for `gazetteers.lists_dir`.

    Raises ConfigurationError with every problem of the file.
    """
    settings = load_yaml(path or conf_dir() / "default.yaml", Settings)
    lists_dir = os.environ.get(GAZETTEER_DIR_VARIABLE)
    if lists_dir:
        gazetteers = settings.gazetteers.model_copy(update={"lists_dir": lists_dir})
        settings = settings.model_copy(update={"gazetteers": gazetteers})
    return settings


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


def sources_path(settings: GazetteerSettings) -> Path:
    """Where sources.yaml lies."""
    return gazetteer_dir() / settings.sources


def load_yaml(path: Path, model: type[Model]) -> Model:
    """Reads a YAML file into a settings class.

    Raises ConfigurationError: the file is missing, is not YAML, or does not fit; one line a problem.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: is not UTF-8") from None
    try:
        node = yaml.compose(source, Loader=yaml.SafeLoader)
        data = yaml.safe_load(source)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigurationError(f"{path}:{line}: is not YAML: {error.problem}") from None
    except yaml.YAMLError:
        raise ConfigurationError(f"{path}: is not YAML: it holds characters that no text has") from None
    try:
        return model.model_validate({} if data is None else data)
    except ValidationError as error:
        raise ConfigurationError(
            [f"{path}:{_line(node, e['loc'])}: {_describe(e, model)}" for e in error.errors()]
        ) from None


def _line(node: yaml.Node | None, loc: tuple[int | str, ...]) -> int:
    """The line, from 1, of the deepest part of `loc` that the file has; pydantic's tags of unions are passed over."""
    line = node.start_mark.line if node is not None else 0
    for step in loc:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == step:
                    node, line = value, key.start_mark.line
                    break
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
    return line + 1


def _describe(error: Any, model: type[BaseModel]) -> str:
    where = ".".join(str(part) for part in error["loc"]) or "file"
    if error["type"] != "extra_forbidden":
        return f"{where}: {error['msg']}"
    known = _field_names(model)
    close = difflib.get_close_matches(str(error["loc"][-1]), known, n=1)
    return f"{where}: is not a setting" + (f"; did you mean {close[0]!r}?" if close else "")


def _field_names(model: type[BaseModel]) -> list[str]:
    """Names of the model's fields and of the models in them."""
    names = list(model.model_fields)
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            names += _field_names(field.annotation)
    return names
