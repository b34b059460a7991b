"""Operator `generalise` for dates: the year, or month and year. A date without a year becomes a placeholder."""

from __future__ import annotations

from deid_core.policies.dates.parse import MONTHS, parse_date
from deid_core.policies.note_context import NoteContext
from deid_core.policies.settings import GeneraliseDateSettings


class GeneraliseDate:
    """Gives the year or month of a date; of a range, that of both ends."""

    def __init__(self, settings: GeneraliseDateSettings) -> None:
        self._months = settings.to == "month"

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return "2010" or "April 2010", "2009–2010" for a range; None if no year can be read."""
        parsed = parse_date(note.original(index))
        if parsed is None:
            return None
        found: dict[str, None] = {}
        for moment in parsed.moments:
            if moment.year is None:
                return None
            month = f"{MONTHS[moment.month - 1][0]} " if self._months and moment.month else ""
            found[f"{month}{moment.year}"] = None
        return "–".join(found) or None
