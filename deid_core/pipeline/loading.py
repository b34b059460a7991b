"""Makes the spec of an engine from names: settings, pipeline, lists and models."""

from __future__ import annotations

from pathlib import Path

from deid_core.core.errors import ConfigurationError, NoteError
from deid_core.crf.model_folder import load_model
from deid_core.ensemble.subtype.subtype_model import load_subtype_model
from deid_core.lexicon.gazetteer import load_gazetteer
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.pipeline.config import EngineSettings, PipelineSettings, load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.settings_file import Settings, load_settings
from deid_core.policies.redaction import Redactor
from deid_core.recognisers.registry import plugin_of


def engine_spec(name: str | None, settings_path: Path | None = None) -> EngineSpec:
    """Return the spec of a pipeline with the settings' lists.

    name: of a pipeline, or its path; None is the settings' pipeline. settings_path: None is conf/settings.yaml.

    Raises ConfigurationError if settings, pipeline, lists or models are wrong.
    """
    settings = load_settings(settings_path)
    pipeline = load_pipeline(name or settings.pipeline)
    return spec_with_lists(pipeline, settings.engine, load_gazetteer(settings.gazetteers))


def load_spec(pipeline: PipelineSettings, settings: Settings) -> EngineSpec:
    """Return the spec of a pipeline with the settings' lists. Its fingerprint is known without loading an engine.

    Raises ConfigurationError if lists or models cannot be read; `check_spec` tells whether an engine can be made.
    """
    return _spec(pipeline, settings.engine, load_gazetteer(settings.gazetteers))


def spec_with_lists(pipeline: PipelineSettings, settings: EngineSettings, gazetteer: Gazetteer) -> EngineSpec:
    """Return the spec of a pipeline with these lists and the models that it names.

    Raises ConfigurationError if a model is missing, damaged, or does not fit: before any note is read, and before a
    cluster's workers find out.
    """
    spec = _spec(pipeline, settings, gazetteer)
    check_spec(spec)
    return spec


def check_spec(spec: EngineSpec) -> Engine | None:
    """Return the spec's engine, ready for the first note; None for a pipeline without models, which needs no check.

    Raises ConfigurationError if no engine can be made of it.
    """
    if spec.model is not None or spec.subtypes is not None or any(map(plugin_of, spec.pipeline.kinds)):
        return warm_engine(spec)
    # A pipeline without models needs no numba until it reads a note.
    return None


def load_engine(pipeline: PipelineSettings, settings: Settings, redactor: Redactor | None = None) -> Engine:
    """Return an engine of a pipeline with the settings' lists, ready for the first note.

    Raises ConfigurationError as `spec_with_lists` does.
    """
    return warm_engine(_spec(pipeline, settings.engine, load_gazetteer(settings.gazetteers)), redactor)


def warm_engine(spec: EngineSpec, redactor: Redactor | None = None) -> Engine:
    """Return an engine that is ready for the first note. Raises ConfigurationError if it cannot read one."""
    engine = Engine(spec, redactor)
    try:
        engine.warm_up()
    except NoteError as error:
        raise ConfigurationError(f"pipeline {spec.pipeline.name} cannot run: {error}") from None
    return engine


def _spec(pipeline: PipelineSettings, settings: EngineSettings, gazetteer: Gazetteer) -> EngineSpec:
    model = load_model(pipeline.crf.model) if pipeline.crf else None
    stacking = load_model(pipeline.stacking.model) if pipeline.stacking else None
    subtypes = load_subtype_model(pipeline.subtypes) if pipeline.subtypes else None
    return EngineSpec(pipeline, settings, gazetteer, model, stacking, subtypes)
