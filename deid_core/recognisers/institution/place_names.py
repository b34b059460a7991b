"""Places that are no town: mountains, valleys, waters, roads, inns, farms and buildings by name.

| what stands there                                                     | rule           | score |
|---|---|---|
| a kind of place and its name: "Alp Musterboden", "Flughafen Bremen"   | place.head     | 0.80  |
| behind a preposition a word that ends like a landscape's: "am Lerbach"| place.ending   | 0.70  |
| the same without an article, a village: "in Lerbach"                  | town.ending    | 0.70  |
| an adjective and a landscape: "Neuwieder Weiher", "Frisches Haff"     | place.adjective| 0.80  |
| a river, sea or mountain behind a preposition: "an der Elbe"          | place.water    | 0.80  |
| a road's number where somebody drives: "auf der B 72 verunglückt"     | place.road     | 0.75  |
| "Haus", "Gebäude" and a number, nothing behind: "Haus 31"             | place.building | 0.60  |
"""

from __future__ import annotations

import re

import numpy as np

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.flags import lowered
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.institution import flags, place_words
from deid_core.text.token_line import TokenLine
from deid_core.text.vocabulary import TypeFeature, Vocabulary

HEAD, ENDING, LANDSCAPE, WATER, ROAD, BUILDING = 1, 2, 4, 8, 16, 32
"""What a word may be of a place's name; see the module's table."""
_MIN_STEM = 3
_BODILY = ("horn", "stein", "gut", "kanal", "graben", "pass", "turm", "busen", "park", "halle")
"""Endings of anatomy and of everyday things, where a compound of two known words is no name: "Hinterhorn"."""
_HORNS = ("hinterhorn", "vorderhorn")
_ROAD_WORD = re.compile(r"[ABFLKS]\d{0,3}")
_ROAD = re.compile(r"[ABFLKS][ ]?\d{1,4}(?![\w.,/-])")
_DRIVING = re.compile(
    r"(?i)fahr|unfall|verunglü|auto|pkw|lkw|motorrad|strecke|richtung|stau\b|straße|anfahrt|kollid|prallt|anschlussst"
)
_DRIVING_WINDOW = 90
_BUILDING = re.compile(r"[ ](?:\d{1,3}|[A-H])(?:\.\d)?(?:[ ]Ebene[ ]\d)?(?=[ ]*(?:$|[\t\n,;|·)]|[ ]{2}))")
_NO_NAME = flags.MEDICAL | flags.TITLE | flags.LEGAL | flags.ORGANISATION | flags.HOSPITAL | flags.WARD
_COMMON = flags.TERM | flags.COMPOUND | flags.ADJECTIVE
_FRAMES = ("zum", "zur", "zu", "am", "im", "an")


def place_column(gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeFeature:
    """A column of this module's bits."""
    ordinary = lowered(gazetteer, "common_word", "medical_word", "clinic_word", "stop_word", "first_name", "surname")
    return TypeFeature(vocabulary, lambda word: _bits(word, ordinary), np.uint8)


def _bits(word: str, ordinary: frozenset[str]) -> int:
    lower = word.lower()
    bits = HEAD if lower in place_words.HEADS and (word[0].isupper() or lower not in place_words.WIDE_HEADS) else 0
    if _ROAD_WORD.fullmatch(word):
        bits |= ROAD
    if lower in ("haus", "geb.", "gebäude", "bau"):
        bits |= BUILDING
    if word.capitalize() in place_words.WATERS:
        bits |= WATER
    if lower in place_words.LANDSCAPES and word[0].isupper():
        bits |= LANDSCAPE
    if word[0].isupper() and word.isalpha() and lower not in ordinary and _ends_like_a_place(lower):
        bits |= ENDING
    return bits


def _ends_like_a_place(lower: str) -> bool:
    """Whether a word in lower case has the ending of a landscape or building behind what may be a name."""
    if not lower.endswith(place_words.ENDINGS) or lower.endswith(_HORNS):
        return False
    ending = max((end for end in place_words.ENDINGS if lower.endswith(end)), key=len)
    stem = lower[: -len(ending)]
    stems = {stem, stem.removesuffix("s"), stem.removesuffix("en"), stem.removesuffix("n")}
    return len(stem) >= _MIN_STEM and not stems & place_words.NO_STEMS


def place(line: TokenLine, at: int, bits: int) -> Detection | None:
    """The place whose word stands at `at`; bits: the word's of this module."""
    if bits & ROAD and (road := _road(line, at)):
        return road
    if bits & BUILDING and (code := _BUILDING.match(line.text, line.end(at))):
        return line.detection_of(line.start(at), code.end(), PhiType.PLACE, "place.building", 0.6)
    if bits & LANDSCAPE and (called := _called(line, at)):
        return called
    if bits & HEAD and (named := _headed(line, at)):
        return named
    near = _near(line, at) if bits & (WATER | ENDING) else ""
    if not near or line.next_word(at + 1)[:1].isdigit():  # "Am Lerbach 3" is a street.
        return None
    if bits & WATER and near != "in":
        of_town = near == "der" and at > 2 and line.bits[at - 3] & flags.PLACE  # "Musterstadt an der Drau".
        return None if of_town else line.detection(at, at + 1, PhiType.PLACE, "place.water", 0.8)
    if not bits & ENDING:
        return None
    if line.bits[at] & (flags.MEDICAL | flags.TERM | flags.ANY_HEAD | flags.WARD):
        return None
    if line.bits[at] & flags.COMPOUND and line.word(at).lower().endswith(_BODILY):
        return None
    phi = PhiType.TOWN if near == "in" else PhiType.PLACE
    return line.detection(at, at + 1, phi, f"{phi}.ending", 0.7)


def _near(line: TokenLine, at: int) -> str:
    """How a preposition of place stands before: "der" with an article, "am" with one in it, "in" bare; "" if not.

    A bare "von" stands before surnames more often.
    """
    before = line.word(at - 1).lower() if line.adjacent(at) else ""
    if before in place_words.ARTICLES and line.adjacent(at - 1):
        return "der" if line.word(at - 2).lower() in place_words.NEAR else ""
    if before not in place_words.NEAR or before == "von":
        return ""
    return "in" if before in place_words.BARE else "am"


def _headed(line: TokenLine, at: int) -> Detection | None:
    """The place of "Alp Musterboden", "Gasthof zur Post", "Kapelle St. Anna"; `at` is the kind of place."""
    last = at + 1
    wide = line.word(at).lower() in place_words.WIDE_HEADS
    if wide and not _near(line, at):
        return None
    framed = line.next_word(last).lower() in _FRAMES
    if framed and line.next_bits(last + 1) & flags.CAPITAL:
        if wide and line.next_word(last)[0].islower():
            return None
        last += 1
    if line.next_word(last) in ("St.", "Sankt", "ST.", "Bad"):
        last += 1
    bits = line.next_bits(last)
    if not bits & flags.CAPITAL or bits & _NO_NAME or len(line.word(last)) < _MIN_STEM:
        return None
    if bits & _COMMON and not bits & flags.PLACE and not framed and (wide or not _near(line, at)):
        return None
    last += 1
    behind = line.next_bits(last)
    if behind & flags.CAPITAL and behind & flags.NAMELIKE and not behind & _NO_NAME:
        last += 1
    return line.detection(at, last, PhiType.PLACE, "place.head", 0.8)


def _called(line: TokenLine, at: int) -> Detection | None:
    """The place of "Neuwieder Weiher", "Schwarzen Meer"; `at` is the landscape."""
    if not line.adjacent(at):
        return None
    before, bits = line.word(at - 1), line.bits[at - 1]
    town = before[0].isupper() and before.lower().endswith("er") and len(before) > 5
    town = town and not bits & (flags.MEDICAL | flags.TERM | flags.COMPOUND | flags.TITLE)
    described = before[0].isupper() and before.lower() in place_words.ADJECTIVES and not line.opens(at - 1)
    if not town and not described:
        return None
    return line.detection(at - 1, at + 1, PhiType.PLACE, "place.adjective", 0.8)


def _road(line: TokenLine, at: int) -> Detection | None:
    """The road whose letter or number stands at `at`, if somebody drives near it."""
    before = line.word(at - 1).lower() if line.adjacent(at) else ""
    code = _ROAD.match(line.text, line.start(at)) if before in ("der", "die", "autobahn", "bundesstraße") else None
    if code is None:
        return None
    around = line.text[max(0, code.start() - _DRIVING_WINDOW) : code.end() + _DRIVING_WINDOW // 2]
    sure = before not in ("der", "die") or _DRIVING.search(around) is not None
    return line.detection_of(*code.span(), PhiType.PLACE, "place.road", 0.75) if sure else None
