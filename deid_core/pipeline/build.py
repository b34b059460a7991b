"""From names to an engine: settings, pipeline, lists and models."""

from __future__ import annotations

from pathlib import Path

from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.engine import EngineSpec
from deid_core.pipeline.settings import load_settings


def engine_spec(name: str | None, settings_path: Path | None = None) -> EngineSpec:
    """The spec of a pipeline with the settings' lists and its model.

    Raises ConfigurationError if settings, pipeline, lists or model are wrong.
    """
    settings = load_settings(settings_path)
    return EngineSpec.load(load_pipeline(name or settings.pipeline), settings)
