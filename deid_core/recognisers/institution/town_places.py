"""Towns and countries that capitals or lists do not tell: in small letters, in capitals, unlisted ones.

| what stands there                                                    | rule          | score |
|---|---|---|
| in a text without capitals a listed town behind a preposition,       | town.flat     | 0.75  |
| a postcode, a comma or a bracket: "wohnt in musterstadt", "(bonn)"   |               |       |
| the same for countries: "urlaub in dänemark"                         | country.flat  | 0.75  |
| behind words of birth and home an unlisted word: "geboren in Temir"  | town.home     | 0.75  |
| an unlisted word and its country: "Temir (Kasachstan)"               | town.abroad   | 0.80  |
| an unlisted word behind "in", "aus": "seit 1950 in Oberndorfen"      | town.unlisted | 0.55  |
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.flags import lowered
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.institution import flags
from deid_core.text.token_line import TokenLine
from deid_core.text.vocabulary import TypeFeature, Vocabulary

TOWN, DOUBTFUL, COUNTRY, INTO, OPENS, POSTCODE, HOME, UNLISTED = 1, 2, 4, 8, 16, 32, 64, 128
"""A listed town; one that is a common word or a person's name as well; a country; a preposition; a comma, bracket or
slash; a postcode; a word of birth or home; a word that no list has."""
_INTO = frozenset("in aus nach bei von über ueber bis richtung nähe".split())
_UNLISTED_INTO = frozenset({"in", "aus"})
_HOMES = frozenset(
    """
    geb. geboren geborene geborener gebürtig gebürtige gebürtiger stammt stammte stammend stammende stammender kommt kam
    aufgewachsen wohnt wohnte wohnhaft wohnh. lebt lebte lebend zog ausgewandert geflüchtet geflohen vertrieben
    übersiedelt übergesiedelt eingewandert beheimatet heimatort geburtsort herkunft zurückgekehrt deportiert
    """.split()
)
_HOME_REACH = 6
_POSTCODE = re.compile(r"\d{5}|(?!19|20)\d{4}|[ADF]-\d{4,5}|CH-\d{4}")
_NO_NAME = (
    flags.TERM | flags.MEDICAL | flags.COMPOUND | flags.ADJECTIVE | flags.TITLE | flags.ANY_TRIGGER | flags.DISCIPLINE
)
_ORDINARY_LISTS = ("common_word", "medical_word", "clinic_word", "stop_word", "month")
_MIN_LETTERS = 4
_MAX_PARTS = 2
_NO_TOWN = (
    "ol", "in", "id", "an", "on", "ium", "at", "um", "ase", "al", "il", "ys", "or", "ix", "ax", "yl", "ung",
    "pflege", "lage", "höhe", "sekret", "blut", "akte", "karenz", "werk", "arynx", "phase", "form", "weise", "zeit",
    "stellung", "technik", "narkose", "klasse", "gruppe", "saver", "zustand", "bereich", "material", "richtung",
)  # fmt: skip
"""Endings of drugs, substances and happenings, which "in" and "aus" precede as well."""


class TownReader:
    """Finds such towns and countries in documents of one vocabulary."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._towns = lowered(gazetteer, "town")
        self._countries = lowered(gazetteer, "country")
        self._names = lowered(gazetteer, "first_name", "surname")
        self._ordinary = lowered(gazetteer, *_ORDINARY_LISTS) | {"ohne"}  # a town in Lower Saxony
        self._known = self._names | self._ordinary | lowered(gazetteer, "eponym", "profession", "title", "region")
        self._column = TypeFeature(vocabulary, self._role, np.uint8)

    def towns(self, line: TokenLine, types: npt.NDArray[np.int32], *, flat: bool) -> Iterator[Detection]:
        """The towns and countries of a document; flat: its capitals mean nothing."""
        roles = self._column.gather(types)
        if flat:
            yield from self._flat(line, roles)
            return
        announced = (roles[1:] & UNLISTED != 0) & (roles[:-1] & (INTO | HOME) != 0)
        for at in (announced.nonzero()[0] + 1).tolist():
            if (found := self._unlisted(line, roles, at)) is not None:
                yield found

    def _flat(self, line: TokenLine, roles: npt.NDArray[np.uint8]) -> Iterator[Detection]:
        before = np.concatenate(([0], roles[:-1]))
        sure = (roles & (TOWN | COUNTRY) != 0) & (before & (INTO | OPENS | POSTCODE) != 0)
        doubtful = (roles & DOUBTFUL != 0) & (before & POSTCODE != 0)
        for at in (sure | doubtful).nonzero()[0].tolist():
            if line.adjacent(at) and (roles[at] & COUNTRY or len(line.word(at)) >= _MIN_LETTERS):
                country = bool(roles[at] & COUNTRY)
                phi, rule = (PhiType.COUNTRY, "country.flat") if country else (PhiType.TOWN, "town.flat")
                yield line.detection(at, at + 1, phi, rule, 0.75)

    def _unlisted(self, line: TokenLine, roles: npt.NDArray[np.uint8], at: int) -> Detection | None:
        if not line.adjacent(at) or line.bits[at] & _NO_NAME or not line.bits[at] & flags.CAPITAL:
            return None
        if self._shortened(line, at):
            return None
        last = at + 1
        while last < at + _MAX_PARTS and line.next_bits(last) & flags.CAPITAL and roles[last] & UNLISTED:
            last += 1
        at_country = last + 1 if line.next_word(last) in ("(", ",", "/", "in") else last
        if at_country > last and at_country < len(line) and roles[at_country] & COUNTRY and line.adjacent(at_country):
            return line.detection(at, last, PhiType.TOWN, "town.abroad", 0.8)
        around = range(max(0, at - _HOME_REACH), min(len(line), at + 3))
        if any(roles[i] & HOME and line.same_sentence(*sorted((i, at))) for i in around):
            return line.detection(at, last, PhiType.TOWN, "town.home", 0.75)
        if line.word(at - 1) not in _UNLISTED_INTO or line.word(at).endswith(_NO_TOWN):
            return None
        return line.detection(at, last, PhiType.TOWN, "town.unlisted", 0.55)

    def _shortened(self, line: TokenLine, at: int) -> bool:
        """Whether the word is abbreviated or half of a pair: "Begl. der Mutter", "Lymph- und Blutgefäße"."""
        if not line.glued(at + 1):
            return False
        behind = line.word(at + 2)
        return line.word(at + 1) == "-" or (line.word(at + 1) == "." and line.adjacent(at + 2) and behind[0].islower())

    def _role(self, word: str) -> int:
        """What the word may be, by the bits above; one of them at most."""
        lower = word.lower()
        if lower in _INTO:
            return INTO
        if lower in _HOMES:
            return HOME
        if lower in (",", "(", "/"):
            return OPENS
        if _POSTCODE.fullmatch(word):
            return POSTCODE
        if lower in self._countries:
            return COUNTRY if lower not in self._ordinary or len(lower) > _MIN_LETTERS else 0
        if lower in self._towns:
            return DOUBTFUL if lower in self._ordinary or lower in self._names else TOWN
        if len(word) >= _MIN_LETTERS and word.istitle() and word.isalpha() and lower not in self._known:
            return UNLISTED
        return 0
