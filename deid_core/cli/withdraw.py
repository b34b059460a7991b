"""`deid withdraw`: remove a patient's notes from a lake, and keep them out of it."""

from __future__ import annotations

import argparse
from pathlib import Path

from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path
from deid_core.cli.log_arguments import add_log_arguments, log_style
from deid_core.cli.patient_argument import patient_id
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ExitCode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    patient = parser.add_mutually_exclusive_group(required=True)
    patient.add_argument(
        "--patient",
        metavar="ID",
        help="the patient's id, as in the letters or the hospital's table; - reads it from standard input, since other "
        "users of the machine can read arguments",
    )
    patient.add_argument("--patient-key", metavar="KEY", help="the patient_key, as in clean/deidentified")
    parser.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    parser.add_argument("--settings", type=Path, help="settings file; else conf/settings.yaml")
    parser.add_argument("--dry-run", action="store_true", help="only print what would be removed, and change nothing")
    add_log_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Remove the patient's notes and print how many rows of which tables that were."""
    existing_lake(args.lake)
    patient = None if args.patient is None else patient_id(args.patient)
    with spark_extra("withdraw"):
        from deid_core.cli.run_summary import withdrawn
        from deid_core.lake.patients.withdrawn import PatientChoice
        from deid_core.spark.forecasts import forecast_withdrawal
        from deid_core.spark.run_lake import run_lake
        from deid_core.spark.run_options import Options
    options = Options(
        input=None,
        lake=args.lake,
        settings=args.settings,
        stages=("audit",),
        withdraw=PatientChoice(patient, args.patient_key),
        log=log_style(args),
    )
    counts = forecast_withdrawal(options) if args.dry_run else run_lake(options).counts
    if args.dry_run or not args.quiet:
        print(withdrawn(counts, dry_run=args.dry_run))
    return ExitCode.DONE
