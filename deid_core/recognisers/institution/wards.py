"""Wards by code or name: "Station 3B", "Stroke Unit B2", "Chirurgie A3".

| text                                                            | rule       | score |
|---|---|---|
| "Station" with a number or letters: "Station 3B", "Stat. K2"    | ward       | 0.85  |
| a ward's abbreviation and a number: "ITS 1", "Intensiv 3"       | ward       | 0.85  |
| "Station" with a name: "Station Virchow"                        | ward       | 0.80  |
| the same with a common word as its name: "Station Hummel"       | ward       | 0.65  |
| a subject with a code: "Chirurgie A3", "Gyn 3", "Abteilung F 4" | ward       | 0.70  |

A code alone is none: it may be a vertebra ("Höhe C4") or a road ("auf der A7").
"""

from __future__ import annotations

import re

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.core.word_lists import alternatives, word_list
from deid_core.recognisers.institution import flags
from deid_core.text.token_line import TokenLine

_NO_CODE_AFTER = (
    r"(?!\w|[.,:/-]{1,2}\d|\.?[ ]?(?:Tag|tägig|Woch|Monat|Std|Stund|Jahr|Uhr|mal\b|[xh]\b|[%€]|mg|Pat|Bett)"
    r"|\.[ ]?(?:[-–—/][ ]?)?\d)"
)
_DIRECTION = r"(?:[ ]?(?i:Nord|Süd|Ost|West|Mitte|Luv|Lee|Männer|Maenner|Frauen)\b)?"
_CODE = rf"""
    (?:(?!{alternatives("institution/not-ward-codes")})[A-Za-zÄÖÜäöü]{{1,7}}\.?[ -]?)?
    \d{{1,3}}(?:[ ]?[a-zA-Z](?!\w))?(?:[.]\d(?!\d|\.))?(?:/(?:\d|I{{1,3}})(?!\w))?{_DIRECTION}{_NO_CODE_AFTER}
  | (?:I{{1,3}}|IV|VI{{0,3}}|lll?)(?![\w.])
  | [A-Z](?:[A-Z](?=[ ]?[,;)\n\t]))?(?![\w.])
"""
_AFTER_WORD = re.compile(rf"[ \u00a0]{{1,2}}(?:{_CODE})", re.VERBOSE)
_IN_FIELD = re.compile(
    rf"[ ]{{0,9}}:?[ ]?[\t:\n][ \t]{{0,12}}(?P<code>(?:{_CODE})(?:[ ][A-ZÄÖÜ][a-zäöüß]{{1,20}})?)"
    rf"(?=[ ]*(?:$|[\t\n,;(/])|[ ]{{2}})",
    re.VERBOSE,
)
_SHORT_CODE = re.compile(rf"[ ]?(?:[1-9]\d?[a-z]?|[A-E](?=[ ]?[,;.)\n\t]))(?:/\d)?{_DIRECTION}{_NO_CODE_AFTER}")
_CODE_AFTER_SHORT = {
    "st.": re.compile(rf"[ \u00a0]?\d{{1,3}}(?:[ ]?[a-zA-Z](?!\w))?{_DIRECTION}{_NO_CODE_AFTER}"),
    "its": _SHORT_CODE,
    "imc": _SHORT_CODE,
    "ips": _SHORT_CODE,
    "kmt": _SHORT_CODE,
    "wb": _SHORT_CODE,
    "intensiv": _SHORT_CODE,
    "intensivstation": re.compile(rf"[ ](?:ITS|IMC|IPS)?[ ]?(?:{_CODE})", re.VERBOSE),
    "ebene": re.compile(r"[ ]\d{1,2}[a-z]?[ ](?i:Nord|Süd|Ost|West)\b"),
}
_BEFORE_SHORT = frozenset("auf von nach unserer der zur station zurück an verlegt".split())
_AMBIGUOUS_SHORT = frozenset({"st.", "wb", "kmt", "ips"})
"""Short words with another meaning: they must begin a line or follow one of the words above."""
_OF_SUBJECT = re.compile(
    rf"\.?[ ](?:(?:Station[ ])?[A-Z]-?\d{{1,2}}[a-z]?|[A-Z][ ]\d{{1,2}}|[1-9](?=[ ]?(?:[,;)\n\t]|Sr\.))|I{{1,3}}|IV)"
    rf"{_NO_CODE_AFTER}(?!\.?\w)"
)
_MAX_LETTERS_OF_NAME = 3
"""A word of so many letters or fewer is an abbreviation and no name: Station CPU, IMC."""
_NO_WARD_NAME = word_list("institution/not-ward-name-endings")


def ward(line: TokenLine, at: int) -> Detection | None:
    """Return the ward whose word is at `at`: the word and its code or name, after a field's label the code alone."""
    word = line.word(at).lower()
    end = line.end(at)
    if word in _CODE_AFTER_SHORT:
        allowed = word not in _AMBIGUOUS_SHORT or line.opens(at) or line.word(at - 1).lower() in _BEFORE_SHORT
        code = _CODE_AFTER_SHORT[word].match(line.text, end) if allowed else None
        return _coded(line, line.start(at), code.end()) if code else None
    if word == "unit" and line.adjacent(at):
        code = _AFTER_WORD.match(line.text, end) if line.word(at - 1).lower() == "stroke" else None
        return _coded(line, line.start(at - 1), code.end()) if code else None
    if code := _AFTER_WORD.match(line.text, end):
        return _coded(line, line.start(at), code.end())
    if code := _IN_FIELD.match(line.text, end):
        return _coded(line, code.start("code"), code.end("code"))
    return _named_ward(line, at)


def ward_of_subject(line: TokenLine, at: int) -> Detection | None:
    """Return the ward of "Chirurgie A3", "Gyn 3", "Abteilung F 4"; `at` is the subject."""
    code = _OF_SUBJECT.match(line.text, line.end(at))
    if code is None or (not line.bits[at] & flags.WARD_SUBJECT and code.group().strip().isdigit()):
        return None
    return _coded(line, line.start(at), code.end(), score=0.7)


def _named_ward(line: TokenLine, at: int) -> Detection | None:
    """Return the ward of "Station Elisabeth 2", "Station Robert Koch"; a common word needs the position of a name."""
    end_token = at + 1
    if line.next_word(end_token) in ("de", "von", "van"):
        end_token += 1
    bits = line.next_bits(end_token)
    if not bits & flags.INITIAL_CAPITAL or len(line.word(end_token)) <= _MAX_LETTERS_OF_NAME:
        return None
    no_name = flags.ANY_TRIGGER | flags.ADJECTIVE | flags.ORDINARY_COMPOUND
    no_name |= (
        flags.MEDICAL_WORD if bits & flags.PERSON_NAME or line.word(at).lower() == "wohnbereich" else flags.ORDINARY
    )
    common = bool(bits & no_name)
    if common and (bits & (flags.MEDICAL_WORD | flags.DISCIPLINE | flags.ANY_TRIGGER) or not _may_be_called(line, at)):
        return None
    end_token += 1
    second = line.next_bits(end_token)
    if second & flags.PERSON_NAME and second & flags.INITIAL_CAPITAL and not second & flags.MEDICAL_WORD:
        end_token += 1
    number = line.next_word(end_token)
    if number.isdigit() and len(number) == 1 and line.next_word(end_token + 1)[:1] in ("", ",", ".", ")", ";"):
        end_token += 1
    return line.detection(at, end_token, PhiType.DEPARTMENT, "ward", 0.65 if common else 0.8)


def _may_be_called(line: TokenLine, at: int) -> bool:
    """Return whether a common word after "Station" is its name: no event, and an article or a line's start precedes."""
    name = line.word(at + 1)
    placed = line.opens(at) or line.word(at - 1) in ("der", "die", "unserer", "unsere", "(", ",")
    return placed and name.istitle() and not name.lower().endswith(_NO_WARD_NAME)


def _coded(line: TokenLine, start: int, end: int, score: float = 0.85) -> Detection:
    return line.detection_of(start, end, PhiType.DEPARTMENT, "ward", score)
