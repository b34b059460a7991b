"""Wards by their code or name: "Station 3B", "Stroke Unit B2", "verlegt auf die C4", "zurück auf 2 Ost".

| what stands there                                               | rule       | score |
|---|---|---|
| "Station" with a number or letters: "Station 3B", "Stat. K2"    | ward       | 0.85  |
| a ward's letters and a number: "ITS 1", "Intensiv 3", "KMT 2"   | ward       | 0.85  |
| "Station" with a name: "Station Virchow"                        | ward       | 0.80  |
| the same with a common word as its name: "Station Hummel"       | ward       | 0.65  |
| a subject with a code: "Chirurgie A3", "Gyn 3", "Abteilung F 4" | ward       | 0.70  |
| a code alone, where somebody is moved: "verlegt von A3 nach B1" | ward.moved | 0.70  |

A code alone may be a vertebra ("Höhe C4") or a road ("auf der A7"): words of moving or lying must stand before it.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.recognisers.institution import flags
from deid_core.text.token_line import TokenLine

_NO_CODE_BEHIND = (
    r"(?!\w|[.,:/-]{1,2}\d|\.?[ ]?(?:Tag|tägig|Woch|Monat|Std|Stund|Jahr|Uhr|mal\b|[xh]\b|[%€]|mg|Pat|Bett)|\.[ ]?\d)"
)
_DIRECTION = r"(?:[ ]?(?i:Nord|Süd|Ost|West|Mitte|Luv|Lee|Männer|Maenner|Frauen)\b)?"
_CODE = rf"""
    (?:(?!Tag|Nr|Tel|Seite|Fax|am|vom|bis|ab|seit|um|mit|zu)[A-Za-zÄÖÜäöü]{{1,7}}\.?[ -]?)?
    \d{{1,3}}(?:[ ]?[a-zA-Z](?!\w))?(?:[.]\d(?!\d|\.))?(?:/(?:\d|I{{1,3}})(?!\w))?{_DIRECTION}{_NO_CODE_BEHIND}
  | (?:I{{1,3}}|IV|VI{{0,3}}|lll?)(?![\w.])
  | [A-Z](?:[A-Z](?=[ ]?[,;)\n\t]))?(?![\w.])
"""
_BEHIND_WORD = re.compile(rf"[ \u00a0]{{1,2}}(?:{_CODE})", re.VERBOSE)
_IN_FIELD = re.compile(
    rf"[ ]{{0,9}}:?[ ]?[\t:\n][ \t]{{0,12}}(?P<code>(?:{_CODE})(?:[ ][A-ZÄÖÜ][a-zäöüß]{{1,20}})?)"
    rf"(?=[ ]*(?:$|[\t\n,;(/])|[ ]{{2}})",
    re.VERBOSE,
)
_LETTERED = re.compile(rf"[ ]?(?:[1-9]\d?[a-z]?|[A-E](?=[ ]?[,;.)\n\t]))(?:/\d)?{_DIRECTION}{_NO_CODE_BEHIND}")
_SHORT = {
    "st.": re.compile(rf"[ \u00a0]?\d{{1,3}}(?:[ ]?[a-zA-Z](?!\w))?{_DIRECTION}{_NO_CODE_BEHIND}"),
    "its": _LETTERED,
    "imc": _LETTERED,
    "ips": _LETTERED,
    "kmt": _LETTERED,
    "wb": _LETTERED,
    "intensiv": _LETTERED,
    "intensivstation": re.compile(rf"[ ](?:ITS|IMC|IPS)?[ ]?(?:{_CODE})", re.VERBOSE),
    "ebene": re.compile(r"[ ]\d{1,2}[a-z]?[ ](?i:Nord|Süd|Ost|West)\b"),
}
_BEFORE_SHORT = frozenset("auf von nach unserer der zur station zurück an verlegt".split())
_ASKING = frozenset({"st.", "wb", "kmt", "ips"})
"""Short words that mean something else as well: a line must begin with them, or one of the words above stand before."""
_OF_SUBJECT = re.compile(
    rf"\.?[ ](?:(?:Station[ ])?[A-Z]-?\d{{1,2}}[a-z]?|[A-Z][ ]\d{{1,2}}|[1-9](?=[ ]?(?:[,;)\n\t]|Sr\.))|I{{1,3}}|IV)"
    rf"{_NO_CODE_BEHIND}(?!\.?\w)"
)
_MAX_LETTERS_OF_NAME = 3
"""Station CPU, IMC: no person's name."""
_NO_WARD_NAME = (
    "ung", "ion", "heit", "keit", "nahme", "gabe", "tät", "ment", "gang", "arzt", "ärztin", "ärzte", "team",
)  # fmt: skip
"""Endings of what happens on a ward and of who works there."""
_MOVING = re.compile(
    r"(?i:verleg|übern|uebern|überwach|rückverl|zurück|wieder|intern|bett\b|liegt|lieg\b|isolier|aufnahme|aufgenommen"
    r"|drainage|high-?flow|station|its\b|kommt|extubiert)[^.;\n]{0,40}$"
)
"""Before a code within a sentence. A full stop of a date does not end it: it is taken out before."""
_DATE_STOP = re.compile(r"(?<=\d)\.")
_MOVED = re.compile(
    rf"(?:[A-Z]-?[ ]?\d{{1,2}}(?:\.\d)?[a-z]?|[a-z]\d|\d{{1,2}}[a-zA-Z]|M\d-\d|\d{{1,2}}[ ](?i:Nord|Süd|Ost|West))"
    rf"{_DIRECTION}{_NO_CODE_BEHIND}"
)
_WINDOW = 70
INTO, ARTICLE, CODE = 1, 2, 4
"""What a word may be before a code alone: a preposition, an article, the code's first token."""
_ROLES = {
    **dict.fromkeys("auf von nach ad aus".split(), INTO),
    **dict.fromkeys("der die dem unsere unserer".split(), ARTICLE),
}
_CODE_WORD = re.compile(r"[A-Z]-?\d{0,2}(?:-\d)?[a-z]?|[a-z]\d|\d{1,2}[a-zA-Z]?")


def role(word: str) -> int:
    """What the word may be of "verlegt auf die C4", by the bits above."""
    if found := _ROLES.get(word.lower()):
        return found
    return CODE if len(word) <= 4 and _CODE_WORD.fullmatch(word) else 0


def code_places(roles: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """The tokens that may be a code behind a preposition, with or without an article between."""
    into, article = (roles == INTO)[:-1], (roles == ARTICLE)[:-1]
    into[1:] |= article[1:] & into[:-1]
    codes: npt.NDArray[np.intp] = ((roles[1:] == CODE) & into).nonzero()[0] + 1
    return codes


def ward(line: TokenLine, at: int) -> Detection | None:
    """The ward whose word stands at `at`: the word and its code or name; behind a field's label the code alone."""
    word = line.word(at).lower()
    end = line.end(at)
    if word in _SHORT:
        said = word not in _ASKING or line.opens(at) or line.word(at - 1).lower() in _BEFORE_SHORT
        code = _SHORT[word].match(line.text, end) if said else None
        return _coded(line, line.start(at), code.end()) if code else None
    if word == "unit" and line.adjacent(at):
        code = _BEHIND_WORD.match(line.text, end) if line.word(at - 1).lower() == "stroke" else None
        return _coded(line, line.start(at - 1), code.end()) if code else None
    if code := _BEHIND_WORD.match(line.text, end):
        return _coded(line, line.start(at), code.end())
    if code := _IN_FIELD.match(line.text, end):
        return _coded(line, code.start("code"), code.end("code"))
    return _named_ward(line, at)


def ward_of_subject(line: TokenLine, at: int) -> Detection | None:
    """The ward of "Chirurgie A3", "Gyn 3", "Abteilung F 4"; `at` is the subject."""
    code = _OF_SUBJECT.match(line.text, line.end(at))
    if code is None or (not line.bits[at] & flags.NUMBERED and code.group().strip().isdigit()):
        return None
    return _coded(line, line.start(at), code.end(), score=0.7)


def moved_ward(line: TokenLine, at: int) -> Detection | None:
    """The ward whose code stands alone at `at`, behind a preposition."""
    code = _MOVED.match(line.text, line.start(at))
    if code is None:
        return None
    before = _DATE_STOP.sub(" ", line.text[max(0, code.start() - _WINDOW) : code.start()])
    return _coded(line, *code.span(), "ward.moved", 0.7) if _MOVING.search(before) else None


def _named_ward(line: TokenLine, at: int) -> Detection | None:
    """The ward of "Station Elisabeth 2", "Station Robert Koch"; of a common word if a name's place is there."""
    last = at + 1
    if line.next_word(last) in ("de", "von", "van"):
        last += 1
    bits = line.next_bits(last)
    if not bits & flags.CAPITAL or len(line.word(last)) <= _MAX_LETTERS_OF_NAME:
        return None
    no_name = flags.ANY_TRIGGER | flags.ADJECTIVE | flags.COMPOUND
    no_name |= flags.MEDICAL if bits & flags.PERSON or line.word(at).lower() == "wohnbereich" else flags.TERM
    common = bool(bits & no_name)
    if common and (bits & (flags.MEDICAL | flags.DISCIPLINE | flags.ANY_TRIGGER) or not _may_be_called(line, at)):
        return None
    last += 1
    second = line.next_bits(last)
    if second & flags.PERSON and second & flags.CAPITAL and not second & flags.MEDICAL:
        last += 1
    number = line.next_word(last)
    if number.isdigit() and len(number) == 1 and line.next_word(last + 1)[:1] in ("", ",", ".", ")", ";"):
        last += 1
    return line.detection(at, last, PhiType.DEPARTMENT, "ward", 0.65 if common else 0.8)


def _may_be_called(line: TokenLine, at: int) -> bool:
    """Whether a common word behind "Station" is its name: no happening, behind an article or where a line begins."""
    name = line.word(at + 1)
    placed = line.opens(at) or line.word(at - 1) in ("der", "die", "unserer", "unsere", "(", ",")
    return placed and name.istitle() and not name.lower().endswith(_NO_WARD_NAME)


def _coded(line: TokenLine, start: int, end: int, rule: str = "ward", score: float = 0.85) -> Detection:
    return line.detection_of(start, end, PhiType.DEPARTMENT, rule, score)
