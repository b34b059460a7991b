"""Names of departments as letterheads and signatures write them; wards.py has the wards.

| text                                                                                    | rule       | score |
|---|---|---|
| a unit and its subjects: "Abteilung für Unfallchirurgie", "Klinik für Innere Medizin III" | department | 0.90  |
| a discipline's adjective and a unit: "I. Medizinische Klinik", "Chirurgische Abteilung" | department | 0.85  |
| a subject with a Roman number: "Innere Medizin III"                                     | department | 0.80  |

A place after the designation makes it a hospital: "Institut für Pathologie Musterstadt". A discipline alone, a unit
alone ("unsere Abteilung") and a practice without a place are no names. After "für" the name includes all subjects
that "und" and commas join. Functions return the end token of a part, which is their `at` if the part is missing.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.recognisers.institution import flags
from deid_core.text.token_line import TokenLine

_ROMAN = frozenset("I II III IV V VI VII lll ll".split())
"""Roman numbers, and III and II as OCR misreads them."""
_FOR = frozenset({"für", "f.", "f", "fuer", "FÜR", "F.", "FUER"})
_AND = frozenset({"und", "u.", "u", "&", "/", "sowie", "UND", "U."})
_DASHES = frozenset({"-", "–", "—", ":"})
_NAMED_BY_SUBJECT = ("abteilung", "abt.", "sektion", "departement", "department", "fachbereich", "zentrum")
"""Units that take a subject without "für": "Sektion Wirbelsäulenchirurgie"."""
_MAX_SUBJECTS = 14
_MAX_LETTERS_OF_NAME = 3
"""A word of so many capitals or fewer is no place."""


def department(line: TokenLine, at: int) -> Detection | None:
    """Return the department whose unit word is at `at`, or the hospital if a place follows."""
    unit, end_token = line.word(at).lower(), at + 1
    start_token = _adjectives_start(line, at)
    adjective = start_token < at and unit != "bereich"
    start_token = _ordinal_start(line, start_token)
    subject_end = end_token
    if line.next_word(end_token) in _FOR:
        subject_end = _subjects_end(line, end_token + 1, strict=False)
        subject = subject_end > end_token + 1
    else:
        if unit.endswith(_NAMED_BY_SUBJECT):
            subject_end = _subjects_end(line, end_token, strict=True)
        subject = subject_end > end_token
    if subject:
        end_token = subject_end
    elif not adjective:
        return None
    end_token = _continuation_end(line, _numeral_end(line, end_token))
    placed = placed_end(line, end_token)
    if placed > end_token:
        return line.detection(start_token, placed, PhiType.HOSPITAL, "hospital.subject", 0.9)
    if unit.endswith("praxis") or unit == "bereich":
        return None
    return line.detection(start_token, end_token, PhiType.DEPARTMENT, "department", 0.9 if subject else 0.85)


def numbered_subject(line: TokenLine, at: int) -> Detection | None:
    """Return the department of "Innere Medizin III"; `at` is the subject's last word."""
    end_token = at + 1
    if line.next_word(end_token) not in _ROMAN or line.next_word(end_token + 1) == ".":
        return None
    start_token = _adjectives_start(line, at)
    return line.detection(start_token, _continuation_end(line, end_token + 1), PhiType.DEPARTMENT, "department", 0.8)


def _adjectives_start(line: TokenLine, at: int) -> int:
    """Return the first of the disciplines' adjectives before `at`: "Chirurgische Abteilung"; `at` without one."""
    while (
        line.adjacent(at)
        and line.bits[at - 1] & flags.DISCIPLINE_ADJECTIVE
        and line.bits[at - 1] & flags.INITIAL_CAPITAL
    ):
        at -= 1
    return at


def _ordinal_start(line: TokenLine, start_token: int) -> int:
    """Return the start of "II. Medizinische Klinik", given the adjective's token."""
    if not line.adjacent(start_token):
        return start_token
    if line.word(start_token - 1) in ("I.", "V.", "l."):
        return start_token - 1
    if line.word(start_token - 1) == "." and line.glued(start_token - 1) and line.word(start_token - 2) in _ROMAN:
        return start_token - 2
    return start_token


def _numeral_end(line: TokenLine, at: int) -> int:
    """Return the end of a Roman number, or of a digit before a mark or the line's end."""
    word = line.next_word(at)
    if word in _ROMAN:
        return at + 1
    following = line.next_word(at + 1)
    return at + 1 if word in tuple("123456789") and (not following or following in ",;)–-") else at


def _continuation_end(line: TokenLine, at: int) -> int:
    """Return the end of " – Kardiologie, Angiologie" or "(Gastroenterologie, Hepatologie)" after a designation."""
    word = line.next_word(at)
    if word in _DASHES and not line.glued(at + 1):
        end_token = _subjects_end(line, at + 1, strict=True)
        return end_token if end_token > at + 1 else at
    if word == "(":
        end_token = _subjects_end(line, at + 1, strict=True)
        return end_token + 1 if end_token > at + 1 and line.next_word(end_token) == ")" else at
    return at


def placed_end(line: TokenLine, at: int) -> int:
    """Return the end of a place directly after a designation: "Potsdam-West", "Bad Oldesloe"."""
    bits = line.next_bits(at)
    if bits & flags.TOWN_PREFIX and bits & flags.INITIAL_CAPITAL and line.next_bits(at + 1) & flags.INITIAL_CAPITAL:
        return at + 2
    if bits & flags.LISTED_PLACE and bits & flags.NAME_FORM:
        return at + 1
    lone = bits & flags.INITIAL_CAPITAL and not bits & (
        flags.ORDINARY | flags.ORDINARY_COMPOUND | flags.ACADEMIC_TITLE | flags.ANY_HEAD
    )
    if lone and len(line.word(at)) > _MAX_LETTERS_OF_NAME and not line.adjacent(at + 1):
        return at + 1
    return named_and_placed_end(line, at)


def named_and_placed_end(line: TokenLine, at: int) -> int:
    """Return the end of an unknown word and the town after it: "Seeblick Musterstadt"."""
    bits, placed = line.next_bits(at), line.next_bits(at + 1)
    unknown = bits & flags.INITIAL_CAPITAL and not bits & (
        flags.ORDINARY | flags.MEDICAL_WORD | flags.ACADEMIC_TITLE | flags.ANY_HEAD
    )
    return at + 2 if unknown and placed & flags.LISTED_PLACE and placed & flags.NAME_FORM else at


def _subjects_end(line: TokenLine, at: int, *, strict: bool) -> int:
    """Return the end of the subjects from `at` on.

    strict: each must be a known subject, because no "für" precedes.
    """
    end_token = _subject_end(line, at, strict=strict)
    while at < end_token < at + _MAX_SUBJECTS:
        joint = line.next_word(end_token)
        if joint in _AND:
            following = _subject_end(line, end_token + 1, strict=strict)
        elif joint == ",":
            following = _subject_end(line, end_token + 1, strict=True)
        else:
            break
        if following == end_token + 1:
            break
        end_token = following
    return end_token


def _subject_end(line: TokenLine, at: int, *, strict: bool) -> int:
    """Return the end of one subject: "Innere Medizin", "Kinder-", "psychosomatische Medizin"."""
    end_token = at
    while end_token < at + 3 and _describes(line, end_token):
        end_token += 1
    bits = line.next_bits(end_token)
    if not bits & flags.INITIAL_CAPITAL or bits & (flags.ACADEMIC_TITLE | flags.DEPARTMENT_UNIT):
        described = (
            end_token > at
            and line.bits[end_token - 1] & flags.INITIAL_CAPITAL
            and line.bits[end_token - 1] & flags.DISCIPLINE
        )
        return end_token if described else at
    if line.glued(end_token + 1) and line.word(end_token + 1) == "-":
        return end_token + 2 if line.next_word(end_token + 2) in (*_AND, ",") else at
    known = bits & (flags.DISCIPLINE | flags.SPECIALTY)
    return end_token + 1 if known or not strict else at


def _describes(line: TokenLine, at: int) -> bool:
    """Return whether the word is an adjective before a subject."""
    word, bits = line.next_word(at), line.next_bits(at)
    if not word or not line.next_bits(at + 1) & flags.INITIAL_CAPITAL:
        return False
    if bits & flags.INITIAL_CAPITAL:
        return bool(bits & (flags.DISCIPLINE_ADJECTIVE | flags.ADJECTIVE)) or word in (
            "Innere",
            "Thorakale",
            "Spezielle",
            "INNERE",
        )
    return word.isalpha() and len(word) > 5 and word.endswith(("e", "en", "er"))
