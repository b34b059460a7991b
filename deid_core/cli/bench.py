"""`deid bench`: notes and tokens per second of each stage on this machine, beside what a user would take instead."""

from __future__ import annotations

import argparse

from deid_core.cli.local_path import local_path
from deid_core.core.errors import ExitCode

PARTS = {
    "speed": "stages, their limits, and other tools beside them",
    "profile": "microseconds a token of each recogniser",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parts = "; ".join(f"{name}: {what}" for name, what in PARTS.items())
    parser.add_argument("part", nargs="?", choices=tuple(PARTS), help=f"{parts}; both if none is named")
    parser.add_argument("--notes", type=int, default=300, help="generated notes for the engine's stages (300)")
    parser.add_argument("--files", type=int, default=60, help="Word files for the reading stages and the job (60)")
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each stage, after one that is not (5)")
    parser.add_argument("--pipeline", default="default", help="the pipeline that is profiled (default)")
    parser.add_argument(
        "--letters", type=local_path, metavar="DIR", help="profile on a folder of letters, not on generated notes"
    )
    parser.add_argument("--model", help="model folder for the CRF's stages (that of `full`)")
    parser.add_argument("--no-job", action="store_true", help="leave out the Spark job")
    parser.add_argument("--output", type=local_path, metavar="FILE.md", help="write there what is printed, too")


def run(args: argparse.Namespace) -> int:
    """Measure, print Markdown and write it to --output.

    Raise ConfigurationError if a pipeline, list or model is wrong or the output cannot be written.
    """
    from deid_core.lab.bench.profile import profile_report
    from deid_core.lab.bench.report import write
    from deid_core.lab.bench.speed import speed_report

    reports: list[str] = []
    for part in [args.part] if args.part else PARTS:
        if part == "speed":
            report = speed_report(args.notes, args.files, args.runs, model=args.model, job=not args.no_job)
        else:
            report = profile_report(args.pipeline, args.notes, args.runs, args.letters)
        # Each as soon as it is there: the first part takes minutes.
        print(report, end="\n\n", flush=True)
        reports.append(report)
        if args.output:
            write("\n\n".join(reports), args.output)
    return ExitCode.DONE
