"""conf/pipelines/NAME.yaml: the recognisers of a pipeline with their settings, and how it decides."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Union, cast

from pydantic import Field, SerializeAsAny, create_model, field_validator

from deid_core.core.errors import ConfigurationError
from deid_core.core.resources import conf_dir
from deid_core.core.settings import FrozenSettings
from deid_core.core.yaml_file import load_yaml
from deid_core.ensemble.settings import BoundaryTrimmingSettings, PropagationSettings, StackingSettings
from deid_core.recognisers.base import RecogniserSettings
from deid_core.recognisers.registry import settings_types
from deid_core.recognisers.settings import CrfSettings


class EngineSettings(FrozenSettings):
    """Limits of the engine on one note."""

    note_time_limit_s: Annotated[float, Field(gt=0)] = 20.0
    max_word_types: Annotated[int, Field(gt=0)] = 500_000
    """A worker forgets its word types and starts anew beyond this many: bounded memory."""
    max_word_type_chars: Annotated[int, Field(gt=0)] = 20_000_000
    """The same for their characters together: a "word" may have megabytes."""


class PipelineSettings(FrozenSettings):
    """conf/pipelines/NAME.yaml: which recognisers, in which order of decision, and what stands for a removed span."""

    name: str
    description: str
    recognisers: list[SerializeAsAny[RecogniserSettings]]
    order: list[str]
    """Recogniser kinds by precedence: where detections overlap, the earlier kind's label stands."""
    naming: list[str]
    """Recogniser kinds whose label a header word of the untyped recogniser takes over (seed 000: NE labels)."""
    unwrap: bool = False
    """Read line ends that only a fixed width of the lines forced as blanks (wrapped.py)."""
    whole_note: PropagationSettings | None = None
    """Look everywhere for names that are sure in one place (decide/whole_note.py); stands in `order` if it is on."""
    stacking: StackingSettings | None = None
    """Weigh all evidence by a model (decide/learned.py), whose entities come before all in `order`."""
    boundary_trimming: BoundaryTrimmingSettings | None = None
    """Cut what is no part of a name or number from its edges (decide/edges.py)."""
    subtypes: str | None = None
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


def pipeline_model(data: Any) -> type[PipelineSettings]:
    """Return the class that checks these settings: each recogniser by the settings class of its kind.

    data: the pipeline as mappings and lists, as far as it is well formed.
    Raises ConfigurationError if a recogniser of another package is named that cannot be used.
    """
    listed = data.get("recognisers") if isinstance(data, dict) else None
    named = [r.get("kind") for r in listed if isinstance(r, dict)] if isinstance(listed, list) else []
    types = settings_types(kind for kind in named if isinstance(kind, str))
    of_kind: Any = Annotated[Union[tuple(types.values())], Field(discriminator="kind")]  # noqa: UP007 - made at run time
    return create_model("PipelineSettings", __base__=PipelineSettings, recognisers=(cast(Any, list)[of_kind], ...))


def parse_pipeline(data: Any) -> PipelineSettings:
    """Return the pipeline of mappings and lists, as YAML or JSON give them.

    Raises ConfigurationError as `pipeline_model` does, ValidationError if the data do not fit.
    """
    return pipeline_model(data).model_validate(data)


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
    pipeline = load_yaml(path, pipeline_model)
    kinds = [str(r.kind) for r in pipeline.recognisers]
    deciding = [*kinds, "whole_note"] if pipeline.whole_note else kinds
    problems = []
    if pipeline.stacking and not pipeline.crf:
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
