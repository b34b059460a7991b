"""Laboratories, pathologies, practices named by their subject and a bare name, and hospitals by letters and place.

| what stands there                                                    | rule                | score |
|---|---|---|
| a subject that sends findings and a name: "Labor Elbmarsch"          | hospital.subject    | 0.75  |
| the same and its owner: "Labor Dr. Muster und Kollegen, Musterstadt" | hospital.subject    | 0.75  |
| any other subject and a listed town: "Humangenetik Musterstadt"      | hospital.subject    | 0.60  |
| letters of a kind of hospital and a listed town: "KS Musterstadt"    | hospital.letters    | 0.75  |
| letters of a hospital that the note spells out: "UKX"                | hospital.short      | 0.80  |
| letters formed like a hospital's, where one is moved to: "ans UKX"   | hospital.letters    | 0.60  |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.recognisers.institution import flags, lists
from deid_core.text.token_line import TokenLine

_SENDERS = (
    "labor", "laboratorium", "pathologie", "radiologie", "nuklearmedizin", "strahlentherapie", "dialyse", "genetik",
    "mikrobiologie", "zytologie", "virologie", "diagnosticum", "kardiopraxis",
)  # fmt: skip
"""Subjects whose bare name is the house's as often as the subject's."""
_NO_NAME = flags.TERM | flags.MEDICAL | flags.TITLE | flags.ANY_TRIGGER | flags.ADJECTIVE
_PARTNERS = frozenset({"Kollegen", "Partner", "Kollege", "Kolleginnen", "KOLLEGEN", "PARTNER"})
_MAX_NAMES = 3
_CAPITAL_WORD = re.compile(r"[A-ZÄÖÜ][a-zäöüß]{2,40}")
_OF_COMPOUND = {
    "universitätsklinikum": "UK", "universitätsklinik": "UK", "universitätsmedizin": "UM", "kantonsspital": "KS",
    "landeskrankenhau": "LKH", "universitätsspital": "US", "kreiskrankenhau": "KKH", "unfallkrankenhau": "UKH",
}  # fmt: skip
"""Compounds that more than one letter stands for, without a genitive's ending."""
_FREE_LETTERS = frozenset({"KSU", "NRZ"})
"""Letters that need a place, or words of moving before them."""
_MOVING = frozenset("im ins ans vom zum dem nach am ad beim aus".split())
_NO_HOSPITAL_BEHIND = frozenset("mg ml positiv negativ neg. pos. Wert Score Test".split())


def sender(line: TokenLine, at: int) -> Detection | None:
    """The laboratory, pathology or practice whose subject stands at `at`."""
    word = line.word(at).lower()
    if line.adjacent(at) and line.word(at - 1).lower() in ("für", "f.", "fuer", "und", "u.", "in", "facharzt"):
        return None
    if not word.endswith(_SENDERS):
        bits = line.next_bits(at + 1)
        town = bits & flags.PLACE and bits & flags.NAMELIKE and not bits & (flags.PERSON | flags.ANY_TRIGGER)
        return line.detection(at, at + 2, PhiType.HOSPITAL, "hospital.subject", 0.6) if town else None
    last = _owned(line, at + 1)
    if last == at + 1:
        last = _named(line, at + 1)
    if last == at + 1:
        return None
    return line.detection(at, _with_town(line, last), PhiType.HOSPITAL, "hospital.subject", 0.75)


def _named(line: TokenLine, at: int) -> int:
    """The end of up to three words of a name, of which the first is no common word."""
    end = at
    while end < at + _MAX_NAMES:
        bits = line.next_bits(end)
        if not bits & flags.CAPITAL or bits & (_NO_NAME | flags.LEGAL | flags.COMPOUND) or len(line.word(end)) < 4:
            break
        end += 1
    return end


def _owned(line: TokenLine, at: int) -> int:
    """The end of "Dr. Muster und Kollegen", "Dres. Muster & Beispiel"; `at` if no title stands there."""
    end = at
    while line.next_bits(end) & flags.TITLE or (end > at and line.next_word(end) == "."):
        end += 1
    if end == at or not line.next_bits(end) & flags.CAPITAL or line.next_bits(end) & flags.MEDICAL:
        return at
    end += 1
    if line.next_word(end) in ("und", "u.", "&", "+", "UND") and line.next_bits(end + 1) & flags.CAPITAL:
        joined = line.next_word(end + 1) in _PARTNERS or not line.next_bits(end + 1) & _NO_NAME
        end += 2 if joined else 0
    return end


def _with_town(line: TokenLine, last: int) -> int:
    """Past the town behind a name, with or without a comma; `last` if there is none."""
    at = last + 1 if line.next_word(last) == "," and not line.glued(last + 1) else last
    bits = line.next_bits(at)
    return at + 1 if bits & flags.PLACE and bits & flags.NAMELIKE and not bits & flags.ANY_HEAD else last


def letters(line: TokenLine, at: int) -> Detection | None:
    """A hospital by its letters alone or with its town; `at` is the word of letters."""
    word, bits = line.word(at), line.next_bits(at + 1)
    if word in lists.PLACED_LETTERS:
        if bits & flags.PLACE and bits & flags.NAMELIKE and len(line.word(at + 1)) > 3:
            return line.detection(at, at + 2, PhiType.HOSPITAL, "hospital.letters", 0.75)
        if word in ("SMZ", "UK") and line.next_word(at + 1) in ("Ost", "Süd", "Nord", "West"):
            return line.detection(at, at + 2, PhiType.HOSPITAL, "hospital.letters", 0.75)
    if word in lists.PLACED_LETTERS and word not in _FREE_LETTERS:
        return None
    moving = line.adjacent(at) and line.word(at - 1) in _MOVING
    if not moving or line.next_word(at + 1) in _NO_HOSPITAL_BEHIND:
        return None
    return line.detection(at, at + 1, PhiType.HOSPITAL, "hospital.letters", 0.6)


def short_names(line: TokenLine, hospitals: Iterable[Detection], lettered: Iterable[int]) -> Iterator[Detection]:
    """Letters that stand for a hospital whose name the note spells out: "UKX" for "Universitätsklinikum Xanten".

    lettered: the tokens that have a hospital's letters.
    """
    at_letters = list(lettered)
    if not at_letters:
        return
    spelt = [line.text[hospital.start : hospital.end] for hospital in hospitals if hospital.type is PhiType.HOSPITAL]
    short = {initials for name in spelt for initials in _initials(name)}
    for at in at_letters:
        if line.word(at) in short:
            yield line.detection(at, at + 1, PhiType.HOSPITAL, "hospital.short", 0.8)


def _initials(name: str) -> Iterator[str]:
    """UKX and UX of "Universitätsklinikum Xanten", KX of "Klinikum Xanten"."""
    parts = _CAPITAL_WORD.findall(name.title() if name.isupper() else name)
    if len(parts) > 1:
        yield "".join(part[0] for part in parts)
        yield "".join(_OF_COMPOUND.get(part.lower().rstrip("s"), part[0]) for part in parts)
