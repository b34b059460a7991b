"""Names behind forms of address, roles, kinship words and labels of fields.

Called by recogniser.py for the triggers SALUTE, TITLE, ROLE, CIVIL, KIN, FIELD and SIGNED: "Herrn Kollegen Dr. X",
"OA X", "Operateur: X / Y", "Tochter Anna (7) und Eva", "Name:" and the cell behind. What around the words says that
they are a name says surroundings.py.
"""

from __future__ import annotations

from typing import NamedTuple

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import NOT_A_NAME, CueFlag
from deid_core.lexicon.flags import CAPITALISED, IS_WORD, SURNAME
from deid_core.recognisers import staff_initials as signs
from deid_core.recognisers.person_context import surroundings
from deid_core.recognisers.person_context.called import nickname
from deid_core.recognisers.person_names.walk import NameWalk

_CIVIL_ROLE = CueFlag.CIVIL_ROLE.value
_NAME_FIELD = CueFlag.NAME_FIELD.value
_KINSHIP = CueFlag.KINSHIP.value
_BEFORE_COLON = CueFlag.BEFORE_COLON.value
_PLURAL = CueFlag.PLURAL.value
_CLINICAL_ROLE = CueFlag.CLINICAL_ROLE.value
_SALUTATION = CueFlag.SALUTATION.value
_AMBIGUOUS_FIELD = CueFlag.AMBIGUOUS_FIELD.value
_TITLE = CueFlag.TITLE.value
_MAX_ADDRESS = 8
"""Salutations, titles and roles in a row."""
_MAX_NAMES = 6
"""Names that one plural salutation may announce."""
_AND = frozenset({"und", "u.", "u", "&", "/", "+"})
_ADDRESS = _SALUTATION | _TITLE | _CLINICAL_ROLE | _CIVIL_ROLE


class _Manner(NamedTuple):
    """How a trigger announces a name: as what, by which rule, and what the name has to be.

    sure: the first name needs no other evidence. listed: a name must be on a list, else a likely one will do.
    several: commas may add names. small: the trigger is written in small letters, so the name may be. marked: a colon
    or cell parts trigger and name.
    """

    phi: PhiType
    rule: str
    sure: bool = False
    listed: bool = False
    several: bool = False
    small: bool = False
    marked: bool = False


class AnnouncedNames:
    """One document while the names are read that a word before them announces."""

    def __init__(self, walk: NameWalk) -> None:
        self._walk = walk

    def behind(self, index: int) -> list[Detection]:
        """The names behind the trigger at `index`; of "Herrn Kollegen Dr." only the last word is followed by them."""
        walk = self._walk
        if walk.trigger(index + 1) & _ADDRESS and self._addressed(index + 1):
            return []
        return self._behind_address(index, walk.triggers[index])

    def signed(self, index: int) -> list[Detection]:
        """The names behind "gez." and "i.A."."""
        return self._names(self._walk.past_mark(index), _Manner(PhiType.CLINICIAN, "signed", sure=True, small=True))

    def _behind_address(self, index: int, trigger: int) -> list[Detection]:
        walk = self._walk
        before = self._address_before(index)
        if not before & (_SALUTATION | _TITLE):
            return self._behind_role(index, trigger)
        phi = PhiType.CLINICIAN if before & (_TITLE | _CLINICAL_ROLE) else PhiType.PERSON
        rule = "title" if before & _TITLE else "salute"
        small = not walk.bits[index] & CAPITALISED or walk.bits[index] & IS_WORD == 0
        manner = _Manner(phi, rule, sure=True, several=bool(before & _PLURAL), small=small)
        found = self._names(walk.past_stop(index), manner)
        if not found and trigger & (_CLINICAL_ROLE | _CIVIL_ROLE | _KINSHIP) and walk.bits[index] & SURNAME:
            # "Frau Richter": what is a role elsewhere is the name here.
            if walk.bits[index] & CAPITALISED and walk.word(index).lower() not in NOT_A_NAME:
                found.append(walk.detection(index, index + 1, phi, rule, 0.9))
        return found

    def _behind_role(self, index: int, trigger: int) -> list[Detection]:
        walk = self._walk
        behind = walk.past_mark(index)
        if behind >= len(walk):
            return []
        small = not walk.bits[index] & CAPITALISED
        if not walk.may_begin(behind, small=small) and walk.word(behind) != "," and walk.word(behind - 1) != ":":
            # Neither a name nor the comma before one ("die Mutter, Anna") nor a sign ("OA: mu").
            return []
        in_cell, in_columns = walk.breaks[behind], walk.is_blank_column(behind)
        marked = in_cell or (behind > index + 1 and walk.word(behind - 1) != ".")
        if trigger & _BEFORE_COLON and not marked and not surroundings.is_staff(walk, behind):
            return []
        several = bool(trigger & _PLURAL)
        # What may hold something else than a name, and what no mark parts from its label, must be on a list.
        loose = bool(trigger & _AMBIGUOUS_FIELD) or in_columns
        if trigger & _NAME_FIELD and (marked or loose):
            sure = self._is_field(index, behind)
            manner = _Manner(PhiType.PATIENT, "field", sure=sure, listed=loose, small=small)
            found = self._names(behind, manner) if marked or sure else []
            if found:
                return found
        if trigger & _KINSHIP:
            if walk.word(behind) == "," and behind + 1 < len(walk) and walk.given(behind + 1):
                # "die Mutter, Anna"
                behind += 1
            manner = _Manner(PhiType.RELATIVE, "kin", listed=True, several=several, small=small, marked=marked)
            return self._names(behind, manner)
        if trigger & (_CLINICAL_ROLE | _CIVIL_ROLE):
            phi = PhiType.CLINICIAN if trigger & _CLINICAL_ROLE and not trigger & _NAME_FIELD else PhiType.PERSON
            if walk.word(behind - 1) == ":" and signs.is_sign(walk, behind) and walk.ends_line(behind):
                return [walk.detection(behind, behind + 1, phi, "sign", 0.75)]
            if not surroundings.in_other_case(walk, index, behind):
                manner = _Manner(
                    phi,
                    "role",
                    listed=in_cell or in_columns,
                    several=several or marked,
                    small=small,
                    marked=marked and not in_columns,
                )
                return self._names(behind, manner)
        return []

    def _is_field(self, index: int, behind: int) -> bool:
        """Whether what stands behind a field's label is a name, whatever its words are."""
        walk = self._walk
        if walk.word(index).lower().endswith(("name", "namen")):
            return True
        named = walk.walk(behind, small=True)
        return named is not None and walk.with_given(named, small=True) != named

    def _names(self, index: int, manner: _Manner) -> list[Detection]:
        """The name at `index` and those that "und" or, for several people, commas add to it."""
        walk = self._walk
        found: list[Detection] = []
        for number in range(_MAX_NAMES):
            if index >= len(walk) or not self._follows(index, number):
                break
            named = walk.walk(index, small=manner.small)
            if named is None:
                break
            whole = self._whole(named, manner, first=not number)
            if not self._is_name(named, whole, manner, number) or self._is_contradicted(named, manner, number):
                break
            full = manner.marked and whole[1] > whole[0] + 1 and walk.likely(*whole, listed=True)
            score = 0.95 if manner.sure else 0.9 if full else 0.7
            found.append(walk.detection(*whole, manner.phi, manner.rule, score))
            found += nickname(walk, whole[1], manner.phi)
            behind = surroundings.past_age(walk, whole[1])
            mark = walk.word(behind)
            if not (mark in _AND or (manner.several and mark in {",", ";"})):
                break
            index = behind + 1
            if index >= len(walk) or not surroundings.may_follow_and(walk, index, small=manner.small):
                break
        return found

    def _whole(self, named: tuple[int, int], manner: _Manner, *, first: bool) -> tuple[int, int]:
        """The name with what a comma adds to it, where a surname may stand first; first: it is the first of its row."""
        walk, rule = self._walk, manner.rule
        whole = named
        if walk.word(named[1]) == "," and (
            rule == "field"
            or (rule == "kin" and manner.marked and not manner.several)
            or (rule == "salute" and surroundings.listed_with_date(walk, named[1] + 2))
        ):
            whole = walk.with_given(named, small=manner.small)
        filled = surroundings.filled(walk, named[0]) if manner.marked and rule in {"kin", "field"} and first else 0
        return whole[0], max(whole[1], filled)

    def _is_name(self, named: tuple[int, int], whole: tuple[int, int], manner: _Manner, number: int) -> bool:
        """Whether the words are a name; `number` counts the names of a row.

        The first of a sure trigger is. Any other must be likely, on a list, or fill its field, brackets or line.
        """
        walk, rule, first = self._walk, manner.rule, named[0]
        if (manner.sure and not number) or whole != named or walk.likely(*named, listed=manner.listed):
            return True
        if (manner.marked or (number and walk.word(first - 1) == "/")) and surroundings.fills_field(walk, *named):
            return True
        if walk.small_note and walk.addressed_small(first):
            return True
        if rule == "role":
            return surroundings.fills_brackets(walk, *named)
        if rule == "field":
            return surroundings.is_numbered(walk, named[1])
        return rule == "kin" and (
            walk.is_initial(first, small=manner.small)
            or (
                surroundings.lives(walk, whole[1]) and walk.likely(*named, listed=False) and not walk.is_particle(first)
            )
        )

    def _is_contradicted(self, named: tuple[int, int], manner: _Manner, number: int) -> bool:
        """Whether what stands around says that the words are no name after all, or not this trigger's."""
        walk = self._walk
        if number and walk.word(named[1]) == "." and not walk.likely(*named, listed=True):
            # "Dr. Muster u. Vertr."
            return True
        if manner.rule != "role":
            return False
        if walk.capital_note and not surroundings.stands_alone(walk, *named, marked=manner.marked):
            return True
        # "Assistenz: Präparator Hr. Muster"
        return bool(walk.trigger(named[1]) & (_SALUTATION | _TITLE))

    def _address_before(self, index: int) -> int:
        """The bits of the salutations, titles and roles in a row that end at `index`."""
        walk = self._walk
        found = walk.triggers[index]
        for at in range(index, max(0, index - _MAX_ADDRESS), -1):
            before = walk.triggers[at - 1]
            if not (before & (_ADDRESS | _KINSHIP) and self._addressed(at)):
                break
            found |= before
        return found

    def _addressed(self, index: int) -> bool:
        """Whether the token at `index` goes on with a form of address that the one before began."""
        walk = self._walk
        return (
            index < len(walk)
            and bool(walk.triggers[index] & _ADDRESS)
            and bool(walk.triggers[index - 1] & (_ADDRESS | _KINSHIP))
            and self._follows(index, 0)
        )

    def _follows(self, index: int, number: int) -> bool:
        """Behind a trigger: on the same line, in the next cell, or at the beginning of the next line.

        Letters are wrapped by hand; `number` counts the names of a row, which one line has.
        """
        walk = self._walk
        if index == 0 or walk.adjacent(index):
            return True
        gap = walk.gap(index)
        if gap.strip() or number:
            return False
        if "\n" not in gap:
            # A column, of a table or made of blanks.
            return not walk.triggers[index - 1] & (_SALUTATION | _TITLE)
        before = walk.triggers[index - 1]
        capital = walk.bits[index - 1] & CAPITALISED
        return gap.count("\n") == 1 and bool(before & _TITLE or (before & _SALUTATION and capital))
