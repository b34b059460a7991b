"""conf/pipelines/NAME.yaml: the recognisers of a pipeline with their settings, and how the ensemble decides."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Union, cast

from pydantic import Field, SerializeAsAny, create_model, field_validator

from deid_core.core.data_folders import conf_dir, pipeline_names
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label
from deid_core.core.settings import FrozenSettings
from deid_core.core.yaml_file import validate_yaml
from deid_core.ensemble.settings import (
    BoundaryTrimmingSettings,
    ListsSettings,
    PropagationSettings,
    StackingSettings,
)
from deid_core.pipeline.inheritance import layered, with_absolute_files
from deid_core.pipeline.own_list_files import with_list_words
from deid_core.recognisers.base import RecogniserSettings
from deid_core.recognisers.registry import settings_types
from deid_core.recognisers.settings import CrfSettings


class EngineSettings(FrozenSettings):
    """Limits of the engine on one note."""

    note_time_limit_s: Annotated[float, Field(gt=0)] = 20.0
    """Seconds of CPU time, so a busy machine quarantines no note."""
    note_wall_limit_s: Annotated[float, Field(gt=0)] = 600.0
    """Seconds of the clock on the wall, against a note that waits for ever."""
    max_note_word_types: Annotated[int, Field(gt=0)] = 100_000
    """A note with more different words is no letter: reason `too_large`."""
    max_note_tokens: Annotated[int, Field(gt=0)] = 1_000_000
    """The same for words and marks in all. A million need some 500 MB, so a worker stays near its gigabyte."""
    max_word_types: Annotated[int, Field(gt=0)] = 100_000
    """Beyond this many word types, of 4 KiB each, a worker starts with an empty vocabulary: its memory is bounded."""
    max_word_type_chars: Annotated[int, Field(gt=0)] = 20_000_000
    """The same for the characters of all word types together, since a "word" may have megabytes."""


PROPAGATION = "propagation"
"""The propagation's name in `order` and in spans."""


class PipelineSettings(FrozenSettings):
    """conf/pipelines/NAME.yaml: the recognisers, how the ensemble decides between them, and the placeholders."""

    name: str
    description: str
    recognisers: list[SerializeAsAny[RecogniserSettings]]
    order: list[str]
    """Recogniser kinds, and `propagation`, by precedence, the strongest first. Where detections overlap, the stronger
    one gives the label; the other keeps what is left of it. Entities of the stacking model come before all kinds that
    are named here, and kinds that are not named come before these entities. What the latter found is not trimmed, and
    their spans keep their types."""
    labels_from: list[str]
    """Recogniser kinds that give their label to a detection without one that they overlap (seed 000, section 5): to a
    word of an untyped letterhead or a ship's name, which are OTHER. Entities, authors, own lists and kinds that
    `order` does not name do so, too."""
    unwrap: bool = False
    """Read line ends that only a fixed width of the lines forced as blanks."""
    propagation: PropagationSettings | None = None
    """Look in the whole note for names, institutions, addresses, places and numbers that are certain in one place.
    `order` names it."""
    stacking: StackingSettings | None = None
    """A model that weighs the detections together with the words (stacking, Wolpert 1992); None: `order` alone."""
    foreign_passages: bool = False
    """Correct the spans of lines that are not in German (ensemble/foreign_passages.py)."""
    boundary_trimming: BoundaryTrimmingSettings | None = None
    """Cut words off a span's boundaries that are no part of a name or number."""
    subtypes: str | None = None
    """Folder of the subtype model in deid_core/models, or a path with a slash, in a YAML file relative to this file.
    None: the types that recognisers give."""
    lists: ListsSettings = ListsSettings()
    """Words of one's own that are never removed, and those that are removed always."""
    keep: list[Annotated[Label, Field(strict=False)]] = Field(default=[])
    """Labels that are not removed: their spans are dropped when all else is decided."""
    sweep: bool = True
    """Look in the redacted text for what is known of the note's people (by its header, in a run also by the patient's
    other notes and the hospital's table of identities), and redact what is found again (pipeline/sweep.py).
    A key of the pipeline, so that the fingerprint has it."""
    merge_names: bool = True
    """Merge adjacent names, places of one type or institutions with at most a blank or hyphen between them, and places
    where the first has no end ("Klinik St. Veit an der", "Glan"); see ensemble/resolve.py."""
    unlabelled_placeholder: str = "O"
    """Placeholder of label OTHER, `<O>` as in seed 000, section 5, step 1: of a word of an untyped letterhead or a
    ship's name that nothing gave a label (`labels_from`)."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the recognisers, in their order."""
        return tuple(str(recogniser.kind) for recogniser in self.recognisers)

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


def pipeline_model(data: Any) -> type[PipelineSettings]:
    """Return the class that validates a pipeline: each recogniser by the settings class of its kind.

    data: the pipeline as mappings and lists, as far as it is well formed.

    Raises ConfigurationError if a recogniser of another package cannot be used.
    """
    listed = data.get("recognisers") if isinstance(data, dict) else None
    named = [r.get("kind") for r in listed if isinstance(r, dict)] if isinstance(listed, list) else []
    types = settings_types(kind for kind in named if isinstance(kind, str))
    of_kind: Any = Annotated[Union[tuple(types.values())], Field(discriminator="kind")]  # noqa: UP007 - made at run time
    return create_model("PipelineSettings", __base__=PipelineSettings, recognisers=(cast(Any, list)[of_kind], ...))


def parse_pipeline(data: Any) -> PipelineSettings:
    """Return the pipeline of mappings and lists, as `model_dump` gives them.

    Raises ConfigurationError as `pipeline_model` does, ValidationError if the data do not fit.
    """
    return pipeline_model(data).model_validate(data)


def load_pipeline(name: str, overrides: Mapping[str, Any] | None = None) -> PipelineSettings:
    """Return the pipeline of that name, or of that path if it ends in .yaml or .yml.

    overrides: values by dotted key, e.g. {"stacking.drop_above": 0.8, "recognisers.gazetteer.lists": ["town"]}.

    Raises ConfigurationError, naming the pipelines that exist if this one does not.
    """
    path = _pipeline_path(name)
    node, problems = layered(path, overrides or {}, _pipeline_path)
    with_absolute_files(node)
    problems += with_list_words(node)
    pipeline = validate_yaml(node, pipeline_model, str(path), problems)
    if told := [f"{path}: {problem}" for problem in _contradictions(pipeline)]:
        raise ConfigurationError(told)
    return pipeline


def _pipeline_path(name: str, folder: Path = Path()) -> Path:
    """Return the file of a pipeline; paths are relative to the folder."""
    if name.endswith((".yaml", ".yml")):
        path = folder / name
        if not path.is_file() and folder != Path():
            raise ConfigurationError(f"{path}: there is no such file")
        return path
    path = conf_dir() / "pipelines" / f"{name}.yaml"
    if not path.is_file():
        raise ConfigurationError(f"there is no pipeline {name!r}; there are: {', '.join(pipeline_names())}")
    return path


def _contradictions(pipeline: PipelineSettings) -> list[str]:
    """Return what the keys of a pipeline contradict in one another, as "key: what is wrong"."""
    known = [*pipeline.kinds, PROPAGATION] if pipeline.propagation else list(pipeline.kinds)
    problems = []
    if pipeline.stacking and not pipeline.crf:
        problems.append("stacking: needs recogniser crf, whose word knowledge (clusters, likeness) its model uses")
    kinds = list(pipeline.kinds)
    for key, named, allowed in (("order", pipeline.order, known), ("labels_from", pipeline.labels_from, kinds)):
        if unknown := sorted(set(named) - set(allowed)):
            problems.append(f"{key}: this pipeline has no {', '.join(unknown)}; it has: {', '.join(allowed)}")
        if twice := sorted({kind for kind in named if named.count(kind) > 1}):
            problems.append(f"{key}: named more than once: {', '.join(twice)}")
    if pipeline.propagation and PROPAGATION not in pipeline.order:
        problems.append(f"order: must name {PROPAGATION}, which is on")
    if both := sorted(set(pipeline.keep) & set(pipeline.lists.always)):
        problems.append(f"keep: lists.always removes {', '.join(both)}")
    return problems
