"""Operator `generalise` for places: the state of a large town, from the project's own list; else a placeholder."""

from __future__ import annotations

from deid_core.policies.normal_form import name_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.town_lists import states


class GeneralisePlace:
    """Gives the state of a town; a state stays."""

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return the state; None for places that the list does not have."""
        return states().get(name_key(note.original(index)))
