"""`deid show`: a note of a lake before and after, with coloured spans. It prints PHI."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.found_table import found_table
from deid_core.cli.local_path import local_path
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ExitCode
from deid_core.core.labels import Label
from deid_core.core.spans import Dropped

_RESET = "\x1b[0m"
_COLOURS = {
    Label.PER: 41,
    Label.LOC: 44,
    Label.ORG: 45,
    Label.DATE: 42,
    Label.PHONE: 46,
    Label.EMAIL: 46,
    Label.URI: 46,
    Label.PLZ: 44,
    Label.ID: 43,
    Label.AGE: 43,
}
_OTHER_COLOUR = 47


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("note", metavar="NOTE_ID", help="a note's id, or its path below the input folder")
    parser.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    parser.add_argument(
        "--colour",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="colours; without them spans are in brackets (default: colours on a terminal)",
    )


def run(args: argparse.Namespace) -> int:
    """Print the note, its redacted text, why each span was removed, and which detections were dropped."""
    lake = existing_lake(args.lake)
    with spark_extra("show"):
        from deid_core.lake.inspection.show_note import before_and_after
    note = before_and_after(lake, args.note)
    colour = sys.stdout.isatty() if args.colour is None else args.colour
    labels = [span.label for span in note.spans]
    places = [(span.start, span.end) for span in note.spans]
    print(f"note {note.note_id}, {note.year}\n")
    print("-- before " + "-" * 70 + "\n" + marked(note.before, zip(places, labels, strict=True), colour=colour))
    after = zip(note.outputs, labels, strict=True) if colour else ()
    print("\n-- after " + "-" * 71 + "\n" + marked(note.after, after, colour=colour))
    print("\n" + found_table(note.before, note.spans))
    if note.dropped:
        dropped = [Dropped(**row) for row in note.dropped]
        print("\nFound by a rule, then dropped\n" + found_table(note.before, dropped))
    return ExitCode.DONE


def marked(text: str, spans: Iterable[tuple[tuple[int, int], Label]], *, colour: bool) -> str:
    """Return the text with its spans in colour or as [text|LABEL], and control characters made visible.

    spans: ascending and disjoint. A note must not be able to send commands to the terminal that shows it.
    """
    parts: list[str] = []
    at = 0
    for (start, end), label in spans:
        inner = _visible(text[start:end])
        shown = (
            f"\x1b[30;{_COLOURS.get(label, _OTHER_COLOUR)}m{inner}{_RESET}" if colour else f"[{inner}|{label.value}]"
        )
        parts += (_visible(text[at:start]), shown)
        at = end
    return "".join(parts) + _visible(text[at:])


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t\u00a0\u00ad" else repr(c)[1:-1] for c in text)
