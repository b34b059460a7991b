"""Surrogates of professions: another one of the same sex; adjectives before it stay."""

from __future__ import annotations

import re
from functools import cache

from deid_core.core.word_lists import word_list
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

_NOUN = re.compile(r"[A-ZÄÖÜ].*$", re.DOTALL)
_FEMININE = re.compile(r"(?:in|frau|schwester|hebamme|dame)(?:en|nen)?$", re.IGNORECASE)


@cache
def _professions(feminine: bool) -> tuple[str, ...]:
    return tuple(line.split(";")[feminine] for line in word_list("policies/professions"))


class SurrogateProfession:
    """Gives a profession."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return adjectives in small letters as they are, and another noun."""
        text = note.original(index)
        noun = _NOUN.search(text)
        start = noun.start() if noun else 0
        old = text[start:]
        new = note.choose("profession", name_key(old), index, _professions(_FEMININE.search(old) is not None))
        return text[:start] + in_case_of(new, old)
