"""Surrogates of e-mail and web addresses: names in them follow the note's surrogates, domains end in .example.

RFC 2606 keeps .example for such use: no surrogate is anybody's address.
"""

from __future__ import annotations

import re
from functools import cache

from deid_core.core.word_lists import word_list, word_set
from deid_core.policies.names.name_parts import SURNAME
from deid_core.policies.names.people import people_of
from deid_core.policies.names.surrogate_names import letters_like, name_word
from deid_core.policies.normal_form import value_key
from deid_core.policies.note_context import NoteContext
from deid_core.text.folding import folded

_WORD = re.compile(r"[^\W_]+")
_URI = re.compile(r"(?P<scheme>\w+://)?(?P<www>www\.)?(?P<host>[^/\s]+)", re.IGNORECASE)
_WWW = re.compile(r"^www\.", re.IGNORECASE)
_INITIALS = 2


class SurrogateEmail:
    """Gives an e-mail address."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the local part with other names, and the domain's surrogate."""
        local, _, host = note.original(index).rpartition("@")
        user = _WORD.sub(lambda match: _user_word(match.group(), note, index), local)
        return f"{user}@{_domain(host, note, index)}"


class SurrogateUri:
    """Gives a web address; its path is left out."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the domain's surrogate after scheme and www."""
        found = _URI.match(note.original(index))
        if found is None:
            return f"www.{_domain(note.original(index), note, index)}"
        return f"{found['scheme'] or ''}{found['www'] or ''}{_domain(found['host'], note, index)}"


def _domain(host: str, note: NoteContext, index: int) -> str:
    """Return the surrogate of a domain, the same in e-mail and web addresses."""
    key = value_key(_WWW.sub("", host))
    return f"klinik-{folded(note.choose('domain', key, index, word_list('policies/street-stems')))}.example"


@cache
def _mail_words() -> frozenset[str]:
    return word_set("policies/mail-words")


def _user_word(word: str, note: NoteContext, index: int) -> str:
    if word.lower() in _mail_words():
        return word
    if any(char.isdigit() for char in word):
        return note.characters_like("user", word, index)
    if len(word) <= _INITIALS:
        return letters_like(note, "user", word, index)
    return folded(name_word(people_of(note), note, word, SURNAME, index))
