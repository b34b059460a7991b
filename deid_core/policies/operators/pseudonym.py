"""Operator `pseudonym`: a keyed token, <PER-7f3a09c2d1e8>, the same for the same name or value (GDPR Article 4(5))."""

from __future__ import annotations

from deid_core.policies.note_context import NoteContext
from deid_core.policies.operators.span_key import span_key
from deid_core.policies.settings import PseudonymSettings

_DIGITS = 12
"""48 bits: among a million names of one scope two share a token with a probability of 0.2 %."""


class Pseudonym:
    """Gives a token that only the key's holder can make from the name."""

    def __init__(self, settings: PseudonymSettings) -> None:
        self._typed = settings.typed

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the token."""
        span = note.spans[index]
        label, named = span.label, span.type.upper() if self._typed else span.label
        return f"<{named}-{note.draws.digest(f'pseudonym {label}', span_key(index, note)).hex()[:_DIGITS]}>"
