"""What commands that run an engine share: --pipeline, --settings, and the engine itself."""

from __future__ import annotations

import argparse
from pathlib import Path

from deid_core.pipeline.build import engine_spec
from deid_core.pipeline.config import pipeline_names
from deid_core.pipeline.engine import Engine


def add_pipeline_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares --pipeline and --settings."""
    parser.add_argument(
        "--pipeline", help=f"one of {', '.join(pipeline_names())}, or a .yaml file; else what the settings say"
    )
    parser.add_argument("--settings", type=Path, help="settings file; else conf/default.yaml")


def engine_for(args: argparse.Namespace) -> Engine:
    """The engine that the arguments ask for."""
    return Engine(engine_spec(args.pipeline, args.settings))
