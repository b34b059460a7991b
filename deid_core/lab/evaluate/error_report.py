"""The error report: counts by kind and outcome, with examples. It quotes notes: for one reader's own disk only.

The file is made with mode 0600 and holds PHI; nothing of it goes to a log, a metric or the terminal. Name it
`*.errors.html` or `*.errors.md`: git ignores those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.core.files import PRIVATE, write_whole
from deid_core.lab.evaluate.error_file import in_context
from deid_core.lab.evaluate.error_kinds import ErrorCase, ErrorOutcome, Kind, ScoredNote, Side
from deid_core.lab.evaluate.error_page import error_page
from deid_core.lab.evaluate.markdown import markdown_table

SUFFIXES = (".html", ".md")
EXAMPLES = 25
"""Of each kind."""
_WARNING = "This file quotes notes: it holds protected health information. Keep it where the notes are, and delete it."
_SIDES = {Side.FALSE_NEGATIVE: "FN", Side.FALSE_POSITIVE: "FP"}

Row = tuple[str, ...]


def write_error_report(path: Path, notes: Sequence[ScoredNote], cases: Sequence[ErrorCase]) -> None:
    """Writes the report as HTML or Markdown, by the path's ending; nobody but its owner may read it.

    Raises ConfigurationError for another ending or where the file cannot be written.
    """
    if path.suffix not in SUFFIXES:
        raise ConfigurationError(f"{path}: an error report ends in {' or '.join(SUFFIXES)}")
    content = (
        error_page(notes, cases, _examples(cases), _WARNING) if path.suffix == ".html" else _markdown(notes, cases)
    )
    try:
        write_whole(path, content.encode("utf-8"), mode=PRIVATE)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written: {type(error).__name__}") from None


def kind_rows(cases: Sequence[ErrorCase]) -> list[Row]:
    """Seed 003's Table 7: each kind's errors and their part of all, false negatives and false positives."""
    return _rows("kind", tuple(Kind), Counter((str(case.kind), case.side) for case in cases))


def outcome_rows(cases: Sequence[ErrorCase]) -> list[Row]:
    """The same by outcome."""
    return _rows("outcome", tuple(ErrorOutcome), Counter((str(case.outcome), case.side) for case in cases))


def _rows(heading: str, names: Sequence[str], counts: Counter[tuple[str, Side]]) -> list[Row]:
    totals = {side: sum(n for (_, s), n in counts.items() if s is side) for side in Side}
    rows: list[Row] = [(heading, *(cell for side in Side for cell in (_SIDES[side], "part")))]
    for name in names:
        cells: list[str] = []
        for side in Side:
            number = counts[name, side]
            cells += [str(number), f"{number / totals[side]:.1%}" if totals[side] else "-"]
        rows.append((name, *cells))
    return [*rows, ("total", *(cell for side in Side for cell in (str(totals[side]), "")))]


def _examples(cases: Sequence[ErrorCase]) -> Iterable[tuple[Kind, list[ErrorCase]]]:
    for kind in Kind:
        found = [case for case in cases if case.kind is kind]
        if found:
            # What stays legible first: those are the errors that cost.
            yield kind, sorted(found, key=lambda case: not case.legible)[:EXAMPLES]


def _about(note: ScoredNote, case: ErrorCase) -> Row:
    labels = case.label + (f" / {case.other_label}" if case.other_label not in ("", case.label) else "")
    legible = "legible" if case.legible else ""
    return (_SIDES[case.side], str(case.outcome), labels, legible, f"{note.id}:{case.start}-{case.end}")


def _markdown(notes: Sequence[ScoredNote], cases: Sequence[ErrorCase]) -> str:
    lines = ["# Errors", "", f"**{_WARNING}**", ""]
    lines += [markdown_table(kind_rows(cases)), "", markdown_table(outcome_rows(cases))]
    for kind, examples in _examples(cases):
        rows: list[Row] = [("side", "outcome", "label", "", "place", "text")]
        for case in examples:
            note = notes[case.note]
            before, span, after = map(_escaped, in_context(note.text, case.start, case.end))
            rows.append((*map(_escaped, _about(note, case)), f"{before}**{span}**{after}"))
        lines += ["", f"## {kind}", "", markdown_table(rows)]
    return "\n".join([*lines, ""])


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\`*_[]<>|#" else character for character in text)
