"""Towns and countries in texts without capitals, and towns that are in no list.

| text                                                                 | rule          | score |
|---|---|---|
| in a text without capitals a listed town after a preposition,        | town.flat     | 0.75  |
| a postcode, a comma or a bracket: "wohnt in musterstadt", "(bonn)"   |               |       |
| the same for countries: "urlaub in dänemark"                         | country.flat  | 0.75  |
| an unlisted word near words of birth and home: "geboren in Temir"    | town.home     | 0.75  |
| an unlisted word and its country: "Temir (Kasachstan)"               | town.abroad   | 0.80  |
| an unlisted word after "in", "aus": "seit 1950 in Oberndorfen"       | town.unlisted | 0.55  |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntFlag

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_list, word_set
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.institution import flags
from deid_core.text.token_line import TokenLine
from deid_core.text.vocabulary import TypeFeature, Vocabulary


class TownFlag(IntFlag):
    """What a word may be in or before the name of a town; one of these at most."""

    TOWN_NAME = 1
    """A listed town."""
    AMBIGUOUS_TOWN = 2
    """A listed town that is also a common word or a person's name."""
    COUNTRY_NAME = 4
    TOWN_PREPOSITION = 8
    OPENING_MARK = 16
    """A comma, bracket or slash."""
    POSTCODE_FORM = 32
    ORIGIN = 64
    """A word of birth or home."""
    UNLISTED_WORD = 128


# Plain integers: arithmetic with members of an IntFlag is slow.
_TOWN_NAME = TownFlag.TOWN_NAME.value
_AMBIGUOUS_TOWN = TownFlag.AMBIGUOUS_TOWN.value
_COUNTRY_NAME = TownFlag.COUNTRY_NAME.value
_TOWN_PREPOSITION = TownFlag.TOWN_PREPOSITION.value
_OPENING_MARK = TownFlag.OPENING_MARK.value
_POSTCODE_FORM = TownFlag.POSTCODE_FORM.value
_ORIGIN = TownFlag.ORIGIN.value
_UNLISTED_WORD = TownFlag.UNLISTED_WORD.value

_PREPOSITIONS = frozenset("in aus nach bei von über ueber bis richtung nähe".split())
_UNLISTED_PREPOSITIONS = frozenset({"in", "aus"})
_ORIGINS = word_set("institution/origin-words")
_ORIGIN_REACH = 6
_POSTCODE = re.compile(r"\d{5}|(?!19|20)\d{4}|[ADF]-\d{4,5}|CH-\d{4}")
_NO_NAME = (
    flags.ORDINARY
    | flags.MEDICAL_WORD
    | flags.ORDINARY_COMPOUND
    | flags.ADJECTIVE
    | flags.ACADEMIC_TITLE
    | flags.ANY_TRIGGER
    | flags.DISCIPLINE
)
_ORDINARY_LISTS = ("common_word", "medical_word", "clinic_word", "stop_word", "month")
_OTHER_LISTS = ("first_name", "surname", "eponym", "profession", "title", "region")
_ORDINARY_TOWN = "ohne"
"""A town in Lower Saxony; no list of common words need have it."""
_MIN_LETTERS = 4
_MAX_PARTS = 2
_NO_TOWN = word_list("institution/not-town-endings")


class TownReader:
    """Finds the towns and countries of the table above in documents of one vocabulary."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._towns = gazetteer.lowered("town")
        self._countries = gazetteer.lowered("country")
        self._names = gazetteer.lowered("first_name", "surname")
        self._ordinary = gazetteer.lowered(*_ORDINARY_LISTS)
        self._known = gazetteer.lowered(*_ORDINARY_LISTS, *_OTHER_LISTS)
        self._town_flags = TypeFeature(vocabulary, self._flag_of, np.uint8)

    def towns(self, line: TokenLine, types: npt.NDArray[np.int32], *, flat: bool) -> Iterator[Detection]:
        """Yield the towns and countries of a document; flat: its capitals mean nothing."""
        town_flags = self._town_flags.gather(types)
        if flat:
            yield from self._flat(line, town_flags)
            return
        announced = (town_flags[1:] & _UNLISTED_WORD != 0) & (town_flags[:-1] & (_TOWN_PREPOSITION | _ORIGIN) != 0)
        for at in (announced.nonzero()[0] + 1).tolist():
            if (found := self._unlisted(line, town_flags, at)) is not None:
                yield found

    def _flat(self, line: TokenLine, town_flags: npt.NDArray[np.uint8]) -> Iterator[Detection]:
        before = np.concatenate(([0], town_flags[:-1]))
        certain = (town_flags & (_TOWN_NAME | _COUNTRY_NAME) != 0) & (
            before & (_TOWN_PREPOSITION | _OPENING_MARK | _POSTCODE_FORM) != 0
        )
        by_postcode = (town_flags & _AMBIGUOUS_TOWN != 0) & (before & _POSTCODE_FORM != 0)
        for at in (certain | by_postcode).nonzero()[0].tolist():
            if line.adjacent(at) and (town_flags[at] & _COUNTRY_NAME or len(line.word(at)) >= _MIN_LETTERS):
                country = bool(town_flags[at] & _COUNTRY_NAME)
                phi, rule = (PhiType.COUNTRY, "country.flat") if country else (PhiType.TOWN, "town.flat")
                yield line.detection(at, at + 1, phi, rule, 0.75)

    def _unlisted(self, line: TokenLine, town_flags: npt.NDArray[np.uint8], at: int) -> Detection | None:
        if not line.adjacent(at) or line.bits[at] & _NO_NAME or not line.bits[at] & flags.INITIAL_CAPITAL:
            return None
        if self._shortened(line, at):
            return None
        end_token = at + 1
        while (
            end_token < at + _MAX_PARTS
            and line.next_bits(end_token) & flags.INITIAL_CAPITAL
            and town_flags[end_token] & _UNLISTED_WORD
        ):
            end_token += 1
        at_country = end_token + 1 if line.next_word(end_token) in ("(", ",", "/", "in") else end_token
        if (
            at_country > end_token
            and at_country < len(line)
            and town_flags[at_country] & _COUNTRY_NAME
            and line.adjacent(at_country)
        ):
            return line.detection(at, end_token, PhiType.TOWN, "town.abroad", 0.8)
        around = range(max(0, at - _ORIGIN_REACH), min(len(line), at + 3))
        if any(town_flags[i] & _ORIGIN and line.same_sentence(*sorted((i, at))) for i in around):
            return line.detection(at, end_token, PhiType.TOWN, "town.home", 0.75)
        if line.word(at - 1) not in _UNLISTED_PREPOSITIONS or line.word(at).endswith(_NO_TOWN):
            return None
        return line.detection(at, end_token, PhiType.TOWN, "town.unlisted", 0.55)

    def _shortened(self, line: TokenLine, at: int) -> bool:
        """Return whether the word is abbreviated or half of a pair: "Begl. der Mutter", "Lymph- und Blutgefäße"."""
        if not line.glued(at + 1):
            return False
        following = line.word(at + 2)
        return line.word(at + 1) == "-" or (
            line.word(at + 1) == "." and line.adjacent(at + 2) and following[0].islower()
        )

    def _flag_of(self, word: str) -> int:
        """Return the TownFlag value of the word, 0 if it has none."""
        lower = word.lower()
        if lower in _PREPOSITIONS:
            return _TOWN_PREPOSITION
        if lower in _ORIGINS:
            return _ORIGIN
        if lower in (",", "(", "/"):
            return _OPENING_MARK
        if _POSTCODE.fullmatch(word):
            return _POSTCODE_FORM
        if lower in self._countries:
            return _COUNTRY_NAME if lower not in self._ordinary or len(lower) > _MIN_LETTERS else 0
        if lower in self._towns:
            ambiguous = lower in self._ordinary or lower in self._names or lower == _ORDINARY_TOWN
            return _AMBIGUOUS_TOWN if ambiguous else _TOWN_NAME
        if len(word) >= _MIN_LETTERS and word.istitle() and word.isalpha() and lower not in self._known:
            return _UNLISTED_WORD if lower != _ORDINARY_TOWN else 0
        return 0
