"""Surrogates of people's names, word by word, in the form of the original.

A name's surrogate depends on its base alone, so a family keeps one surname, and "Müller", "Hr. M.", "MUELLER" and
"Müllers Sohn" follow each other. Sex, case, genitive, hyphens, titles and particles stay; the initial letter does not.
Of the patient's names first the initial is drawn, from the original's initial alone, and then a name with this initial.
So "P. M." has the same initials in a note that does not have the full name.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import word_set
from deid_core.policies.names.name_parts import (
    GIVEN,
    INITIALS,
    SIGN,
    SURNAME,
    UNKNOWN,
    NameKind,
    given_names,
    listed_sex,
    other_names,
    surnames,
)
from deid_core.policies.names.people import People, people_of
from deid_core.policies.names.sex_evidence import SexEvidence
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

_VOWELS = "aeiouäöüy"
_SIBILANTS = ("s", "ß", "x", "z", "ce")
_PATIENT = PhiType.PATIENT
_SIGN_LETTERS = 2
_LETTERS = [letter for letter in string.ascii_uppercase if letter not in "QXY"]
_BEFORE = 8
_NUMBER = re.compile(r"\d(?<!\w\d)\d*\b")
_SENTENCE_END = re.compile(r"(?:\A|\n|(?:[a-zäöüß]{4}|[)\d])[.!?])\s*$")
_NAME_WORD = re.compile(r"[^\W\d_]+")
_GOES_ON = re.compile(r" \w")
_SHORT = 6
"""Letters of a given name that goes well after another one and a hyphen."""
_GIVEN_NAME = "given name 0", "given name 1"
"""What a given name is drawn for, of a man and of a woman."""
_FEWEST = 5
"""Names of a list that begin with a letter, at least, to draw from."""


@cache
def _function_words() -> frozenset[str]:
    """Return words that name nobody: a span of one alone is a mistake of the recognisers.

    Those of two letters are left out: staff sign with two letters ("ja"). So are given names ("Max").
    """
    return frozenset(word for word in word_set("stop-words") if len(word) > _SIGN_LETTERS) - listed_sex().keys()


class _Names(NamedTuple):
    """Names to draw from, and those with an initial that at least _FEWEST of them have."""

    names: tuple[str, ...]
    with_initial: Mapping[str, tuple[str, ...]]

    @staticmethod
    def from_list(names: Iterable[str]) -> _Names:
        found: dict[str, tuple[str, ...]] = {}
        listed = tuple(names)
        for name in listed:
            found[name[0]] = (*found.get(name[0], ()), name)
        return _Names(listed, {initial: own for initial, own in found.items() if len(own) >= _FEWEST})


@cache
def _surnames(other: bool) -> _Names:
    return _Names.from_list(surnames(other=other))


@cache
def _given_names(female: bool, other: bool) -> _Names:
    return _Names.from_list(name for name in given_names(female=female, other=other) if "-" not in name)


@cache
def _second_names(female: bool) -> tuple[str, ...]:
    """Return given names that can stand after a hyphen: short ones, and those of listed double names."""
    names = given_names(female=female, other=False)
    second = {name.partition("-")[2] for name in names if "-" in name}
    return tuple(sorted(second | {name for name in names if "-" not in name and len(name) <= _SHORT}))


@cache
def _second_names_after(first: str, female: bool) -> tuple[str, ...]:
    return tuple(name for name in _second_names(female) if name != first)


@cache
def _initials_of_lists(given: bool) -> str:
    """Return the initials that names of every list have, each as often as German given names or surnames have it."""
    german = [_given_names(True, False), _given_names(False, False)] if given else [_surnames(False)]
    others = [_given_names(True, True), _given_names(False, True)] if given else [_surnames(True)]
    common = set.intersection(*(set(each.with_initial) for each in german + others))
    return "".join(name[0] for each in german for name in each.names if name[0] in common)


@cache
def _other_initials(given: bool, letter: str) -> str:
    return "".join(initial for initial in _initials_of_lists(given) if name_key(initial) != letter)


class SurrogateName:
    """Gives the surrogate of a name."""

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return the name with each of its words replaced; None if it has no word, or a number beside its words."""
        people, text = people_of(note), note.texts[index]
        known: dict[tuple[str, bool], str] = note.shared(SurrogateName, dict)
        form = text, note.spans[index].type is _PATIENT
        if form in known:
            return known[form]
        name = people.names[index]
        if not name.parts:
            return None if any(map(str.isalnum, text)) else text
        if _NUMBER.search(text):
            return None
        is_word = text.lower() in _function_words()
        if is_word and (text.islower() or _begins_sentence(note, index)) and not people.is_addressed(index):
            return text
        new_name = self._name(people, note, text, index)
        # What else stands in the span's place depends on where it stands.
        if note.is_consistent and not is_word and not name.is_open:
            known[form] = new_name
        return new_name

    def _name(self, people: People, note: NoteContext, text: str, index: int) -> str:
        out: list[str] = []
        at = 0
        for number, part in enumerate(people.names[index].parts):
            role = part.role
            if role is UNKNOWN or role is SIGN:
                role = people.role(part, index)
            if role is INITIALS:
                new = _initials(people, note, index, number)
            elif role is SIGN:
                new = _signature(people, note, part.word, index)
            else:
                new = name_word(people, note, part.word, role, index)
            out += (text[at : part.start], new)
            at = part.end
        return "".join(out) + text[at:]


def _begins_sentence(note: NoteContext, index: int) -> bool:
    """Return whether a span begins a sentence that goes on: "Aller Voraussicht nach", but not "Verden (Aller)"."""
    span = note.spans[index]
    before = max(0, span.start - _BEFORE)
    return bool(_GOES_ON.match(note.text, span.end) and _SENTENCE_END.search(note.text, before, span.start))


def name_word(people: People, note: NoteContext, word: str, role: NameKind, index: int) -> str:
    """Return the surrogate of a given name or surname, in the form of the word."""
    if not note.is_consistent:
        return _name_word(people, note, word, role, index)
    known: dict[tuple[str, NameKind], str] = note.shared(name_word, dict)
    new = known.get((word, role))
    if new is None:
        new = known[word, role] = _name_word(people, note, word, role, index)
    return new


def _name_word(people: People, note: NoteContext, word: str, role: NameKind, index: int) -> str:
    key = name_key(word)
    base = people.base(key)
    name = _surrogate(people, note, base.key if base else key, role, index)
    if word[-1] == ".":
        # "Th." is cut off, and so is its surrogate, after a consonant.
        name = f"{name[0]}{name[1 : len(word) - 1].rstrip(_VOWELS)}."
    elif key in people.signatures:
        return _beginning(name, note, word, index)
    elif base and base.genitive:
        name += "'" if name.endswith(_SIBILANTS) else "s"
    return in_case_of(name, word)


def _signature(people: People, note: NoteContext, word: str, index: int) -> str:
    """Return the beginning of the surrogate of the note's only surname that letters begin, else other letters."""
    surname = people.signed_surname(name_key(word)) if len(word) > 1 else ""
    if surname:
        return _beginning(_surrogate(people, note, surname, SURNAME, index), note, word, index)
    staff: dict[str, list[int]] = note.shared(_signature, lambda: _initials_of_staff(people, note))
    mentions = staff.get(name_key(word), [])
    # Of two people with the same initials neither is meant for sure.
    is_one = len({people.person_of(at) for at in mentions}) == 1
    new = _initials_in(SurrogateName().replacement(mentions[0], note) or "")[: len(word)] if is_one else ""
    # As of a name's beginning, letters that stay as they were are other ones.
    return _beginning(new, note, word, index) if len(new) == len(word) else letters_like(note, "sign", word, index)


def _initials_of_staff(people: People, note: NoteContext) -> dict[str, list[int]]:
    """Return the mentions that have initials, ascending, also without a second surname's."""
    found: dict[str, list[int]] = {}
    for index, name in people.names.items():
        if note.spans[index].type is _PATIENT or not name.surname:
            continue
        letters = name_key(_initials_in(note.texts[index]))
        if len(letters) < _SIGN_LETTERS:
            continue
        first = min(len(letters), max(_SIGN_LETTERS, len(letters) - len(name.surname) + 1))
        for length in range(first, len(letters) + 1):
            found.setdefault(letters[:length], []).append(index)
    return found


def _initials_in(name: str) -> str:
    """Return the first letters of the words of a name: "YALM" of "You-An Lindt-Mak"."""
    return "".join(word[0] for word in _NAME_WORD.findall(name))


def _beginning(name: str, note: NoteContext, word: str, index: int) -> str:
    """Return as many letters of a surrogate as a signature has; other letters if they are the same."""
    if name_key(name).startswith(name_key(word)):
        return letters_like(note, "sign", word, index)
    return in_case_of(name[: len(word)], word)


def letters_like(note: NoteContext, purpose: str, word: str, index: int) -> str:
    """Return other letters in the case of a word's letters; other characters stay."""
    drawn = note.choose_number(purpose, name_key(word), index)
    out = []
    for char in word:
        if char.isalpha():
            drawn, which = divmod(drawn, len(_LETTERS))
            letter = _LETTERS[which] if _LETTERS[which] != char.upper() else _LETTERS[which - 1]
            out.append(letter if char.isupper() else letter.lower())
        else:
            out.append(char)
    return "".join(out)


def _surrogate(people: People, note: NoteContext, key: str, role: NameKind, index: int) -> str:
    """Return the surrogate of a base. Of a double given name each part has its own."""
    is_patients = note.keeps_initials and key in people.of_patient
    if role is not GIVEN:
        listed = _surnames(key in other_names())
        own = _patients_name(note, "surname", key, index, listed) if is_patients else None
        return own or note.choose("surname", key, index, listed.names)
    female = note.shared(SexEvidence, lambda: SexEvidence(people)).is_female(key)
    first_key, hyphen, second_key = key.partition("-")
    listed, purpose = _given_names(female, key in other_names()), _GIVEN_NAME[female]
    own = _patients_name(note, purpose, first_key, index, listed) if is_patients else None
    first = own or note.choose(purpose, first_key, index, listed.names)
    if not hyphen:
        return first
    among = _second_names(female)
    if first in among:
        among = _second_names_after(first, female)
    return f"{first}-{note.choose(f'given name {female:d} after {first}', second_key, index, among)}"


def _patients_name(note: NoteContext, purpose: str, key: str, index: int, listed: _Names) -> str | None:
    """Return a name with the initial that is drawn for the key's; None if the note may have all names with it."""
    initial = _patients_initial(note, key[0], purpose != "surname", index)
    name = note.choose(f"patient's {purpose}", key, index, listed.with_initial.get(initial, listed.names))
    return name if note.is_free(name) else None


def _patients_initial(note: NoteContext, letter: str, given: bool, index: int) -> str:
    """Return the initial of the surrogates of all the patient's given names, or surnames, with this initial."""

    def draw() -> str:
        initials = _other_initials(given, letter)
        return initials[note.choose_number(f"patient's initial {given:d}", letter, index) % len(initials)]

    # Such initials are drawn only where all mentions have the same.
    return note.shared(("patient's initial", given, letter), draw)


def _initials(people: People, note: NoteContext, index: int, number: int) -> str:
    """Return initials as those of the surrogate of the full name that they fit, else other letters."""
    parts = people.names[index].parts
    letters: list[str] = []
    own = 0
    for at, part in enumerate(parts):
        if part.role is INITIALS:
            if at == number:
                own = len(letters)
            letters += [name_key(char) for char in part.word if char.isalpha()]
    surname = next((people.base_key(part.key) for part in parts if part.role in (SURNAME, UNKNOWN)), "")
    is_patients = note.keeps_initials and note.spans[index].type is _PATIENT
    # "Ⅷ." is no letter.
    names = _names_of(people, letters, surname, is_patients) if letters else []
    out: list[str] = []
    for char in parts[number].word:
        if not char.isalpha():
            out.append(char)
            continue
        if own < len(names):
            new = _surrogate(people, note, *names[own], index)[0]
        elif is_patients:
            new = _patients_initial(note, letters[own], bool(surname) or own < len(letters) - 1, index)
        else:
            new = letters_like(note, "initial", char, index)
        out.append(in_case_of(new, char))
        own += 1
    return "".join(out)


def _names_of(people: People, letters: list[str], surname: str, is_patients: bool) -> list[tuple[str, NameKind]]:
    """Return the names that initials stand for: of a full name of the note with this surname, or with these letters."""
    for full in people.full_names:
        if is_patients and not people.of_patient.issuperset((full.given, *full.surname.split("-"))):
            continue
        last = full.surname.split("-")[0]
        if surname:
            if last == surname and full.given[0] == letters[0]:
                return [(full.given, GIVEN)]
        elif letters == [last[0]]:
            return [(last, SURNAME)]
        elif letters == [full.given[0], last[0]]:
            return [(full.given, GIVEN), (last, SURNAME)]
    return []
