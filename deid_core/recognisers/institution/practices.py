"""Laboratories and practices named by their subject and a bare name, and hospitals by abbreviation and place.

| text                                                                 | rule                | score |
|---|---|---|
| a subject that sends findings, and a name: "Labor Elbmarsch"         | hospital.subject    | 0.75  |
| the same and its owner: "Labor Dr. Muster und Kollegen, Musterstadt" | hospital.subject    | 0.75  |
| any other subject and a listed town: "Humangenetik Musterstadt"      | hospital.subject    | 0.60  |
| a hospital's abbreviation and a listed town: "KS Musterstadt"        | hospital.letters    | 0.75  |
| the abbreviation of a hospital that the note spells out: "UKX"       | hospital.short      | 0.80  |
| an abbreviation like a hospital's after a preposition: "ans UKX"     | hospital.letters    | 0.60  |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_list
from deid_core.recognisers.institution import flags
from deid_core.recognisers.institution.compute_flags import PLACED_ABBREVIATIONS
from deid_core.text.token_line import TokenLine

_SENDERS = word_list("institution/sender-subjects")
_NO_NAME = flags.ORDINARY | flags.MEDICAL_WORD | flags.ACADEMIC_TITLE | flags.ANY_TRIGGER | flags.ADJECTIVE
_PARTNERS = frozenset({"Kollegen", "Partner", "Kollege", "Kolleginnen", "KOLLEGEN", "PARTNER"})
_MAX_NAMES = 3
_CAPITAL_WORD = re.compile(r"[A-ZÄÖÜ][a-zäöüß]{2,40}")
_OF_COMPOUND = {
    "universitätsklinikum": "UK", "universitätsklinik": "UK", "universitätsmedizin": "UM", "kantonsspital": "KS",
    "landeskrankenhau": "LKH", "universitätsspital": "US", "kreiskrankenhau": "KKH", "unfallkrankenhau": "UKH",
}  # fmt: skip
"""Compounds that an abbreviation gives more than one letter, without the ending of the genitive."""
_FREE_ABBREVIATIONS = frozenset({"KSU", "NRZ"})
"""Abbreviations that need a place, or a preposition of moving before them."""
_MOVING = frozenset("im ins ans vom zum dem nach am ad beim aus".split())
_NO_HOSPITAL_BEFORE = frozenset("mg ml positiv negativ neg. pos. Wert Score Test".split())


def sender(line: TokenLine, at: int) -> Detection | None:
    """Return the laboratory, pathology or practice whose subject is at `at`."""
    word = line.word(at).lower()
    if line.adjacent(at) and line.word(at - 1).lower() in ("für", "f.", "fuer", "und", "u.", "in", "facharzt"):
        return None
    if not word.endswith(_SENDERS):
        bits = line.next_bits(at + 1)
        town = (
            bits & flags.LISTED_PLACE and bits & flags.NAME_FORM and not bits & (flags.PERSON_NAME | flags.ANY_TRIGGER)
        )
        return line.detection(at, at + 2, PhiType.HOSPITAL, "hospital.subject", 0.6) if town else None
    end_token = _owner_end(line, at + 1)
    if end_token == at + 1:
        end_token = _name_end(line, at + 1)
    if end_token == at + 1:
        return None
    return line.detection(at, _town_end(line, end_token), PhiType.HOSPITAL, "hospital.subject", 0.75)


def _name_end(line: TokenLine, at: int) -> int:
    """Return the end of a name of up to three words that are no common words; `at` if there is none."""
    end_token = at
    while end_token < at + _MAX_NAMES:
        bits = line.next_bits(end_token)
        if (
            not bits & flags.INITIAL_CAPITAL
            or bits & (_NO_NAME | flags.LEGAL_FORM | flags.ORDINARY_COMPOUND)
            or len(line.word(end_token)) < 4
        ):
            break
        end_token += 1
    return end_token


def _owner_end(line: TokenLine, at: int) -> int:
    """Return the end of "Dr. Muster und Kollegen", "Dres. Muster & Beispiel"; `at` if there is no title."""
    end_token = at
    while line.next_bits(end_token) & flags.ACADEMIC_TITLE or (end_token > at and line.next_word(end_token) == "."):
        end_token += 1
    if (
        end_token == at
        or not line.next_bits(end_token) & flags.INITIAL_CAPITAL
        or line.next_bits(end_token) & flags.MEDICAL_WORD
    ):
        return at
    end_token += 1
    if (
        line.next_word(end_token) in ("und", "u.", "&", "+", "UND")
        and line.next_bits(end_token + 1) & flags.INITIAL_CAPITAL
    ):
        joined = line.next_word(end_token + 1) in _PARTNERS or not line.next_bits(end_token + 1) & _NO_NAME
        end_token += 2 if joined else 0
    return end_token


def _town_end(line: TokenLine, end_token: int) -> int:
    """Return the end of the town after a name, with or without a comma; `end_token` if there is none."""
    at = end_token + 1 if line.next_word(end_token) == "," and not line.glued(end_token + 1) else end_token
    bits = line.next_bits(at)
    return at + 1 if bits & flags.LISTED_PLACE and bits & flags.NAME_FORM and not bits & flags.ANY_HEAD else end_token


def abbreviated(line: TokenLine, at: int) -> Detection | None:
    """Return the hospital whose abbreviation is at `at`, with its town if one follows."""
    word, bits = line.word(at), line.next_bits(at + 1)
    if word in PLACED_ABBREVIATIONS:
        if bits & flags.LISTED_PLACE and bits & flags.NAME_FORM and len(line.word(at + 1)) > 3:
            return line.detection(at, at + 2, PhiType.HOSPITAL, "hospital.letters", 0.75)
        if word in ("SMZ", "UK") and line.next_word(at + 1) in ("Ost", "Süd", "Nord", "West"):
            return line.detection(at, at + 2, PhiType.HOSPITAL, "hospital.letters", 0.75)
    if word in PLACED_ABBREVIATIONS and word not in _FREE_ABBREVIATIONS:
        return None
    moving = line.adjacent(at) and line.word(at - 1) in _MOVING
    if not moving or line.next_word(at + 1) in _NO_HOSPITAL_BEFORE:
        return None
    return line.detection(at, at + 1, PhiType.HOSPITAL, "hospital.letters", 0.6)


def short_names(line: TokenLine, hospitals: Iterable[Detection], abbreviations: Iterable[int]) -> Iterator[Detection]:
    """Yield abbreviations of hospitals that the note spells out: "UKX" for "Universitätsklinikum Xanten".

    abbreviations: the tokens with the flag HOSPITAL_ABBREVIATION.
    """
    tokens = list(abbreviations)
    if not tokens:
        return
    spelt = [line.text[hospital.start : hospital.end] for hospital in hospitals if hospital.type is PhiType.HOSPITAL]
    short = {initials for name in spelt for initials in _initials(name)}
    for at in tokens:
        if line.word(at) in short:
            yield line.detection(at, at + 1, PhiType.HOSPITAL, "hospital.short", 0.8)


def _initials(name: str) -> Iterator[str]:
    """Yield UKX and UX for "Universitätsklinikum Xanten", KX for "Klinikum Xanten"."""
    parts = _CAPITAL_WORD.findall(name.title() if name.isupper() else name)
    if len(parts) > 1:
        yield "".join(part[0] for part in parts)
        yield "".join(_OF_COMPOUND.get(part.lower().rstrip("s"), part[0]) for part in parts)
