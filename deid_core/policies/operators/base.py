"""What an operator is."""

from __future__ import annotations

from datetime import date
from typing import Protocol, runtime_checkable

from deid_core.policies.note_context import NoteContext


class Operator(Protocol):
    """Gives what replaces the spans of one type."""

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return what replaces the note's span of this index; None if it cannot be read: a placeholder replaces it."""


@runtime_checkable
class LeavesDay(Protocol):
    """An operator after which a date still tells a day, or a first day of what it was made coarse to."""

    def day(self, day: date, index: int, note: NoteContext) -> date | None:
        """Return the day of the note's span of this index as the text has it; None if that is a placeholder."""
