"""Surrogates of departments: medical vocabulary stays, names and numbers in it are replaced.

"Klinik für Kardiologie" names nobody and stays; "Station Baumann" and "Station M 6" do not. What stays is an
allow-list: the project's lists of medical and clinical words, in which no name is. Besides, a word that no list of
names has stays where a subject stands: "Klinik für Orthoptik", "Geriatrische Arnbulanz".
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
_OF_SUBJECT = r"für|fuer|f\."
_AFTER_SUBJECT = re.compile(rf"\s(?:{_OF_SUBJECT})\s", re.IGNORECASE)
_BEFORE_SUBJECT = re.compile(rf"(?:\b(?:{_OF_SUBJECT}|und|u\.)|(?:isch|al|iv|är)e[nrsm]?)\s+$", re.IGNORECASE)
_CUT_OFF = re.compile(r"\.\s\w")
"""After letters that are short for a word: "U. GEBURTSHILFE", "ST. 4"."""
_ENDING = re.compile(r"(?:e[nrsm]?|s)$")
_ENDINGS = ("institution/specialty-endings", "institution/discipline-endings", "policies/department-endings")
_NOUN = re.compile(rf"(?:{alternatives(*_ENDINGS)})$", re.IGNORECASE)
_LETTERS = 3
_LEVEL = re.compile(r"Perinatal\w*\W+Level\W+[1-4]\b", re.IGNORECASE)


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
            lambda match: match.group() if _is_subject(match) else _word(match.group(), note, index),
            text,
        )


def _is_subject(match: re.Match[str]) -> bool:
    """Return whether a word stands where no name does: it is cut off, or beside "für" or an adjective."""
    text, word = match.string, match.group()
    if match["cut"]:
        return _is_specialty(text)
    if len(word) <= _LETTERS and word.isalpha():
        return _CUT_OFF.match(text, match.end()) is not None
    if not word.isalpha() or is_listed_name(word):
        return False
    is_first = not match.start() and _AFTER_SUBJECT.match(text, match.end())
    return bool(is_first or (_is_specialty(text) and _BEFORE_SUBJECT.search(text, 0, match.start())))


@lru_cache(20_000)
def _is_specialty(text: str) -> bool:
    return any(map(is_subject, text.split()))


def _word(word: str, note: NoteContext, index: int) -> str:
    if is_medical(word):
        return word
    if word.isdigit() and _LEVEL.search(note.original(index)):
        # It is a kind, as "Neonatologie" is one: "Perinatalzentrum Level 1".
        return word
    if any(char.isdigit() for char in word):
        return note.digits_like("department", word, index)
    if len(word) <= _LETTERS:
        return letters_like(note, "department", word, index)
    return name_word(people_of(note), note, word, SURNAME, index)


@lru_cache(20_000)
def is_medical(word: str) -> bool:
    """Return whether a word is medical vocabulary, a Roman numeral, or a small letter as in "Klinik f. Chirurgie"."""
    if len(word) == 1 and word.islower():
        return True
    known = _vocabulary()
    for lower in _spellings(word.rstrip("-")):
        if lower in known or _ENDING.sub("", lower) in known:
            return not is_listed_name(word) or is_subject(word)
    return _ROMAN.fullmatch(word) is not None or is_subject(word)


def is_subject(word: str) -> bool:
    """Return whether a word ends as the name or adjective of a subject does."""
    return any(_ADJECTIVE.search(lower) or _NOUN.search(lower) for lower in _spellings(word))


def _spellings(word: str) -> tuple[str, str]:
    """Return a word in small letters, as it is and with umlauts: "ANAESTHESIE"."""
    lower = word.lower()
    return lower, lower.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü")
