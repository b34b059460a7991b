"""The names of a note: their roles and sexes, and which mentions are one person.

A mention is of a person with the same surname if what else it says does not contradict. name_bases.py says which words
are one name.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import NamedTuple

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.core.word_lists import word_set
from deid_core.policies.names.name_bases import NameBase, PatientMention, name_bases
from deid_core.policies.names.name_parts import (
    GIVEN,
    INITIALS,
    SIGN,
    SURNAME,
    UNKNOWN,
    NameKind,
    NamePart,
    ParsedName,
    has_given_names_alone,
    is_surname_alone,
    listed_names,
    listed_sex,
    listed_surnames,
    parsed_name,
    surname_first,
)
from deid_core.policies.normal_form import name_key
from deid_core.policies.note_context import NoteContext

_BEFORE_NAME = 40
_SALUTE = re.compile(r"(?s:.*)\b(?<!-\n)(?:(frau|fr\.?)|(herrn?|hr\.?))\b[^\n,;]*$", re.IGNORECASE)
"""The last one; no "Ehe-" and "frau"."""
_HIS_WIFE = re.compile(r"\b(?:sein|mein|dein|ihr)e[rn]?\s+(?:[a-zäöüß]+en?\s+)?frau\s+$", re.IGNORECASE)
_TITLED = re.compile(r"\b(?:dr|prof|med|pd|oa|oä)\b\.?\s*$", re.IGNORECASE)
"""A name that stands alone after a title is a surname, also one that is a given name elsewhere ("Dr. Walter")."""
_TITLE_ENDS = ("dr", "of", "ed", "pd", "oa", "oä")
_LONGEST_TITLE = 5
_CALLED = re.compile(r"(?:schwester|(?<!\w)(?:schw\.|sr\.|lieber?|hallo))[ :\t\n]*$", re.IGNORECASE)
_LONGEST_CALL = 14
_LETTERS = re.compile(r"[^\W\d_]+")
_LONGEST_SIGNATURE = 4
_FIELD = re.compile(r"(\bname\s*(?:[,;/|]|und|u\.)\s*)?\b(?:(vor)|nach|familien|geburts)namen?\s*:?\s*$", re.IGNORECASE)
"""What is before a cell or field that has given names, or a surname; a field "Name, Vorname" has both."""
_NAME_FIELD = re.compile(r"\bname\s*:?\s*$", re.IGNORECASE)
_FIELD_ENDS = ("name", "namen", ":")
"""How such fields end, which is quick to see: of most names none is before."""
_GIVEN_FIELD = re.compile(r"[\s,;|]*vornamen?\b", re.IGNORECASE)
"""What is before and after the surname of "Name: Walter, Vorname: Karl"."""
_AND_INITIAL = re.compile(r"[^\W\d_]{2,}\s[^\W\d_]\.")
"""Relatives have given names: "die Cousine Irmhild W.", but "Ospelt L." is a doctor's surname."""
_MAIDEN = re.compile(r"\b(?:geb(?:\.|orene[rn]?)|geburtsname\s*:?)\s*$", re.IGNORECASE)
_MAIDEN_ENDS = ("b.", "ne", "er", "en", "me", ":")
_WORD_AFTER = re.compile(r"[ \u00a0]\w")
_PATIENT, _RELATIVE = PhiType.PATIENT, PhiType.RELATIVE
_ALONE = {UNKNOWN}
_KIN = word_set("cue_words/kinship") - {"frau", "herr", "herrn"}


class _FullName(NamedTuple):
    given: str
    surname: str
    span: int
    all_given: tuple[str, ...]


def people_of(note: NoteContext) -> People:
    """Return the people of a note; all operators share them."""
    return note.shared(People, lambda: People(note))


def _fits(full: _FullName, given: str, surname: str, initials: str) -> bool:
    """Return whether a full name may be that of a mention: "Anna Muster" of "Anna", "A. Muster", "Anna M.", "M."."""
    if (given and given != full.given) or (surname and surname != full.surname):
        return False
    # The last letter is that of the surname where none is written, the first one that of the given name.
    begins = initials[:1] if not given and (surname or len(initials) > 1) else ""
    ends = "" if surname else initials[-1:]
    return bool(given or surname or initials) and full.given.startswith(begins) and full.surname.startswith(ends)


def _agree(letters: str, others: str) -> bool:
    """Return whether initials are others, or the first of them: "H." of "H.-G."."""
    return letters.startswith(others) or others.startswith(letters)


class People:
    """The names of one note."""

    def __init__(self, note: NoteContext) -> None:
        # Not the note, which has this object: a circle would wait for the garbage collector.
        self.text, self.spans = note.text, note.spans
        self._roles: dict[str, set[NameKind]] = {}
        self._salutations: dict[int, re.Match[str] | None] = {}
        self.names: dict[int, ParsedName] = {}
        """The name of each span of a person, by its index."""
        counted: dict[str, int] = {}
        of_patient: list[PatientMention] = []
        before_word: set[str] = set()
        text, spans, names, roles = self.text, self.spans, self.names, self._roles
        for index in note.with_label(Label.PER):
            span = spans[index]
            name = names[index] = self._parsed(span, index)
            for key, role in name.words:
                if key in counted:
                    counted[key] += 1
                    roles[key].add(role)
                else:
                    counted[key] = 1
                    roles[key] = {role}
            if _WORD_AFTER.match(text, span.end):
                before_word.update(name.keys)
            if span.type is _PATIENT and not self.is_maiden(index):
                of_patient.append(PatientMention(name.keys, name.is_placed))
        self._turn_names()
        alone = {key for key, roles in self._roles.items() if roles == _ALONE}
        self._bases = name_bases(counted, alone, alone & before_word, of_patient)
        self._surnames = {key for name in names.values() for key in name.surname}
        # "(Muster)" is a surname, too: of those who sign letters may be the only name.
        self._surnames |= {key for key in alone if len(key) > _LONGEST_SIGNATURE and key not in listed_sex()}
        signed = {key for key in alone if 1 < len(key) <= _LONGEST_SIGNATURE and key not in listed_names()}
        signed &= {name.keys[0] for index, name in names.items() if len(name.parts) == 1 and self._may_sign(index)}
        self.signatures: set[str] = set()
        """Keys of words that begin the note's only such surname: "Str" of Strobel."""
        for key in counted:
            whole = self._whole_names(key) if key[-1] == "." else self.signed_surname(key) if key in signed else ""
            if whole:
                self._bases[key] = NameBase(whole)
                self.signatures |= signed & {key}
        self.of_patient = frozenset([self.base_key(key) for mention in of_patient for key in mention.keys])
        """The bases of all words of the patient's names but maiden names, as keys."""

    @cached_property
    def full_names(self) -> list[_FullName]:
        """The names with a given name and a surname."""
        base = self.base_key
        return [
            _FullName(base(name.given[0]), "-".join(map(base, name.surname)), index, tuple(map(base, name.given)))
            for index, name in self.names.items()
            if name.given and name.surname
        ]

    def _turn_names(self) -> None:
        """Give "Kaltwasser Irmengard" its surname first if the note has "Frau Kaltwasser" too, or "Kaltwasser, Eva".

        Not where a listed surname and no listed given name follows: "Quendeline Müller", also "Frau Quendeline".
        """
        sexes, names = listed_sex().keys(), self.names
        unsure = [
            (index, name)
            for index, name in names.items()
            if len(name.keys) > 1 and name.parts[0].role is GIVEN and name.keys[0] not in sexes
        ]
        if not unsure:
            return
        first = {key for name in names.values() if name.given and name.parts[0].role is SURNAME for key in name.surname}
        alone = {index: name.keys[0] for index, name in names.items() if len(name.keys) == 1 and not name.is_placed}
        called = {key for index, key in alone.items() if GIVEN in self._roles[key] and self.is_addressed(index)}
        # "Frau X." is Irmengard Xandhofer or "Xandhofer Irmengard".
        patients = [index for index in names if self.spans[index].type is _PATIENT]
        alone_initials = [index for index in patients if [part.role for part in names[index].parts] == [INITIALS]]
        letters = {names[index].parts[0].key[0] for index in alone_initials if self.is_addressed(index)}
        surnames = Counter(key for other in names.values() if other.given for key in other.surname)
        surnames.update(key for at, key in alone.items() if self.is_addressed(at) or self._is_titled(at))
        for index, name in unsure:
            others = name.keys[1:]
            is_called = bool(name.surname) and (
                name.keys[0] in called or surnames[name.keys[0]] >= surnames[name.keys[-1]]
            )
            if self.spans[index].type is _PATIENT and name.keys[0][0] in letters:
                is_called = name.keys[-1][0] not in letters
            if not (is_called or (name.keys[0] in first and first.isdisjoint(others))):
                continue
            if listed_surnames().isdisjoint(others) or not sexes.isdisjoint(others):
                surnames.subtract(name.surname)
                name = names[index] = surname_first(self._original(index))
                surnames.update(name.surname)
        self._roles = {}
        for name in names.values():
            for key, role in name.words:
                self._roles.setdefault(key, set()).add(role)

    def _parsed(self, span: Span, index: int) -> ParsedName:
        text, start = self.text, span.start
        name, before = text[start : span.end], max(0, start - _BEFORE_NAME)
        if span.type is _RELATIVE:
            is_given = has_given_names_alone(name) and not self.is_addressed(index)
            if is_given or _AND_INITIAL.fullmatch(name):
                return parsed_name(name, GIVEN)
        # "Meier-Lauber Roua", but "Herr Xaver Xylander"
        words = name.split() if span.type is _PATIENT and "," not in name else ()
        if len(words) == 2 == len(parsed_name(name).parts) and not self.is_addressed(index):
            if is_surname_alone(name_key(words[0])) and not is_surname_alone(name_key(words[1])):
                return surname_first(name)
        if not text[before:start].rstrip().lower().endswith(_FIELD_ENDS):
            return parsed_name(name)
        if (field := _FIELD.search(text, before, start)) and not field[1]:
            return parsed_name(name, GIVEN if field[2] else SURNAME)
        if _GIVEN_FIELD.match(text, span.end) and _NAME_FIELD.search(text, before, start):
            return parsed_name(name, SURNAME)
        return parsed_name(name)

    def _original(self, index: int) -> str:
        span = self.spans[index]
        return self.text[span.start : span.end]

    def _whole_names(self, key: str) -> str:
        """Return the base of the note's only name that a name that is cut off ("Th.") begins, "" if there is none."""
        roles, begun = self._roles[key], key[:-1]
        names = [other for other in self._roles if other[-1] != "." and other.startswith(begun)]
        bases = {self.base_key(name) for name in names if not roles.isdisjoint(self._roles[name])}
        return bases.pop() if len(bases) == 1 else ""

    def _may_sign(self, index: int) -> bool:
        """Return whether a name is a word of somebody who may sign with it: no patient, nor "Dr. Str"."""
        is_patients = self.spans[index].type is _PATIENT
        return bool(self.names[index].keys) and not (is_patients or self._is_titled(index) or self.is_addressed(index))

    def signed_surname(self, key: str) -> str:
        """Return the base of the note's only surname that letters of a signature ("Str") begin, "" if there is none."""
        bases = {self.base_key(name) for name in self._surnames if name.startswith(key) and name != key}
        return bases.pop() if len(bases) == 1 else ""

    def base(self, key: str) -> NameBase | None:
        """Return the name that a word, by its key, is a form of; None for a word that is its own."""
        return self._bases.get(key)

    def base_key(self, key: str) -> str:
        """Return the key of the name that a key of the note's names is a form of."""
        base = self._bases.get(key)
        return base.key if base else key

    def role(self, part: NamePart, index: int) -> NameKind:
        """Return a part's role: its own, else what the note's other names or the lists say, else surname."""
        # "ZÄH" is written as a sign is, and a name if the note has a Jutta Zäh.
        is_name = part.role is UNKNOWN or (part.role is SIGN and part.key in self._roles)
        is_relative = self.spans[index].type is _RELATIVE
        # Relatives do not sign: "Tochter Mai-Ly". Nor does "Frau Dr. mai".
        if part.role is SIGN:
            is_name = is_name or is_relative or self._is_titled(index) or self.is_addressed(index)
        if not is_name:
            return part.role
        if self._is_titled(index) or self.is_maiden(index):
            return SURNAME
        base = self.base_key(part.key)
        known = self._roles.get(part.key, set()) | self._roles.get(base, set())
        for role in (SURNAME, GIVEN):
            if role in known:
                return role
        if self._is_called(index) and base not in listed_surnames():
            return GIVEN
        is_addressed = self.is_addressed(index)
        if not is_addressed and is_relative and base not in self.of_patient:
            return GIVEN
        if base in listed_sex() and not is_addressed:
            return GIVEN
        return SURNAME

    @cached_property
    def parts_of(self) -> dict[str, list[tuple[int, NamePart]]]:
        """The parts of the mentions, with the indices of their spans, by the keys of their bases."""
        found: dict[str, list[tuple[int, NamePart]]] = {}
        for index, name in self.names.items():
            for part in name.parts:
                found.setdefault(self.base_key(part.key), []).append((index, part))
        return found

    @cached_property
    def persons(self) -> dict[int, str]:
        """The person of each mention, by its index."""
        return {index: self.person_of(index) for index in self.names}

    def person_of(self, index: int) -> str:
        """Return the same text for each mention of a person: of the fullest name of the note that it fits."""
        given, surname, initials = self._name_of(index)
        if given and surname:
            return f"{given} {surname}"
        phi = self.spans[index].type
        fitting = [
            (full.given, full.surname, full.span)
            for full in self.full_names
            if _fits(full, given, surname, initials)
            # Letters alone are those of many people.
            and (given or surname or self.spans[full.span].type is phi)
        ]
        if surname and not given:
            fitting += [name for name in self._initialled if name[1] == surname and _agree(name[0], initials)]
        found = next((name for name in fitting if self.spans[name[2]].type is phi), fitting[0] if fitting else None)
        return f"{found[0]} {found[1]}" if found else f"{given or initials} {surname}".strip()

    @cached_property
    def _initialled(self) -> list[tuple[str, str, int]]:
        """The names with initials and a surname, and the indices of their spans; those with more initials first."""
        names = [(*self._name_of(index), index) for index, name in self.names.items() if len(name.parts) > 1]
        found = [(letters, surname, index) for given, surname, letters, index in names if letters and not given]
        return sorted((name for name in found if name[1]), key=lambda name: -len(name[0]))

    def _name_of(self, index: int) -> tuple[str, str, str]:
        """Return the first given name, the surname and the initials of a mention, "" for what it does not say."""
        given, surnames, initials = [], [], ""
        for part in self.names[index].parts:
            role = self.role(part, index)
            if role is INITIALS:
                initials += name_key(part.word.replace(".", "").replace("-", ""))
            elif role is GIVEN:
                given.append(self.base_key(part.key))
            elif role is SIGN:
                surnames.append(self._signed(part.key, index))
            else:
                surnames.append(self.base_key(part.key))
        return (given or [""])[0], "-".join(surnames), initials

    def _signed(self, key: str, index: int) -> str:
        """Return the surname that letters of a signature begin, if somebody of the mention's type has it, else them."""
        whole = self.signed_surname(key) if len(key) > 1 else ""
        phi = self.spans[index].type
        return whole if any(self.spans[at].type is phi for at, _ in self.parts_of.get(whole, ())) else key

    def is_maiden(self, index: int) -> bool:
        """Return whether "geborene" or the like is before the name."""
        start = self.spans[index].start
        before = max(0, start - _BEFORE_NAME)
        is_near = self.text[before:start].rstrip()[-2:].lower().endswith(_MAIDEN_ENDS)
        return is_near and _MAIDEN.search(self.text, before, start) is not None

    def _is_titled(self, index: int) -> bool:
        start = self.spans[index].start
        before = max(0, start - _BEFORE_NAME)
        text = self.text[before:start].rstrip()
        is_near = text[-3:].rstrip(".").lower().endswith(_TITLE_ENDS)
        return is_near and _TITLED.search(text, max(0, len(text) - _LONGEST_TITLE)) is not None

    def _is_called(self, index: int) -> bool:
        """Return whether the word before the name is one that given names follow: "Schwester", "Liebe"."""
        start = self.spans[index].start
        return _CALLED.search(self.text, max(0, start - _LONGEST_CALL), start) is not None

    def is_addressed(self, index: int) -> bool:
        """Return whether "Frau" or "Herr" is before the name; "seine Frau", "Herr Z. und Sohn" are no salutations."""
        found = self.salutation(index)
        if found is None:
            return False
        start = self.spans[index].start
        if _HIS_WIFE.search(self.text, max(0, start - _BEFORE_NAME), start):
            return False
        return _KIN.isdisjoint(
            word.lower() for word in _LETTERS.findall(self.text, found.start(found.lastindex or 0), start)
        )

    def salutation(self, index: int) -> re.Match[str] | None:
        """Return "Frau" or "Herr" before the name."""
        if index not in self._salutations:
            start = self.spans[index].start
            before = max(0, start - _BEFORE_NAME)
            lower = self.text[before:start].lower()
            # Before most names there is neither, which is quick to see.
            is_near = "fr" in lower or "hr" in lower or "herr" in lower
            self._salutations[index] = _SALUTE.match(self.text, before, start) if is_near else None
        return self._salutations[index]
