"""Operator `typed`: a placeholder that names the type, as <PATIENT>, <CLINICIAN>, <BIRTH_DATE>."""

from __future__ import annotations

from deid_core.policies.note_context import NoteContext


class TypedPlaceholder:
    """Gives the type's name in capitals."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the placeholder."""
        return f"<{note.spans[index].type.upper()}>"
