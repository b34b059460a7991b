"""The arguments of commands that run an engine: --pipeline, --set, --settings, and the engine itself."""

from __future__ import annotations

import argparse
import gc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from deid_core.core.data_folders import DEFAULT_POLICY, pipeline_names

if TYPE_CHECKING:
    from deid_core.pipeline.engine import Engine


def add_pipeline_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --pipeline, --set and --settings."""
    parser.add_argument(
        "--pipeline", help=f"one of {', '.join(pipeline_names())}, or a .yaml file; else what the settings say"
    )
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=_override,
        dest="overrides",
        help="change a key of the pipeline, e.g. stacking.drop_above=0.8, recognisers.gazetteer.lists=[town] or "
        "without=[age]; the value is YAML; may be repeated",
    )
    parser.add_argument("--settings", type=Path, help="settings file; else conf/settings.yaml")


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --output-policy and --key."""
    parser.add_argument(
        "--output-policy",
        action="append",
        metavar="POLICY",
        help="also make clean/deidentified_POLICY: a policy's name, or a .yaml file; may be repeated; else what the "
        "settings say",
    )
    parser.add_argument("--key", type=Path, metavar="FILE", help="the policies' key; else the variable DEID_POLICY_KEY")


def engine_for(args: argparse.Namespace, policy: str = DEFAULT_POLICY, key: Path | None = None) -> Engine:
    """Return the engine that the arguments ask for, with a policy and the file of its key.

    Raises ConfigurationError and SecretMissingError as `load_engine` and `load_redactor` do.
    """
    # Loading makes objects by the hundred thousand and no garbage, for which Python would search again and again.
    gc.disable()
    try:
        return _engine(args, policy, key)
    finally:
        gc.freeze()
        gc.enable()


def _engine(args: argparse.Namespace, policy: str, key: Path | None) -> Engine:
    # Imported here, as in other commands: `--help` and a wrong argument need no engine.
    from deid_core.pipeline.config import load_pipeline
    from deid_core.pipeline.loading import load_engine
    from deid_core.pipeline.settings_file import load_settings
    from deid_core.policies.redaction import load_redactor

    redactor = load_redactor(policy, key)
    settings = load_settings(args.settings)
    return load_engine(load_pipeline(args.pipeline or settings.pipeline, dict(args.overrides)), settings, redactor)


def _override(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    try:
        return key, yaml.safe_load(value)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise argparse.ArgumentTypeError(f"{key}: the value is not YAML") from None
