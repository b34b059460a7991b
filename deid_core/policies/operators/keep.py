"""Operator `keep`: a span stays as it is."""

from __future__ import annotations

from datetime import date

from deid_core.policies.note_context import NoteContext


class Keep:
    """Gives the text of the span."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the text of the span."""
        return note.original(index)

    def day(self, day: date, index: int, note: NoteContext) -> date:
        """Return the day."""
        return day
