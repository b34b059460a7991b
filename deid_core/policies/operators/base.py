"""What an operator is."""

from __future__ import annotations

from typing import Protocol

from deid_core.policies.note_context import NoteContext


class Operator(Protocol):
    """Gives what replaces the spans of one type."""

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return what replaces the note's span of this index; None if it cannot be read: a placeholder replaces it."""
