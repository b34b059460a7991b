"""Which span of a note is the date of its letterhead."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Span
from deid_core.policies.dates.parse import parse_date, whole_day
from deid_core.text.header_end import header_end

_FIRST_YEAR, _LAST_YEAR = 1900, 2100
"""A year outside of these is misread."""


class LetterheadDate(NamedTuple):
    """A day, and the index of the span that has it."""

    day: date
    span_index: int


def letterhead_date(text: str, spans: Sequence[Span]) -> LetterheadDate | None:
    """Return the latest whole date in spans of the letterhead that are no birth dates; None if there is none.

    A date that is in no span stays in the text as it is, so it must not count: beside it a moved one told the shift.
    """
    end = header_end(Note("", text))
    found = [
        LetterheadDate(day, index)
        for index, span in enumerate(spans)
        if span.start < end and span.label is Label.DATE and span.type is PhiType.DATE
        for day in _days(text[span.start : span.end])
        if _FIRST_YEAR <= day.year <= _LAST_YEAR
    ]
    return max(found, default=None)


def _days(text: str) -> list[date]:
    """Return the whole dates of a text: of a range both."""
    parsed = parse_date(text)
    return [day for moment in parsed.moments if (day := whole_day(moment))] if parsed else []
