"""Whether a given name of a note is a woman's, by what the note says beside it, the lists, and its ending."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from deid_core.core.labels import Label, PhiType
from deid_core.policies.names.name_parts import GIVEN, listed_sex
from deid_core.policies.names.people import People
from deid_core.policies.names.sexes import NOBLEWOMEN, listed_sex_of, sex_by_ending, sex_of, sex_of_given

_BEFORE_NAME = 40
_LETTERS = re.compile(r"[^\W\d_]+")
_PATIENT = PhiType.PATIENT
_PATIENT_WORD = re.compile(r"[Pp](?<!\w.)(?i:atient(in)?\b(?!\s*[:/])(?<!/ihre patientin))")
"""Not the label of a field, nor "Ihr Patient/Ihre Patientin". The search skips to its first letter."""
_WHO_AFTER = re.compile(
    r"\s?\(\s?(?:(?:seine?|ihre?|dessen|deren)\s)?(\w+)"
    r"|,\s?(\w*(?:arzt|ärztin)\b|(?:(?:seine?|ihre?|dessen|deren)\s)?\w+(?=\s?[,;.)\n]))",
    re.IGNORECASE,
)
"""What says who a name is, after it: "Fatou (Ehefrau)", "Muster Eva, w,", "Eva Muster, Assistenzärztin"."""
_ROLE_BELOW = re.compile(
    r"\s?\n[ \t]*(?:[^\W\d_]+(?:e[rn]?|\.)[ -]){0,2}"
    r"([^\W\d_]*(?:arzt|[äÄ]rztin|a(?:e|E)rztin|direktor(?:in)?|psychologe|psychologin))\b(?![ \t]{2}|\t|\s?:)",
    re.IGNORECASE,
)
"""The role below a name that signs: "Kim Muster", in the next line "Leitende Oberärztin"."""
_COLUMNS = re.compile(r"\S(?:\s{2}|\t)")
"""Before a name in one line with something else: it is unsure whose role stands below."""
_WOMANS_ROLE = re.compile(r"\b(?:OÄ|\w*(?:[äÄ]|a[eE])rztin)\s(?:[^\W\d_]+\.\s?)*$", re.IGNORECASE)
_TITLES = re.compile(r"\W*(?:\w{1,5}\.\W*)*")
_LONGEST_WORD = 30


class SexEvidence:
    """What the names of a note and the words beside them say of sexes."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._known: dict[str, bool] = {}
        self._text, self._spans, self._names = people.text, people.spans, people.names

    def is_female(self, given: str) -> bool:
        """Return whether a given name, by its base's key, is a woman's: by the note, a list, or its ending."""
        known = self._known.get(given)
        if known is None:
            said = self._said(given)
            known = self._known[given] = self._sex_by_ending(given) if said is None else said
        return known

    def _said(self, given: str) -> bool | None:
        own = [index for index, part in self._people.parts_of.get(given, ()) if part.role is GIVEN]
        known = _first_said(self._sure_sex, own)
        if known is None:
            known = self._said_beside_given(given)
        if known is None:
            known = sex_of_given(given)
        if known is None:
            known = self._said_of_person(given)
        return known

    def _sure_sex(self, index: int) -> bool | None:
        """Return the sex that is surer than a list: by a title, a salutation beside the name, or "Patientin" alone."""
        found = self._people.salutation(index)
        start = self._spans[index].start
        if not NOBLEWOMEN.isdisjoint(self._text[start : self._spans[index].end].lower().split()):
            return True
        if found and _TITLES.fullmatch(self._text, found.end(1) if found[1] else found.end(2), start):
            return found[1] is not None
        if self._spans[index].type is not _PATIENT:
            return None
        women = self._patient_words
        return True if len(women) > 1 and all(women) else None

    def _said_beside(self, index: int) -> bool | None:
        """Return the sex that the word directly before or after a name tells: "Sohn Kim", "Muster Kim, Kardiologin"."""
        start = self._spans[index].start
        said = None
        # More than a blank is between columns, and "Eva Freund" before a name is no friend.
        if start > 1 and self._text[start - 1] == " " != self._text[start - 2] and not self._follows_name(index):
            words = self._text[max(0, start - _LONGEST_WORD) : start].split()
            said = sex_of(words[-1].rstrip(":").lower()) if words else None
        return self._said_after(index) if said is None else said

    def _follows_name(self, index: int) -> bool:
        """Return whether another name ends directly before this one."""
        return index - 1 in self._names and self._spans[index - 1].end == self._spans[index].start - 1

    def _said_beside_given(self, given: str) -> bool | None:
        # Most words beside names tell no sex, which is quicker to see than the role of a name.
        for index, part in self._people.parts_of.get(given, ()):
            said = self._said_beside(index)
            if said is not None and self._people.role(part, index) is GIVEN:
                return said
        return None

    def _mentions(self, given: str) -> list[int]:
        """Return the mentions that have a given name, by its base's key."""
        people = self._people
        return [index for index, part in people.parts_of.get(given, ()) if people.role(part, index) is GIVEN]

    @cached_property
    def _patient_words(self) -> list[bool]:
        """Whether each word for the patient is "Patientin"."""
        return [bool(match[1]) for match in _PATIENT_WORD.finditer(self._text)]

    @cached_property
    def _patient_salutes(self) -> list[bool]:
        """Whether each salutation beside a name of the patient is "Frau"; none if the note has two full names."""
        people = self._people
        patients = [index for index in self._names if self._spans[index].type is _PATIENT]
        if len({(full.given, full.surname) for full in people.full_names if full.span in patients}) > 1:
            return []
        return [self._salute(index) is True for index in patients if people.is_addressed(index)]

    def _said_of_person(self, given: str) -> bool | None:
        """Return what the note says: beside the given name, before the surname alone, or of its patient."""
        # "Frau Walpurga Bauer" says more of her than "Herr Bauer".
        own = self._mentions(given)
        for said in (self._salute, self._said_after, self._role, self._kin):
            if (found := _first_said(said, own)) is not None:
                return found
        beside = [
            part.key for index in own for part in self._names[index].parts if self._people.role(part, index) is GIVEN
        ]
        listed = next((sex for sex in map(listed_sex().get, beside) if sex is not None), None)
        if listed is not None:
            return listed
        named = [index for index, person in self._people.persons.items() if person.split(" ")[0] == given]
        full = {f"{name.given} {name.surname}" for name in self._people.full_names if name.given == given}
        same = [index for index, person in self._people.persons.items() if person in full]
        for said, indices in ((self._salute, named), (self._kin, named), (self._salute, same)):
            if (found := _first_said(said, indices)) is not None:
                return found
        if any(self._spans[index].type is _PATIENT for index in named):
            women = [*self._patient_words, *self._patient_salutes]
            return 2 * sum(women) > len(women) if women else None
        return None

    def _sex_by_ending(self, given: str) -> bool:
        """Return whether the first given name of a mention ends as a woman's, so that all names of it have one sex."""
        firsts = [name.given for name in self._people.full_names if given in name.all_given]
        return sex_by_ending((firsts or [given])[0])

    def _salute(self, index: int) -> bool | None:
        """Return whether "Frau" is before the name; None if neither "Frau" nor "Herr" is."""
        found = self._people.salutation(index)
        return None if found is None else found[1] is not None

    def _said_after(self, index: int) -> bool | None:
        """Return whether what is said after the name is of a woman; None if it tells no sex."""
        found = _WHO_AFTER.match(self._text, self._spans[index].end)
        if found is None or self._is_place(index + 1, found.end()):
            return None
        word = (found[1] or found[2]).lower().rpartition(" ")[2]
        return word == "w" if word in ("w", "m") else sex_of(word)

    def _is_place(self, index: int, end: int) -> bool:
        """Return whether the span of this index ends there and is a place: "Eva Muster, Schwerin" is no "Herrin"."""
        return index < len(self._spans) and self._spans[index].end == end and self._spans[index].label is Label.LOC

    def _role(self, index: int) -> bool | None:
        """Return the sex that the role below the name tells, or "Oberärztin" before its titles."""
        text, span = self._text, self._spans[index]
        line = text.rfind("\n", 0, span.start) + 1
        if _WOMANS_ROLE.search(text, max(line, span.start - _BEFORE_NAME), span.start):
            return True
        below = _ROLE_BELOW.match(text, span.end)
        follows = index - 1 in self._names and self._spans[index - 1].end > line
        if below is None or follows or _COLUMNS.search(text, line, span.start):
            return None
        return sex_of(below[1].lower())

    def _kin(self, index: int) -> bool | None:
        """Return whether the last word before the name that tells a sex is a woman's ("ihre Schwester").

        Of "die Ehefrau des Patienten" it is the first.
        """
        start = self._spans[index].start
        before = max(0, start - _BEFORE_NAME)
        line = max(before, self._text.rfind("\n", before, start))
        words = [word.lower() for word in _LETTERS.findall(self._text, before, start)]
        # In the line above are names and addresses: of "Schwerin" and "Hartmann" the endings tell nothing.
        above = len(_LETTERS.findall(self._text, before, line))

        def sex_at(at: int) -> bool | None:
            return listed_sex_of(words[at]) if at < above else sex_of(words[at])

        for last in reversed(range(len(words))):
            if (sex := sex_at(last)) is not None:
                first = sex_at(last - 2) if last > 1 and words[last - 1] in ("des", "der") else None
                return sex if first is None else first
        return None


def _first_said(said: Callable[[int], bool | None], indices: Iterable[int]) -> bool | None:
    """Return the first sex that is said of these mentions."""
    return next((sex for sex in map(said, indices) if sex is not None), None)
