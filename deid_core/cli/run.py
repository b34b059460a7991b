"""`deid run`: turn a folder of Word notes, or a table, into a de-identified lake, incrementally."""

from __future__ import annotations

import argparse
from pathlib import Path

from deid_core.cli.engine_arguments import add_output_arguments, add_pipeline_arguments
from deid_core.cli.input_arguments import add_input_arguments, note_columns
from deid_core.cli.local_path import local_path
from deid_core.cli.log_arguments import add_log_arguments, log_style
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ExitCode

STAGES = ("convert", "deidentify", "audit")
"""The same as spark.run_options.STAGES, which cannot be imported for `--help` where pyspark is not installed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_input_arguments(parser)
    parser.add_argument(
        "--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake, made in one that is there"
    )
    add_pipeline_arguments(parser)
    add_output_arguments(parser)
    parser.add_argument("--stage", action="append", choices=STAGES, help="only this stage; may be repeated")
    parser.add_argument("--retry", action="store_true", help="try quarantined notes again")
    parser.add_argument("--dry-run", action="store_true", help="only print what would be done, and change nothing")
    parser.add_argument(
        "--identities",
        type=Path,
        metavar="FILE",
        help="table of what is known of the notes' people, to be searched for (docs/lake.md): .csv or .parquet; "
        "else patient.identities of the settings",
    )
    parser.add_argument(
        "--allow-deletions", action="store_true", help="continue even if most known files are missing from the input"
    )
    parser.add_argument(
        "--fail-on-drift",
        action="store_true",
        help="exit code 65 if the notes of this run differ from those of the last runs (docs/drift.md)",
    )
    add_log_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run the stages and print what they did.

    Exit code 65, with all reasons, if more notes are in quarantine than allowed, or have the year of their file's date;
    with --fail-on-drift also if the notes differ from those of earlier runs.
    """
    with spark_extra("run"):
        from deid_core.cli.run_summary import foreseen, summary
        from deid_core.spark.exit_checks import check_run
        from deid_core.spark.forecasts import forecast_lake
        from deid_core.spark.run_lake import run_lake
        from deid_core.spark.run_options import Options
    options = Options(
        input=args.input,
        lake=args.lake,
        pipeline=args.pipeline,
        overrides=dict(args.overrides),
        settings=args.settings,
        stages=args.stage or STAGES,
        retry=args.retry,
        allow_deletions=args.allow_deletions,
        identities=args.identities,
        outputs=args.output_policy,
        key=args.key,
        columns=note_columns(args),
        log=log_style(args),
    )
    if args.dry_run:
        print(foreseen(forecast_lake(options)))
        return ExitCode.DONE
    done = run_lake(options)
    try:
        if not args.quiet:
            print(summary(done))
        check_run(done, fail_on_drift=args.fail_on_drift)
    finally:
        done.stop_spark()
    return ExitCode.DONE
