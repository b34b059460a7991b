"""Draws surrogates for one note: listed, ambiguous or unknown words, none of them twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.lists import NameLists, data_dir, lists_of, read_rows
from deid_core.lab.synthetic.surrogates.forms import folded
from deid_core.lab.synthetic.surrogates.mixes import Category, Mix

_OWN_WORD = 0.5
"""Chance that an ambiguous name is a word of the same note: "Mr. Huntington suffers from Huntington's disease"."""
_LENGTHS = (2, 2, 2, 2, 2, 3, 3, 3, 3, 4)
"""Syllables of a made name, each as likely: 6 to 12 letters as a rule."""
_SHORTEST = 6
"""Of a made name, in letters: shorter ones are words of some language too often."""
_MADE_STREETS = ("{}straße", "{}straße", "{}weg", "{}gasse", "{}ring", "Am {}")
_MADE_HOSPITALS = ("{}-Klinik", "{}klinik", "Klinik {}", "{}-Hospital", "Krankenhaus {}", "Klinikum {}")
_TRIES = 1000


@dataclass(frozen=True, slots=True)
class SurrogateLists:
    """What only surrogates are made of: ambiguous words, and syllables of names that are no words."""

    surnames: tuple[str, ...]
    places: tuple[str, ...]
    hospitals: tuple[str, ...]
    syllables: tuple[str, ...]


@cache
def surrogate_lists(split: str) -> SurrogateLists:
    """The lists of a half, read once a process; `lists_of` refuses a half that does not exist."""
    lists_of(split)

    def column(name: str) -> tuple[str, ...]:
        return tuple(row[0] for row in read_rows(data_dir("lists", split) / f"{name}.txt", 1))

    return SurrogateLists(
        column("ambiguous-surnames"), column("ambiguous-places"), column("ambiguous-hospitals"), column("oov-syllables")
    )


class SurrogateWords:
    """Names for one note; each call gives a name that no call before gave, and none of `taken`, folded.

    text_words: the words of the note that identify nobody, of which ambiguous names are made by preference.
    """

    def __init__(self, draw: Draw, split: str, mix: Mix, text_words: frozenset[str], taken: Iterable[str]) -> None:
        self._draw = draw
        self._lists: NameLists = lists_of(split)
        extra = surrogate_lists(split)
        self._syllables = extra.syllables
        self._surnames = _Ambiguous(extra.surnames, text_words)
        self._places = _Ambiguous(extra.places, text_words)
        self._hospitals = _Ambiguous(extra.hospitals, text_words)
        self._mix = mix
        self._used = set(taken)

    def surname(self, category: Category) -> str:
        """A surname, one word."""
        ambiguous, unknown = self._kind(category)
        if ambiguous:
            return self._fresh(lambda: self._surnames.pick(self._draw))
        return self._fresh(self._made if unknown else lambda: self._draw.pick(self._lists.surnames))

    def given_name(self, female: bool, category: Category) -> str:
        """A given name, one word; ambiguous shares do not apply."""
        if self._kind(category)[1]:
            return self._fresh(self._made)
        names = [n for n in (self._lists.given_female if female else self._lists.given_male) if n.isalpha()]
        return self._fresh(lambda: self._draw.pick(names))

    def town(self, category: Category = Category.LOCATION) -> str:
        """A town."""
        return self._place(lambda: self._draw.pick(self._lists.towns).name, category)

    def country(self) -> str:
        """A country."""
        return self._place(lambda: self._draw.pick(self._lists.countries), Category.LOCATION)

    def street(self) -> str:
        """A street without number; "straße" is written out."""
        ambiguous, unknown = self._kind(Category.LOCATION)
        if ambiguous:
            return self._fresh(lambda: self._places.pick(self._draw))
        if unknown:
            return self._draw.pick(_MADE_STREETS).format(self._fresh(self._made))
        return self._fresh(lambda: self._draw.pick(self._lists.streets))

    def hospital(self) -> str:
        """A hospital; "{town}" stands in it for its town, where its name has one."""
        ambiguous, unknown = self._kind(Category.HOSPITAL)
        if ambiguous:
            return self._fresh(lambda: self._hospitals.pick(self._draw))
        if unknown:
            return self._draw.pick(_MADE_HOSPITALS).format(self._fresh(self._made))
        return self._fresh(lambda: self._draw.pick(self._lists.hospitals))

    def initial(self) -> str:
        """A capital letter for somebody of whom the note has the initial only."""
        return self._draw.pick("ABCDEFGHIJKLMNOPRSTUVWZ")

    def _kind(self, category: Category) -> tuple[bool, bool]:
        """Whether the next name of this category is ambiguous, and whether it is unknown."""
        share = self._mix.shares[category]
        chance = self._draw.random()
        return chance < share.ambiguous, share.ambiguous <= chance < share.ambiguous + share.unknown

    def _place(self, listed: Callable[[], str], category: Category) -> str:
        ambiguous, unknown = self._kind(category)
        if ambiguous:
            return self._fresh(lambda: self._places.pick(self._draw))
        return self._fresh(self._made if unknown else listed)

    def _made(self) -> str:
        name = "".join([self._draw.pick(self._syllables) for _ in range(self._draw.pick(_LENGTHS))])
        while len(name) < _SHORTEST:
            name += self._draw.pick(self._syllables)
        return name.capitalize()

    def _fresh(self, make: Callable[[], str]) -> str:
        """A name that was not given yet; if a list is used up, one of it with a made name after a hyphen."""
        for _ in range(_TRIES):
            name = make()
            if folded(name) not in self._used:
                self._used.add(folded(name))
                return name
        return self._fresh(lambda: f"{make()}-{self._made()}")


class _Ambiguous:
    """A list of ambiguous words, and those of them that the note itself has."""

    def __init__(self, words: tuple[str, ...], text_words: frozenset[str]) -> None:
        self._words = words
        self._own = tuple(word for word in words if word in text_words)

    def pick(self, draw: Draw) -> str:
        return draw.pick(self._own) if self._own and draw.chance(_OWN_WORD) else draw.pick(self._words)
