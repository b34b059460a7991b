"""Places other than towns: names of mountains, valleys, waters, roads, inns, farms and buildings.

| text                                                                  | rule           | score |
|---|---|---|
| a kind of place and its name: "Alp Musterboden", "Flughafen Bremen"   | place.head     | 0.80  |
| a preposition and a word with a landscape's ending: "am Lerbach"      | place.ending   | 0.70  |
| the same without an article, a village: "in Lerbach"                  | town.ending    | 0.70  |
| an adjective and a landscape: "Neuwieder Weiher", "Frisches Haff"     | place.adjective| 0.80  |
| a preposition and a river, sea or mountain: "an der Elbe"             | place.water    | 0.80  |
| a road's number near a word of driving: "auf der B 72 verunglückt"    | place.road     | 0.75  |
| "Haus", "Gebäude" and a number that ends the cell: "Haus 31"          | place.building | 0.60  |
"""

from __future__ import annotations

import re
from collections.abc import Container
from enum import IntFlag

import numpy as np

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.core.word_lists import alternatives, word_list, word_set
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.institution import flags
from deid_core.text.token_line import TokenLine
from deid_core.text.vocabulary import TypeFeature, Vocabulary


class PlaceFlag(IntFlag):
    """What a word may be in the name of a place; see the table above."""

    PLACE_HEAD = 1
    """A kind of place: "Flughafen"."""
    PLACE_ENDING = 2
    """A word with the ending of a landscape or building."""
    LANDSCAPE_NOUN = 4
    """Weiher."""
    BODY_OF_WATER = 8
    """A river, sea or mountain."""
    ROAD_NUMBER = 16
    """The letter, with or without the number, of a road: "A7"."""
    BUILDING = 32
    """Haus, Gebäude."""


# Plain integers: arithmetic with members of an IntFlag is slow.
_PLACE_HEAD = PlaceFlag.PLACE_HEAD.value
_PLACE_ENDING = PlaceFlag.PLACE_ENDING.value
_LANDSCAPE_NOUN = PlaceFlag.LANDSCAPE_NOUN.value
_BODY_OF_WATER = PlaceFlag.BODY_OF_WATER.value
_ROAD_NUMBER = PlaceFlag.ROAD_NUMBER.value
_BUILDING = PlaceFlag.BUILDING.value

_HEADS = word_set("institution/place-heads")
_AMBIGUOUS_HEADS = word_set("institution/ambiguous-place-heads")
_ENDINGS = word_list("institution/landscape-endings")
_COMMON_STEMS = word_set("institution/common-landscape-stems")
_LANDSCAPES = word_set("institution/landscape-nouns")
_ADJECTIVES = word_set("institution/landscape-adjectives")
_WATERS = word_set("institution/waters")
_PREPOSITIONS = word_set("institution/place-prepositions")
_BARE_PREPOSITIONS = frozenset({"in", "bei", "nach", "über"})
"""Prepositions that a town follows without an article."""
_ARTICLES = frozenset({"der", "die", "das", "dem", "den"})
_MIN_STEM = 3
_BODILY = ("horn", "stein", "gut", "kanal", "graben", "pass", "turm", "busen", "park", "halle")
"""Endings of anatomy and everyday things; a compound of two known words with one is no name: "Hinterhorn"."""
_HORNS = ("hinterhorn", "vorderhorn")
_ROAD_WORD = re.compile(r"[ABFLKS]\d{0,3}")
_ROAD = re.compile(r"[ABFLKS][ ]?\d{1,4}(?![\w.,/-])")
_DRIVING = re.compile(rf"(?i)stau\b|{alternatives('institution/driving-stems')}")
_DRIVING_WINDOW = 90
_BUILDING_NUMBER = re.compile(r"[ ](?:\d{1,3}|[A-H])(?:\.\d)?(?:[ ]Ebene[ ]\d)?(?=[ ]*(?:$|[\t\n,;|·)]|[ ]{2}))")
_NO_NAME = (
    flags.MEDICAL_WORD
    | flags.ACADEMIC_TITLE
    | flags.LEGAL_FORM
    | flags.ORGANISATION_HEAD
    | flags.HOSPITAL_HEAD
    | flags.WARD_WORD
)
_NO_PLACE_NAME = flags.ORDINARY | flags.ORDINARY_COMPOUND | flags.ADJECTIVE
_FRAMES = ("zum", "zur", "zu", "am", "im", "an")


def place_flags(gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeFeature:
    """Return the PlaceFlag values of the vocabulary's word types."""
    ordinary = gazetteer.lowered("common_word", "medical_word", "clinic_word", "stop_word", "first_name", "surname")
    return TypeFeature(vocabulary, lambda word: _flags_of(word, ordinary), np.uint8)


def _flags_of(word: str, ordinary: Container[str]) -> int:
    lower = word.lower()
    bits = _PLACE_HEAD if lower in _HEADS and (word[0].isupper() or lower not in _AMBIGUOUS_HEADS) else 0
    if _ROAD_WORD.fullmatch(word):
        bits |= _ROAD_NUMBER
    if lower in ("haus", "geb.", "gebäude", "bau"):
        bits |= _BUILDING
    if word.capitalize() in _WATERS:
        bits |= _BODY_OF_WATER
    if lower in _LANDSCAPES and word[0].isupper():
        bits |= _LANDSCAPE_NOUN
    if word[0].isupper() and word.isalpha() and lower not in ordinary and _ends_like_a_place(lower):
        bits |= _PLACE_ENDING
    return bits


def _ends_like_a_place(lower: str) -> bool:
    """Return whether a lower-case word is a possible name with the ending of a landscape or building."""
    if not lower.endswith(_ENDINGS) or lower.endswith(_HORNS):
        return False
    ending = max((end for end in _ENDINGS if lower.endswith(end)), key=len)
    stem = lower[: -len(ending)]
    stems = {stem, stem.removesuffix("s"), stem.removesuffix("en"), stem.removesuffix("n")}
    return len(stem) >= _MIN_STEM and not stems & _COMMON_STEMS


def place(line: TokenLine, at: int, bits: int) -> Detection | None:
    """Return the place whose word is at `at`; bits: the PlaceFlag values of the word."""
    if bits & _ROAD_NUMBER and (road := _road(line, at)):
        return road
    if bits & _BUILDING and (code := _BUILDING_NUMBER.match(line.text, line.end(at))):
        return line.detection_of(line.start(at), code.end(), PhiType.PLACE, "place.building", 0.6)
    if bits & _LANDSCAPE_NOUN and (called := _with_adjective(line, at)):
        return called
    if bits & _PLACE_HEAD and (named := _with_head(line, at)):
        return named
    near = _near(line, at) if bits & (_BODY_OF_WATER | _PLACE_ENDING) else ""
    if not near or line.next_word(at + 1)[:1].isdigit():  # "Am Lerbach 3" is a street.
        return None
    if bits & _BODY_OF_WATER and near != "in":
        of_town = near == "der" and at > 2 and line.bits[at - 3] & flags.LISTED_PLACE  # "Musterstadt an der Drau".
        return None if of_town else line.detection(at, at + 1, PhiType.PLACE, "place.water", 0.8)
    if not bits & _PLACE_ENDING:
        return None
    if line.bits[at] & (flags.MEDICAL_WORD | flags.ORDINARY | flags.ANY_HEAD | flags.WARD_WORD):
        return None
    if line.bits[at] & flags.ORDINARY_COMPOUND and line.word(at).lower().endswith(_BODILY):
        return None
    phi = PhiType.TOWN if near == "in" else PhiType.PLACE
    return line.detection(at, at + 1, phi, f"{phi}.ending", 0.7)


def _near(line: TokenLine, at: int) -> str:
    """Return the kind of preposition before `at`: "der" with an article, "am" with one in it, "in" without, "" if none.

    "von" without an article does not count, because surnames follow it more often.
    """
    before = line.word(at - 1).lower() if line.adjacent(at) else ""
    if before in _ARTICLES and line.adjacent(at - 1):
        return "der" if line.word(at - 2).lower() in _PREPOSITIONS else ""
    if before not in _PREPOSITIONS or before == "von":
        return ""
    return "in" if before in _BARE_PREPOSITIONS else "am"


def _with_head(line: TokenLine, at: int) -> Detection | None:
    """Return the place of "Alp Musterboden", "Gasthof zur Post", "Kapelle St. Anna"; `at` is the kind of place."""
    end_token = at + 1
    ambiguous = line.word(at).lower() in _AMBIGUOUS_HEADS
    if ambiguous and not _near(line, at):
        return None
    framed = line.next_word(end_token).lower() in _FRAMES
    if framed and line.next_bits(end_token + 1) & flags.INITIAL_CAPITAL:
        if ambiguous and line.next_word(end_token)[0].islower():
            return None
        end_token += 1
    if line.next_word(end_token) in ("St.", "Sankt", "ST.", "Bad"):
        end_token += 1
    bits = line.next_bits(end_token)
    if not bits & flags.INITIAL_CAPITAL or bits & _NO_NAME or len(line.word(end_token)) < _MIN_STEM:
        return None
    if bits & _NO_PLACE_NAME and not bits & flags.LISTED_PLACE and not framed and (ambiguous or not _near(line, at)):
        return None
    end_token += 1
    following = line.next_bits(end_token)
    if following & flags.INITIAL_CAPITAL and following & flags.NAME_FORM and not following & _NO_NAME:
        end_token += 1
    return line.detection(at, end_token, PhiType.PLACE, "place.head", 0.8)


def _with_adjective(line: TokenLine, at: int) -> Detection | None:
    """Return the place of "Neuwieder Weiher", "Schwarzen Meer"; `at` is the landscape."""
    if not line.adjacent(at):
        return None
    before, bits = line.word(at - 1), line.bits[at - 1]
    town = before[0].isupper() and before.lower().endswith("er") and len(before) > 5
    town = town and not bits & (flags.MEDICAL_WORD | flags.ORDINARY | flags.ORDINARY_COMPOUND | flags.ACADEMIC_TITLE)
    described = before[0].isupper() and before.lower() in _ADJECTIVES and not line.opens(at - 1)
    if not town and not described:
        return None
    return line.detection(at - 1, at + 1, PhiType.PLACE, "place.adjective", 0.8)


def _road(line: TokenLine, at: int) -> Detection | None:
    """Return the road whose letter or number is at `at`, if a word of driving is near."""
    before = line.word(at - 1).lower() if line.adjacent(at) else ""
    code = _ROAD.match(line.text, line.start(at)) if before in ("der", "die", "autobahn", "bundesstraße") else None
    if code is None:
        return None
    around = line.text[max(0, code.start() - _DRIVING_WINDOW) : code.end() + _DRIVING_WINDOW // 2]
    sure = before not in ("der", "die") or _DRIVING.search(around) is not None
    return line.detection_of(*code.span(), PhiType.PLACE, "place.road", 0.75) if sure else None
