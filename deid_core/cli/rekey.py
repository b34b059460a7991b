"""`deid rekey`: give the patients of a lake a new key, and make the outputs again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from deid_core.cli.engine_arguments import add_output_arguments
from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path
from deid_core.cli.log_arguments import add_log_arguments, log_style
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ExitCode
from deid_core.core.text_tables import table

if TYPE_CHECKING:
    from deid_core.lake.patients.rekey import RekeyForecast


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    parser.add_argument("--settings", type=Path, help="settings file; else conf/settings.yaml")
    add_output_arguments(parser)
    parser.add_argument("--dry-run", action="store_true", help="only print what would be changed, and change nothing")
    add_log_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print what changes, then change it."""
    existing_lake(args.lake)
    with spark_extra("rekey"):
        from deid_core.spark.forecasts import forecast_rekey
        from deid_core.spark.run_lake import run_lake
        from deid_core.spark.run_options import Options
    options = Options(
        input=None,
        lake=args.lake,
        settings=args.settings,
        stages=("audit",),
        outputs=args.output_policy,
        key=args.key,
        rekey=True,
        log=log_style(args),
    )
    if args.dry_run or not args.quiet:
        print(_changes(forecast_rekey(options)), flush=True)
    if args.dry_run:
        print("Nothing was changed.")
        return ExitCode.DONE
    done = run_lake(options)
    done.stop_spark()
    if not args.quiet:
        print(f"Done: the rows name the key {done.ids.patient_key_id}. Keep a backup of {done.lake.patient_secret}.")
    return ExitCode.DONE


def _changes(forecast: RekeyForecast) -> str:
    rows: list[tuple[object, ...]] = [("", "rows"), ("clean/deidentified: another patient_key", forecast.notes)]
    rows += [(f"clean/deidentified_{name}: made again", count) for name, count in forecast.made_again.items()]
    rows += [
        (f"clean/deidentified_{name}: removed, a run with this policy makes it again", count)
        for name, count in forecast.removed.items()
    ]
    return f"{forecast.patients:,} patients get a new key.\n{table(rows)}"
