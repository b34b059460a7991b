"""`deid list`: the notes of a lake by year, state, reason, score, or what the sweep found. It prints no text."""

from __future__ import annotations

import argparse
import json

from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ConfigurationError, ExitCode, Reason
from deid_core.core.text_tables import table

STATES = ("converted", "quarantined", "deleted", "withdrawn")
"""The same as lake.states.State, which `--help` does not load."""
YEAR_SOURCES = ("path", "column", "header", "file")
"""The same as lake.states.YearSource."""
_SHOWN = 50
"""Notes that are printed, unless --limit says otherwise."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    add("--year", type=years, metavar="YEAR", help="a year, or the first and last as 2010-2012")
    add("--state", choices=STATES, help="what became of the file")
    add("--reason", choices=tuple(map(str, Reason)), help="why it is in quarantine")
    add("--year-source", choices=YEAR_SOURCES, help="where its year came from")
    add("--score-below", type=float, metavar="S", help="a removed span has a lower score; the lowest first")
    add("--without-spans", action="store_true", help="nothing was removed from its text")
    add("--swept", action="store_true", help="the sweep found something in its text and removed it")
    add("--limit", type=int, default=_SHOWN, metavar="N", help=f"print at most so many; 0: all ({_SHOWN})")
    add("--paths", action="store_true", help="print the path of the file as well, WHICH MAY HOLD NAMES")
    add("--json", action="store_true", help="print JSON lines instead of a table")


def years(text: str) -> tuple[int, int]:
    """Return first and last year of "2010" or "2010-2012"."""
    first, _, last = text.partition("-")
    return int(first), int(last or first)


def run(args: argparse.Namespace) -> int:
    """Print the notes. `deid show NOTE_ID` shows one of them."""
    lake = existing_lake(args.lake)
    with spark_extra("list"):
        from deid_core.lake.inspection.note_list import NoteChoice, find_notes
    if args.limit < 0:
        raise ConfigurationError("--limit must be at least 0")
    choice = NoteChoice(
        years=args.year,
        state=args.state,
        reason=args.reason,
        year_source=args.year_source,
        score_below=args.score_below,
        without_spans=args.without_spans,
        swept=args.swept,
    )
    found = find_notes(lake, choice)
    shown = found[: args.limit or None]
    left_out = {"path"} - ({"path"} if args.paths else set())
    if args.state != "quarantined" and not args.reason:
        left_out.add("detail")
    rows = [{name: value for name, value in note._asdict().items() if name not in left_out} for note in shown]
    if args.json:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
        return ExitCode.DONE
    if rows:
        print(table([tuple(rows[0]), *(tuple(_cell(name, value) for name, value in row.items()) for row in rows)]))
    rest = f", {len(shown)} shown (--limit 0 shows all)" if len(shown) < len(found) else ""
    print(f"{len(found)} {'note' if len(found) == 1 else 'notes'}{rest}")
    return ExitCode.DONE


def _cell(name: str, value: object) -> object:
    if value is None:
        return "-"
    if name in ("path", "detail"):
        # A file name must not be able to send commands to the terminal.
        return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))
    return str(value) if name == "year" else value
