"""The list of an evaluation set's errors, one line each, with what it should have been and which rule did what.

What `error_report` gives by kind with examples stands here in full, to be sorted and counted by other programs. It
quotes notes: letters written one by one; non-medical texts and synthetic notes of the training half may be listed,
letters of patients on their reader's own disk only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from enum import StrEnum
from html import escape
from pathlib import Path
from typing import TypeVar

from deid_core.core.errors import ConfigurationError
from deid_core.core.files import PRIVATE, write_whole
from deid_core.core.spans import GoldSpan, Span
from deid_core.core.uncovered_text import covered_characters, is_legible
from deid_core.lab.evaluate.error_file import html_head, html_row, in_context, on_one_line
from deid_core.lab.evaluate.error_kinds import without_counterpart

SUFFIXES = (".tsv", ".html")
Row = tuple[str, str, "ErrorLine"]
"""Evaluation set, pipeline, error."""
_Range = TypeVar("_Range", GoldSpan, Span)
_STYLE = "body{font:13px sans-serif}"


class ErrorKind(StrEnum):
    """What is wrong with it."""

    MISSED = "FN"
    """A gold span that nothing touches."""
    SPURIOUS = "FP"
    """A predicted span that touches no gold span."""
    WRONG_LABEL = "wrong label"
    """Only spans of other labels touch it."""
    BOUNDARY = "boundary"
    """The label is right, the place is not."""


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """One error. start: where it begins in the text; legible: "yes" where a letter or digit of gold is not covered.

    gold, label: type of the gold span, label of the predicted one, "" if there is none; recogniser and rule say who
    predicted it. text, predicted: what each covers; left, right: the 40 characters before and after both.
    Line ends are written ⏎, tabs ⇥.
    """

    note: str
    start: int
    kind: str
    legible: str
    gold: str
    label: str
    recogniser: str
    rule: str
    text: str
    predicted: str
    left: str
    right: str


def error_lines(note: str, text: str, gold: Iterable[GoldSpan], predicted: Iterable[Span]) -> list[ErrorLine]:
    """The errors of one note, in the order of the text.

    Each gold span without an exact counterpart has a line, with the predicted span that it shares most with, one of its
    own label first. So has each predicted span that stands in no such line.
    """
    golden, found = list(gold), list(predicted)
    covered = covered_characters(text, found)
    pairs: list[tuple[GoldSpan | None, Span | None]] = [
        (g, _partner(g, found)) for g in without_counterpart(golden, found)
    ]
    named = {partner for _, partner in pairs}
    pairs += [(_partner(p, golden), p) for p in without_counterpart(found, golden) if p not in named]
    lines = [_line(note, text, g, p, legible=g is not None and is_legible(text, g, covered)) for g, p in pairs]
    return sorted(lines, key=lambda line: (line.start, astuple(line)))


def write_error_list(path: Path, rows: Sequence[Row]) -> None:
    """Writes (set, pipeline, error) to a .tsv file with a line of headings, or a .html file; mode 0600.

    Raises ConfigurationError for another ending or where the file cannot be written.
    """
    if path.suffix not in SUFFIXES:
        raise ConfigurationError(f"{path}: a list of errors ends in {' or '.join(SUFFIXES)}")
    content = "\n".join(_html(rows) if path.suffix == ".html" else _tsv(rows)) + "\n"
    try:
        write_whole(path, content.encode("utf-8"), mode=PRIVATE)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written: {error.strerror}") from None


def _partner(span: GoldSpan | Span, others: Iterable[_Range]) -> _Range | None:
    """The one that shares most characters with the span, one of its label before all of others; None if none does."""
    shared = {o: min(o.end, span.end) - max(o.start, span.start) for o in others}
    touching = [o for o, characters in shared.items() if characters > 0]
    return max(touching, key=lambda o: (o.label == span.label, shared[o], -o.start), default=None)


def _line(note: str, text: str, gold: GoldSpan | None, found: Span | None, *, legible: bool) -> ErrorLine:
    both = [span for span in (gold, found) if span is not None]
    start, end = min(span.start for span in both), max(span.end for span in both)
    left, _, right = in_context(text, start, end)
    return ErrorLine(
        note,
        start,
        _kind(gold, found),
        "yes" if legible else "",
        gold.type if gold else "",
        found.label if found else "",
        found.recogniser if found else "",
        found.rule if found else "",
        on_one_line(text[gold.start : gold.end]) if gold else "",
        on_one_line(text[found.start : found.end]) if found else "",
        left,
        right,
    )


def _kind(gold: GoldSpan | None, found: Span | None) -> ErrorKind:
    if gold is None or found is None:
        return ErrorKind.MISSED if found is None else ErrorKind.SPURIOUS
    return ErrorKind.BOUNDARY if gold.label == found.label else ErrorKind.WRONG_LABEL


def _headings() -> list[str]:
    return ["set", "pipeline", *(field.name for field in fields(ErrorLine))]


def _tsv(rows: Sequence[Row]) -> Iterator[str]:
    yield "\t".join(_headings())
    for of, pipeline, line in rows:
        yield "\t".join((of, pipeline, *map(str, astuple(line))))


def _html(rows: Sequence[Row]) -> Iterator[str]:
    headings = [*_headings()[:-4], "predicted", "where"]
    yield f"{html_head(_STYLE)}<table>"
    yield html_row([*map(escape, headings)], "th")
    for of, pipeline, line in rows:
        *cells, text, predicted, left, right = (escape(str(cell)) for cell in (of, pipeline, *astuple(line)))
        where = f"{left}<mark>{text or predicted}</mark>{right}"
        yield html_row([*cells, predicted, where])
    yield "</table></html>"
