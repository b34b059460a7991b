"""Surrogates of departments: medical vocabulary stays, names and numbers in it are replaced.

"Klinik für Kardiologie" names nobody and stays; "Station Baumann" and "Station M 6" do not. What stays is an
allow-list: the project's lists of medical and clinical words, in which no name is.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from deid_core.core.word_lists import alternatives, word_set
from deid_core.policies.names.name_parts import SURNAME, is_listed_name
from deid_core.policies.names.people import people_of
from deid_core.policies.names.surrogate_names import letters_like, name_word
from deid_core.policies.note_context import NoteContext

_WORD = re.compile(r"\w+(?P<cut>-(?!\w))?")
"""A word, and the hyphen that stands for a part that comes later ("Unfall- und Handchirurgie")."""
_ROMAN = re.compile(r"[IVX]{1,4}[ab]?")
_ADJECTIVE = re.compile(r"(?:log|urg|zin|iatr|päd|apeut)isch(?:e[nrsm]?)?$", re.IGNORECASE)
_ENDING = re.compile(r"(?:e[nrsm]?|s)$")
_ENDINGS = ("institution/specialty-endings", "institution/discipline-endings", "policies/department-endings")
_NOUN = re.compile(rf"(?:{alternatives(*_ENDINGS)})$", re.IGNORECASE)
_LETTERS = 3


@cache
def _vocabulary() -> frozenset[str]:
    lists = ("medical-terms", "medical-words", "medical-abbreviations", "clinic-words", "stop-words")
    return word_set(*lists, "institution/department-units", "institution/hospital-heads", "policies/department-words")


class SurrogateDepartment:
    """Replaces what is no medical vocabulary in a department's name."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the department with other names, numbers and letters."""
        text = note.original(index)
        return _WORD.sub(
            lambda match: match.group() if match["cut"] and _is_specialty(text) else _word(match.group(), note, index),
            text,
        )


@lru_cache(20_000)
def _is_specialty(text: str) -> bool:
    return any(map(_NOUN.search, text.split()))


def _word(word: str, note: NoteContext, index: int) -> str:
    if _stays(word):
        return word
    if any(char.isdigit() for char in word):
        return note.digits_like("department", word, index)
    if len(word) <= _LETTERS:
        return letters_like(note, "department", word, index)
    return name_word(people_of(note), note, word, SURNAME, index)


@lru_cache(20_000)
def _stays(word: str) -> bool:
    """Return whether a word is medical vocabulary, a Roman numeral, or a small letter as in "Klinik f. Chirurgie"."""
    if len(word) == 1 and word.islower():
        return True
    lower, known = word.lower().rstrip("-"), _vocabulary()
    if (lower in known or _ENDING.sub("", lower) in known) and not is_listed_name(word):
        return True
    return any((_ROMAN.fullmatch(word), _ADJECTIVE.search(word), _NOUN.search(word)))
