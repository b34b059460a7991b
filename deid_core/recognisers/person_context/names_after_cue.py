"""Names after forms of address, roles, kinship words, field labels and "gez.".

"Herrn Kollegen Dr. X", "OA X", "Operateur: X / Y", "Tochter Anna (7) und Eva", "Name:" and the cell after it.
name_checks.py decides by the tokens around a candidate whether it is a name.
"""

from __future__ import annotations

from typing import NamedTuple

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import NOT_A_NAME, CueFlag
from deid_core.lexicon.word_flags import CAPITALISED, IS_WORD, SURNAME
from deid_core.recognisers.person_context import name_checks
from deid_core.recognisers.person_context.after_cue import past_full_stop, past_marks
from deid_core.recognisers.person_context.dictation import is_initials
from deid_core.recognisers.person_context.name_line import NameLine
from deid_core.recognisers.person_context.name_reader import may_begin_name, name_at, with_given_name

_SALUTATION = CueFlag.SALUTATION.value
_TITLE = CueFlag.TITLE.value
_KINSHIP = CueFlag.KINSHIP.value
_CLINICAL_ROLE = CueFlag.CLINICAL_ROLE.value
_CIVIL_ROLE = CueFlag.CIVIL_ROLE.value
_NAME_FIELD = CueFlag.NAME_FIELD.value
_AMBIGUOUS_FIELD = CueFlag.AMBIGUOUS_FIELD.value
_BEFORE_COLON = CueFlag.BEFORE_COLON.value
_PLURAL = CueFlag.PLURAL.value
_ADDRESS = _SALUTATION | _TITLE | _CLINICAL_ROLE | _CIVIL_ROLE

_MAX_ADDRESS = 8
"""Maximum number of salutations, titles and roles in a row."""
_MAX_NAMES = 6
"""Maximum number of names after one cue for several people."""
_AND = frozenset({"und", "u.", "u", "&", "/", "+"})


class _Rule(NamedTuple):
    """How the names after a cue are read.

    phi, name: type and rule of the detection. sure: the first name needs no other evidence. listed: a name must be on a
    list, otherwise it need only be likely. several: commas may add names. lower: the cue is in lower case, so the name
    can be, too. marked: a colon or a cell boundary separates cue and name.
    """

    phi: PhiType
    name: str
    sure: bool = False
    listed: bool = False
    several: bool = False
    lower: bool = False
    marked: bool = False


def names_after_cue(line: NameLine, index: int) -> list[Detection]:
    """Return the names after the cue at `index`. In "Herrn Kollegen Dr." only the last word is followed by one."""
    if line.cue_at(index + 1) & _ADDRESS and _continues_address(line, index + 1):
        return []
    return _after_address(line, index, line.cues[index])


def names_after_signed(line: NameLine, index: int) -> list[Detection]:
    """Return the names after "gez." and "i.A."."""
    rule = _Rule(PhiType.CLINICIAN, "signed", sure=True, lower=True)
    return _names(line, past_marks(line, index), rule)


def _after_address(line: NameLine, index: int, cue: int) -> list[Detection]:
    address = _address_flags(line, index)
    if not address & (_SALUTATION | _TITLE):
        return _after_role_or_field(line, index, cue)
    phi = PhiType.CLINICIAN if address & (_TITLE | _CLINICAL_ROLE) else PhiType.PERSON
    name = "title" if address & _TITLE else "salute"
    lower = not line.flags[index] & CAPITALISED or line.flags[index] & IS_WORD == 0
    rule = _Rule(phi, name, sure=True, several=bool(address & _PLURAL), lower=lower)
    found = _names(line, past_full_stop(line, index), rule)
    if not found and cue & (_CLINICAL_ROLE | _CIVIL_ROLE | _KINSHIP) and line.flags[index] & SURNAME:
        # "Frau Richter": the role word itself is the name here.
        if line.flags[index] & CAPITALISED and line.word(index).lower() not in NOT_A_NAME:
            found.append(line.detection(index, index + 1, phi, name, 0.9))
    return found


def _after_role_or_field(line: NameLine, index: int, cue: int) -> list[Detection]:
    after = past_marks(line, index)
    if after >= line.count:
        return []
    lower = not line.flags[index] & CAPITALISED
    if not may_begin_name(line, after, lower=lower) and line.word(after) != "," and line.word(after - 1) != ":":
        # No name, no comma before one ("die Mutter, Anna"), no initials ("OA: mu").
        return []
    in_cell, in_blank_column = line.breaks[after], line.opens_blank_column(after)
    marked = in_cell or (after > index + 1 and line.word(after - 1) != ".")
    if cue & _BEFORE_COLON and not marked and not name_checks.is_adjacent_surname(line, after):
        return []
    several = bool(cue & _PLURAL)
    # A field that may hold something else, or that no mark separates from its label, needs a listed name.
    ambiguous = bool(cue & _AMBIGUOUS_FIELD) or in_blank_column
    if cue & _NAME_FIELD and (marked or ambiguous):
        sure = _holds_name(line, index, after)
        rule = _Rule(PhiType.PATIENT, "field", sure=sure, listed=ambiguous, lower=lower)
        found = _names(line, after, rule) if marked or sure else []
        if found:
            return found
    if cue & _KINSHIP:
        if line.word(after) == "," and after + 1 < line.count and line.is_given_name(after + 1):
            # "die Mutter, Anna"
            after += 1
        rule = _Rule(PhiType.RELATIVE, "kin", listed=True, several=several, lower=lower, marked=marked)
        return _names(line, after, rule)
    if cue & (_CLINICAL_ROLE | _CIVIL_ROLE):
        phi = PhiType.CLINICIAN if cue & _CLINICAL_ROLE and not cue & _NAME_FIELD else PhiType.PERSON
        if line.word(after - 1) == ":" and is_initials(line, after) and line.ends_line(after):
            return [line.detection(after, after + 1, phi, "initials", 0.75)]
        if not name_checks.is_in_other_case(line, index, after):
            rule = _Rule(
                phi,
                "role",
                listed=in_cell or in_blank_column,
                several=several or marked,
                lower=lower,
                marked=marked and not in_blank_column,
            )
            return _names(line, after, rule)
    return []


def _holds_name(line: NameLine, index: int, after: int) -> bool:
    """Whether the text after a field label is a name, whatever its words are."""
    if line.word(index).lower().endswith(("name", "namen")):
        return True
    name = name_at(line, after, lower=True)
    return name is not None and with_given_name(line, name, lower=True) != name


def _names(line: NameLine, index: int, rule: _Rule) -> list[Detection]:
    """Return the name at `index` and those added by "und" or, for several people, by commas."""
    found: list[Detection] = []
    for number in range(_MAX_NAMES):
        if index >= line.count or not _follows(line, index, number):
            break
        name = name_at(line, index, lower=rule.lower)
        if name is None:
            break
        whole = _whole_name(line, name, rule, is_first=not number)
        if not _is_name(line, name, whole, rule, number) or _is_contradicted(line, name, rule, number):
            break
        full = rule.marked and whole[1] > whole[0] + 1 and line.is_likely(*whole, listed=True)
        score = 0.95 if rule.sure else 0.9 if full else 0.7
        found.append(line.detection(*whole, rule.phi, rule.name, score))
        after = name_checks.past_age(line, whole[1])
        mark = line.word(after)
        if not (mark in _AND or (rule.several and mark in {",", ";"})):
            break
        index = after + 1
        if index >= line.count or not name_checks.may_be_next_name(line, index, lower=rule.lower):
            break
    return found


def _whole_name(line: NameLine, name: tuple[int, int], rule: _Rule, *, is_first: bool) -> tuple[int, int]:
    """Return the name with what a comma adds to it where the surname may come first.

    is_first: it is the first name of its enumeration.
    """
    whole = name
    if line.word(name[1]) == "," and (
        rule.name == "field"
        or (rule.name == "kin" and rule.marked and not rule.several)
        or (rule.name == "salute" and name_checks.is_before_birth_date(line, name[1] + 2))
    ):
        whole = with_given_name(line, name, lower=rule.lower)
    is_field = rule.marked and rule.name in {"kin", "field"} and is_first
    field_end = name_checks.end_of_field_with_comma(line, name[0]) if is_field else 0
    return whole[0], max(whole[1], field_end)


def _is_name(line: NameLine, name: tuple[int, int], whole: tuple[int, int], rule: _Rule, number: int) -> bool:
    """Whether the tokens are a name; `number` counts the names of an enumeration.

    The first name after a sure cue is. Any other must be likely, be listed, or fill its field, brackets or line.
    """
    start_token = name[0]
    if (rule.sure and not number) or whole != name or line.is_likely(*name, listed=rule.listed):
        return True
    if (rule.marked or (number and line.word(start_token - 1) == "/")) and name_checks.fills_field(line, *name):
        return True
    if line.lower_case_note and line.is_addressed_in_lower_case(start_token):
        return True
    if rule.name == "role":
        return name_checks.fills_brackets(line, *name)
    if rule.name == "field":
        return name_checks.is_before_case_number(line, name[1])
    return rule.name == "kin" and (
        line.is_initial(start_token, lower=rule.lower)
        or (
            name_checks.is_about_person(line, whole[1])
            and line.is_likely(*name, listed=False)
            and not line.is_particle(start_token)
        )
    )


def _is_contradicted(line: NameLine, name: tuple[int, int], rule: _Rule, number: int) -> bool:
    """Whether the tokens around show that this is no name after all, or not the name of this cue."""
    if number and line.word(name[1]) == "." and not line.is_likely(*name, listed=True):
        # "Dr. Muster u. Vertr."
        return True
    if rule.name != "role":
        return False
    if line.upper_case_note and not name_checks.is_separate(line, *name, marked=rule.marked):
        return True
    # "Assistenz: Präparator Hr. Muster"
    return bool(line.cue_at(name[1]) & (_SALUTATION | _TITLE))


def _address_flags(line: NameLine, index: int) -> int:
    """Return the cue flags of the salutations, titles and roles in a row that end at `index`."""
    flags = line.cues[index]
    for at in range(index, max(0, index - _MAX_ADDRESS), -1):
        before = line.cues[at - 1]
        if not (before & (_ADDRESS | _KINSHIP) and _continues_address(line, at)):
            break
        flags |= before
    return flags


def _continues_address(line: NameLine, index: int) -> bool:
    """Whether the token continues a form of address that the token before began."""
    return (
        index < line.count
        and bool(line.cues[index] & _ADDRESS)
        and bool(line.cues[index - 1] & (_ADDRESS | _KINSHIP))
        and _follows(line, index, 0)
    )


def _follows(line: NameLine, index: int, number: int) -> bool:
    """Whether the token follows a cue: on the same line, in the next cell, or at the start of the next line.

    Lines of letters are wrapped by hand. `number` counts the names of an enumeration, which is on one line.
    """
    if index == 0 or line.adjacent(index):
        return True
    gap = line.gap(index)
    if gap.strip() or number:
        return False
    before = line.cues[index - 1]
    if "\n" not in gap:
        # A column, of a table or separated by blanks.
        return not before & (_SALUTATION | _TITLE)
    capitalised = line.flags[index - 1] & CAPITALISED
    return gap.count("\n") == 1 and bool(before & _TITLE or (before & _SALUTATION and capitalised))
