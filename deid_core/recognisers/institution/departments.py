"""Names of departments: designations as letterheads and signatures write them; wards.py has the wards.

| what stands there                                                                       | rule       | score |
|---|---|---|
| a unit and its subjects: "Abteilung für Unfallchirurgie", "Klinik für Innere Medizin III" | department | 0.90  |
| a discipline's adjective and a unit: "I. Medizinische Klinik", "Chirurgische Abteilung" | department | 0.85  |
| a subject with a Roman number: "Innere Medizin III"                                     | department | 0.80  |

With a place behind it is the name of a hospital: "Institut für Pathologie Musterstadt". A discipline alone, a unit
alone ("unsere Abteilung") and a practice without a place are no names. "für" takes the subjects as far as "und" and
commas join them.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.recognisers.institution import flags
from deid_core.text.token_line import TokenLine

_ROMAN = frozenset("I II III IV V VI VII lll ll".split())
"""With what a scan makes of III and II."""
_FOR = frozenset({"für", "f.", "f", "fuer", "FÜR", "F.", "FUER"})
_AND = frozenset({"und", "u.", "u", "&", "/", "sowie", "UND", "U."})
_DASHES = frozenset({"-", "–", "—", ":"})
_NAMED_BY_SUBJECT = ("abteilung", "abt.", "sektion", "departement", "department", "fachbereich", "zentrum")
"""Units that a subject without "für" follows: "Sektion Wirbelsäulenchirurgie"."""
_MAX_SUBJECTS = 14
_MAX_LETTERS_OF_NAME = 3
"""Shorter words of capitals are no place."""


def department(line: TokenLine, at: int) -> Detection | None:
    """The department, or with a place behind the hospital, whose unit word stands at `at`."""
    unit, last = line.word(at).lower(), at + 1
    first = _past_branches(line, at)
    branch = first < at and unit != "bereich"
    first = _numbered(line, first)
    if line.next_word(last) in _FOR:
        end = _subjects(line, last + 1, strict=False)
        subject = end > last + 1
    else:
        end = _subjects(line, last, strict=True) if unit.endswith(_NAMED_BY_SUBJECT) else last
        subject = end > last
    if subject:
        last = end
    elif not branch:
        return None
    last = _continued(line, _numeral(line, last))
    placed = placed_end(line, last)
    if placed > last:
        return line.detection(first, placed, PhiType.HOSPITAL, "hospital.subject", 0.9)
    if unit.endswith("praxis") or unit == "bereich":
        return None
    return line.detection(first, last, PhiType.DEPARTMENT, "department", 0.9 if subject else 0.85)


def numbered_subject(line: TokenLine, at: int) -> Detection | None:
    """The department of "Innere Medizin III"; `at` is the subject's last word."""
    last = at + 1
    if line.next_word(last) not in _ROMAN or line.next_word(last + 1) == ".":
        return None
    first = _past_branches(line, at)
    return line.detection(first, _continued(line, last + 1), PhiType.DEPARTMENT, "department", 0.8)


def _past_branches(line: TokenLine, at: int) -> int:
    """The first of the disciplines' adjectives that end before `at`: "Chirurgische Abteilung"; `at` without one."""
    while line.adjacent(at) and line.bits[at - 1] & flags.BRANCH and line.bits[at - 1] & flags.CAPITAL:
        at -= 1
    return at


def _numbered(line: TokenLine, first: int) -> int:
    """The beginning of "II. Medizinische Klinik" for the adjective's place."""
    if not line.adjacent(first):
        return first
    if line.word(first - 1) in ("I.", "V.", "l."):
        return first - 1
    if line.word(first - 1) == "." and line.glued(first - 1) and line.word(first - 2) in _ROMAN:
        return first - 2
    return first


def _numeral(line: TokenLine, at: int) -> int:
    """Past a Roman number or a lone digit that nothing but a mark or the line's end follows."""
    word = line.next_word(at)
    if word in _ROMAN:
        return at + 1
    behind = line.next_word(at + 1)
    return at + 1 if word in tuple("123456789") and (not behind or behind in ",;)–-") else at


def _continued(line: TokenLine, at: int) -> int:
    """Past " – Kardiologie, Angiologie" and "(Gastroenterologie, Hepatologie)" behind a designation."""
    word = line.next_word(at)
    if word in _DASHES and not line.glued(at + 1):
        end = _subjects(line, at + 1, strict=True)
        return end if end > at + 1 else at
    if word == "(":
        end = _subjects(line, at + 1, strict=True)
        return end + 1 if end > at + 1 and line.next_word(end) == ")" else at
    return at


def placed_end(line: TokenLine, at: int) -> int:
    """Past a place directly behind a designation: "Potsdam-West", "Bad Oldesloe"; `at` if there is none."""
    bits = line.next_bits(at)
    if bits & flags.TOWN_PREFIX and bits & flags.CAPITAL and line.next_bits(at + 1) & flags.CAPITAL:
        return at + 2
    if bits & flags.PLACE and bits & flags.NAMELIKE:
        return at + 1
    lone = bits & flags.CAPITAL and not bits & (flags.TERM | flags.COMPOUND | flags.TITLE | flags.ANY_HEAD)
    if lone and len(line.word(at)) > _MAX_LETTERS_OF_NAME and not line.adjacent(at + 1):
        return at + 1
    return named_and_placed_end(line, at)


def named_and_placed_end(line: TokenLine, at: int) -> int:
    """Past an unknown word and a town behind it: "Seeblick Musterstadt"; `at` if they do not stand there."""
    bits, placed = line.next_bits(at), line.next_bits(at + 1)
    unknown = bits & flags.CAPITAL and not bits & (flags.TERM | flags.MEDICAL | flags.TITLE | flags.ANY_HEAD)
    return at + 2 if unknown and placed & flags.PLACE and placed & flags.NAMELIKE else at


def _subjects(line: TokenLine, at: int, *, strict: bool) -> int:
    """The end of the subjects from `at` on; `at` if there is none.

    strict: each must be known as a subject, since no "für" says so.
    """
    end = _subject(line, at, strict=strict)
    while at < end < at + _MAX_SUBJECTS:
        joint = line.next_word(end)
        if joint in _AND:
            behind = _subject(line, end + 1, strict=strict)
        elif joint == ",":
            behind = _subject(line, end + 1, strict=True)
        else:
            break
        if behind == end + 1:
            break
        end = behind
    return end


def _subject(line: TokenLine, at: int, *, strict: bool) -> int:
    """The end of one subject: "Innere Medizin", "Kinder-", "psychosomatische Medizin"; `at` if there is none."""
    end = at
    while end < at + 3 and _describes(line, end):
        end += 1
    bits = line.next_bits(end)
    if not bits & flags.CAPITAL or bits & (flags.TITLE | flags.UNIT):
        described = end > at and line.bits[end - 1] & flags.CAPITAL and line.bits[end - 1] & flags.DISCIPLINE
        return end if described else at
    if line.glued(end + 1) and line.word(end + 1) == "-":
        return end + 2 if line.next_word(end + 2) in (*_AND, ",") else at
    known = bits & (flags.DISCIPLINE | flags.SPECIALTY)
    return end + 1 if known or not strict else at


def _describes(line: TokenLine, at: int) -> bool:
    """Whether the word is an adjective before a subject."""
    word, bits = line.next_word(at), line.next_bits(at)
    if not word or not line.next_bits(at + 1) & flags.CAPITAL:
        return False
    if bits & flags.CAPITAL:
        return bool(bits & (flags.BRANCH | flags.ADJECTIVE)) or word in ("Innere", "Thorakale", "Spezielle", "INNERE")
    return word.isalpha() and len(word) > 5 and word.endswith(("e", "en", "er"))
