"""Operator `numbered`: a placeholder with a number, <PER-2>, the same for the same name or value of the note."""

from __future__ import annotations

from deid_core.policies.note_context import NoteContext
from deid_core.policies.operators.span_key import span_key


class NumberedPlaceholder:
    """Numbers the names or values of each label from 1, in the order of the note."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the placeholder."""
        label = note.spans[index].label
        numbers: dict[str, int] = note.shared(("numbered", label), dict)
        return f"<{label}-{numbers.setdefault(span_key(index, note), len(numbers) + 1)}>"
