"""What commands that run an engine share: --pipeline, --settings, and the engine itself."""

from __future__ import annotations

import argparse
from pathlib import Path

from deid_core.config import load_pipeline, load_settings, pipeline_names
from deid_core.engine import Engine, EngineSpec


def add_pipeline_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares --pipeline and --settings."""
    parser.add_argument(
        "--pipeline", help=f"one of {', '.join(pipeline_names())}, or a .yaml file; else what the settings say"
    )
    parser.add_argument("--settings", type=Path, help="settings file; else conf/default.yaml")


def engine_spec(name: str | None, settings_path: Path | None = None) -> EngineSpec:
    """The spec of a pipeline with the settings' lists and its model.

    Raises ConfigurationError if settings, pipeline, lists or model are wrong.
    """
    settings = load_settings(settings_path)
    return EngineSpec.load(load_pipeline(name or settings.pipeline), settings)


def engine_for(args: argparse.Namespace) -> Engine:
    """The engine that the arguments ask for."""
    return Engine(engine_spec(args.pipeline, args.settings))
