"""Surrogates of people's names, word by word, in the form of the original.

A name's surrogate depends on its base alone, so a family keeps one surname, and "Müller", "Hr. M.", "MUELLER" and
"Müllers Sohn" follow each other. Sex, case, genitive, hyphens, titles and particles stay; the initial letter does not.
"""

from __future__ import annotations

import string
from functools import cache

from deid_core.core.word_lists import word_set
from deid_core.policies.names.name_parts import NameKind, given_names, other_names, surnames
from deid_core.policies.names.people import People, people_of
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

_SIBILANTS = ("s", "ß", "x", "z", "ce")
_SIGN_LETTERS = 2
_INITIALS = [letter for letter in string.ascii_uppercase if letter not in "QXY"]


@cache
def _function_words() -> frozenset[str]:
    """Return words that name nobody: a span of one alone is a mistake of the recognisers.

    Those of two letters are left out: staff sign with two letters ("ja").
    """
    return frozenset(word for word in word_set("stop-words") if len(word) > _SIGN_LETTERS)


@cache
def _given_names(female: bool, other: bool, double: bool) -> tuple[str, ...]:
    return tuple(name for name in given_names(female=female, other=other) if ("-" in name) == double)


class SurrogateName:
    """Gives the surrogate of a name."""

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return the name with each of its words replaced; None if it has no word."""
        people, text = people_of(note), note.original(index)
        if not people.parts[index]:
            return None if any(map(str.isalnum, text)) else text
        if text.lower() in _function_words() and not people.is_addressed(index):
            return text
        known: dict[str, str] = note.shared(SurrogateName, dict)
        if text in known:
            return known[text]
        new_name = self._name(people, note, text, index)
        if note.is_consistent and all(part.role is not NameKind.UNKNOWN for part in people.parts[index]):
            known[text] = new_name
        return new_name

    def _name(self, people: People, note: NoteContext, text: str, index: int) -> str:
        out: list[str] = []
        at = 0
        for number, part in enumerate(people.parts[index]):
            word = text[part.start : part.end]
            role = people.role(word, part, index)
            if role is NameKind.INITIALS:
                new = _initials(people, note, index, number)
            elif role is NameKind.SIGN:
                new = letters_like(note, "sign", word, index)
            else:
                new = name_word(people, note, word, role, index)
            out += (text[at : part.start], new)
            at = part.end
        return "".join(out) + text[at:]


def name_word(people: People, note: NoteContext, word: str, role: NameKind, index: int) -> str:
    """Return the surrogate of a given name or surname, in the form of the word."""
    base = people.base(word)
    name = _surrogate(people, note, base.key, role, index)
    if base.genitive:
        name += "'" if name.endswith(_SIBILANTS) else "s"
    return in_case_of(name, word)


def letters_like(note: NoteContext, purpose: str, word: str, index: int) -> str:
    """Return other letters in the case of a word's letters; other characters stay."""
    drawn = note.choose_number(purpose, name_key(word), index)
    out = []
    for char in word:
        if char.isalpha():
            drawn, which = divmod(drawn, len(_INITIALS))
            letter = _INITIALS[which] if _INITIALS[which] != char.upper() else _INITIALS[which - 1]
            out.append(letter if char.isupper() else letter.lower())
        else:
            out.append(char)
    return "".join(out)


def _surrogate(people: People, note: NoteContext, key: str, role: NameKind, index: int) -> str:
    other = key in other_names()
    if role is NameKind.GIVEN:
        female = people.is_female(key)
        return note.choose(f"given name {female:d}", key, index, _given_names(female, other, double="-" in key))
    return note.choose("surname", key, index, surnames(other=other))


def _initials(people: People, note: NoteContext, index: int, number: int) -> str:
    """Return initials as those of the surrogate of the full name that they fit, else other letters."""
    text, parts = note.original(index), people.parts[index]
    letters: list[str] = []
    own = 0
    for at, part in enumerate(parts):
        if part.role is NameKind.INITIALS:
            if at == number:
                own = len(letters)
            letters += [name_key(char) for char in text[part.start : part.end] if char.isalpha()]
    surname = next(
        (people.base(text[p.start : p.end]).key for p in parts if p.role in (NameKind.SURNAME, NameKind.UNKNOWN)), ""
    )
    names = iter(_names_of(people, letters, surname)[own:])
    out = []
    for char in text[parts[number].start : parts[number].end]:
        if not char.isalpha():
            out.append(char)
        elif name := next(names, None):
            out.append(in_case_of(_surrogate(people, note, *name, index)[0], char))
        else:
            out.append(letters_like(note, "initial", char, index))
    return "".join(out)


def _names_of(people: People, letters: list[str], surname: str) -> list[tuple[str, NameKind]]:
    """Return the names that initials stand for: of a full name of the note with this surname, or with these letters."""
    for full in people.full_names:
        last = full.surname.split("-")[0]
        if surname:
            if last == surname and full.given[0] == letters[0]:
                return [(full.given, NameKind.GIVEN)]
        elif letters == [last[0]]:
            return [(last, NameKind.SURNAME)]
        elif letters == [full.given[0], last[0]]:
            return [(full.given, NameKind.GIVEN), (last, NameKind.SURNAME)]
    return []
