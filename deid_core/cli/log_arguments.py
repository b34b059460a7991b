"""The arguments of commands that do long work on a lake: --log-format, --quiet, --verbose."""

from __future__ import annotations

import argparse

from deid_core.core.logs import LogFormat, LogStyle, Verbosity


def add_log_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --log-format, --quiet and --verbose."""
    parser.add_argument(
        "--log-format",
        choices=tuple(LogFormat),
        help="of the log on stderr (default: text with a progress bar on a terminal, JSON lines elsewhere)",
    )
    loud = parser.add_mutually_exclusive_group()
    loud.add_argument("--quiet", action="store_true", help="print warnings and errors alone")
    loud.add_argument("--verbose", action="store_true", help="print every step as a line of its own")


def log_style(args: argparse.Namespace) -> LogStyle:
    """Return what the arguments ask for."""
    verbosity = Verbosity.QUIET if args.quiet else Verbosity.VERBOSE if args.verbose else Verbosity.NORMAL
    return LogStyle(LogFormat(args.log_format) if args.log_format else None, verbosity)
