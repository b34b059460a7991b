"""Surrogates of e-mail and web addresses: names and initials follow the note's people, domains end in .example.

RFC 2606 keeps .example for such use: no surrogate is anybody's address.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product

from deid_core.core.word_lists import word_list, word_set
from deid_core.policies.names.name_parts import GIVEN, INITIALS, SURNAME, NameKind, listed_sex, listed_surnames
from deid_core.policies.names.people import people_of
from deid_core.policies.names.surrogate_names import SurrogateName, letters_like, name_word
from deid_core.policies.normal_form import name_key, value_key
from deid_core.policies.note_context import NoteContext
from deid_core.text.folding import folded

_WORD, _LETTERS = re.compile(r"[^\W_]+"), re.compile(r"[^\W\d_]+")
_URI = re.compile(r"(?P<scheme>\w+://)?(?P<www>www\.)?(?P<host>[^/\s]+)", re.IGNORECASE)
_WWW = re.compile(r"^www\.", re.IGNORECASE)
_INITIALS = 2
_INITIAL = re.compile(r"(?<!\w)[^\W\d_](?!\w)")
_NUMBERED = re.compile(r"([^\W\d_]+)(\d+[^\W\d_]?)")
"""A word and its number: "vogt61", "station3d"."""
_KIND = re.compile(
    r"klinik|spital|praxis|labor|radiologie|pathologie|dialyse|reha|spitex|post|mail"
    r"|(?<![^\W_])(?:uk|kh|[lubk]kh|mvz|kv)(?![^\W_])",
    re.IGNORECASE,
)
"""What a domain says of its owner: "ukb-klinikum", "lkh-", "webpost"."""


class SurrogateEmail:
    """Gives an e-mail address."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the local part with other names, and the domain's surrogate."""
        local, _, host = note.original(index).rpartition("@")
        user = _User(local, note, index)
        return f"{_WORD.sub(lambda match: user.word(match.group()), local)}@{_domain(host, note, index)}"


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
    kind = _KIND.search(host)
    stem = folded(note.choose("domain", key, index, word_list("policies/street-stems")))
    return f"{kind.group().lower()}-{stem}.example" if kind else f"{stem}.example"


@cache
def _mail_words() -> frozenset[str]:
    return word_set("policies/mail-words", "clinic-words")


class _User:
    """The part of an e-mail address before the @, and the names of the note, those of its person first."""

    def __init__(self, local: str, note: NoteContext, index: int) -> None:
        self._note, self._index = note, index
        self._people = people = people_of(note)
        words = {people.base_key(name_key(word)) for word in _LETTERS.findall(local)}
        names = [(full.all_given, full.surname.split("-")) for full in people.full_names]
        # The key of a key may be another one: of "Queendia" it is "quendia".
        self._written = {part.key: part.word for name in people.names.values() for part in name.parts}
        self._given = {key for given, _ in names for key in given}
        self._surnames = {key for _, surnames in names for key in surnames}
        # Of two people with one surname it is the one whose given name, or its initial, is there too.
        letters = {word[0] for word in words - self._surnames}
        names.sort(
            key=lambda name: (words.isdisjoint(name[1]), words.isdisjoint(name[0]), name[0][0][0] not in letters)
        )
        fitting = [name for name in names if not words.isdisjoint((*name[0], *name[1]))]
        self._names, self._is_known = fitting or names, bool(fitting)
        self._words = words

    def word(self, word: str) -> str:
        """Return the surrogate of a word: of a name or of initials; what names a function stays."""
        numbered = _NUMBERED.fullmatch(word)
        letters, number = numbered.groups() if numbered else (word, "")
        if letters.lower() in _mail_words():
            return word
        if not letters.isalpha():
            return self._note.characters_like("user", word, self._index)
        new = self._initials(letters) if len(letters) <= _INITIALS else self._name(letters)
        return new + self._note.characters_like("user", number, self._index)

    def _initials(self, letters: str) -> str:
        """Return the initials of the surrogate of the name that they fit, else other letters."""
        key = name_key(letters)
        if len(key) == 1 and (written := self._written_initial(key)):
            return written
        for given, surnames in self._names if len(key) > 1 or self._is_known else ():
            if len(key) > 1 and key == "".join(name[0] for name in given):
                return "".join(self._surrogate(name, GIVEN)[0] for name in given)
            first = next((name for name in given if name[0] == key[0] and name not in self._words), "")
            last = next((name for name in surnames if name[0] == key[-1] and name not in self._words), "")
            if len(key) == 1 and (first or last):
                return self._surrogate(first, GIVEN)[0] if first else self._surrogate(last, SURNAME)[0]
            if first and last:
                return self._surrogate(first, GIVEN)[0] + self._surrogate(last, SURNAME)[0]
        return letters_like(self._note, "user", letters, self._index)

    def _written_initial(self, key: str) -> str:
        """Return the initial that the surrogate of "S. Muster" has, of a person whose given name no one says."""
        for index, name in self._people.names.items():
            of_person = not self._words.isdisjoint(map(self._people.base_key, name.keys))
            if of_person and any(part.role is INITIALS and name_key(part.word[0]) == key for part in name.parts):
                found = _INITIAL.search(SurrogateName().replacement(index, self._note) or "")
                return folded(found.group())[0] if found else ""
        return ""

    def _name(self, word: str) -> str:
        """Return the surrogate of a name, or of a name and an initial or another name that are written together."""
        key = self._people.base_key(name_key(word))
        if key in self._surnames:
            return self._surrogate(word, SURNAME)
        if key not in self._given:
            for given, surnames in self._names:
                for first, last in product(given, surnames):
                    new = self._surrogate(first, GIVEN), self._surrogate(last, SURNAME)
                    written = {first + last: "".join(new), last + first: "".join(new[::-1])}
                    written |= {first[0] + last: new[0][0] + new[1], last + first[0]: new[1] + new[0][0]}
                    if key in written:
                        return written[key]
        is_given = key in self._given or (key in listed_sex() and key not in listed_surnames())
        return self._surrogate(word, GIVEN if is_given else SURNAME)

    def _surrogate(self, name: str, role: NameKind) -> str:
        word = self._written.get(name, name)
        return folded(name_word(self._people, self._note, word, role, self._index)) if word else ""
