"""The key that spans of one person or value share within a note, for numbers and pseudonyms."""

from __future__ import annotations

from deid_core.core.labels import Label
from deid_core.policies.names.people import people_of
from deid_core.policies.normal_form import value_key
from deid_core.policies.note_context import NoteContext


def span_key(index: int, note: NoteContext) -> str:
    """Return a text that spans share if they are the same person, or the same value in whatever form."""
    if note.spans[index].label is Label.PER:
        return people_of(note).person_of(index)
    return value_key(note.original(index))
