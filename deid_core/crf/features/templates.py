"""Features of a token in its sequence, as templates that can be compiled: each looks at the words of a window.

A template computes values from a word alone and places them at positions of the window; a pair template joins the
values of two words. So the score of a token is a sum of rows that depend on one word type each (or on a pair), which
is what `compile` uses, and an attribute string for each is what CRFsuite is trained on. Both come from here.

Attribute strings: "word[-1]:Herr", "word<:Herr" (somewhere in the four words before), a pair's values parted by U+001F.
Outside the sequence stands the empty word. What occurs twice in a disjunction counts twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from deid_core.text.tokens import EDGE

JOIN = "\x1f"

Values = Callable[[str], tuple[str, ...]]
Table = Callable[[tuple[str, ...]], npt.NDArray[np.int32]]
"""For words the numbers of their values, shape (words, any), 0 where there is none; not to be written to."""


@runtime_checkable
class Tabled(Protocol):
    """Values of words that are looked up for many words at once, for less than one word after the other."""

    def __call__(self, word: str) -> tuple[str, ...]:
        """The values of one word."""

    def table(self, known: Mapping[str, int]) -> Table:
        """The table of these values' numbers, which are above 0; if a word has one value at most, of one column."""


@dataclass(frozen=True, slots=True, eq=False)
class Only:
    """The one value of a word, for a pair; empty if it has none."""

    values: Values

    def __call__(self, word: str) -> str:
        """The value."""
        return next(iter(self.values(word)), "")


@dataclass(frozen=True, slots=True)
class Slot:
    """A position of the window that a template looks at: one offset, or several that are not told apart."""

    key: str
    offsets: tuple[int, ...]


def places_of(slots: Iterable[Slot]) -> dict[int, int]:
    """For each offset that slots look at, ascending, the place of its scores in a word type's row.

    Offsets that no slot tells apart (the far ones of a disjunction) get the same scores, which a row needs once.
    """
    looked_at = list(slots)
    firsts: dict[tuple[int, ...], int] = {}
    offsets = sorted({offset for slot in looked_at for offset in slot.offsets})
    return {o: firsts.setdefault(tuple(slot.offsets.count(o) for slot in looked_at), len(firsts)) for o in offsets}


@dataclass(frozen=True, slots=True)
class Template:
    """Values of single words at some positions; `values` must depend on the word alone."""

    name: str
    values: Values
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class PairTemplate:
    """Conjunction of one value each of two words, at `left` < `right`; no feature if either value is empty."""

    name: str
    value: Callable[[str], str]
    left: int
    right: int

    @property
    def key(self) -> str:
        """What its attributes begin with."""
        return f"{self.name}[{self.left},{self.right}]"


@dataclass(frozen=True, slots=True)
class Templates:
    """A feature set; all that a model looks at."""

    single: tuple[Template, ...]
    pairs: tuple[PairTemplate, ...] = ()

    def attributes(self, words: Sequence[str]) -> Iterator[list[str]]:
        """The attribute strings of each word of a sequence, as CRFsuite takes them."""
        memo: dict[str, list[list[list[str]]]] = {}
        # [word][template][slot] → attributes; a word's are made once.
        rows = [memo.get(w) or memo.setdefault(w, self._of_word(w)) for w in words]
        edge = self._of_word(EDGE)
        length = len(words)
        for at in range(length):
            found: list[str] = []
            for t, template in enumerate(self.single):
                for s, slot in enumerate(template.slots):
                    for offset in slot.offsets:
                        there = at + offset
                        found += (rows[there] if 0 <= there < length else edge)[t][s]
            for pair in self.pairs:
                left, right = at + pair.left, at + pair.right
                a = pair.value(words[left] if 0 <= left < length else EDGE)
                b = pair.value(words[right] if 0 <= right < length else EDGE)
                if a and b:
                    found.append(f"{pair.key}:{a}{JOIN}{b}")
            yield found

    def _of_word(self, word: str) -> list[list[list[str]]]:
        return [
            [[f"{slot.key}:{value}" for value in template.values(word)] for slot in template.slots]
            for template in self.single
        ]


def window(name: str, *offsets: int) -> tuple[Slot, ...]:
    """A slot for each offset, told apart."""
    return tuple(Slot(f"{name}[{offset}]", (offset,)) for offset in offsets)


def disjunction(name: str, reach: int) -> tuple[Slot, ...]:
    """Two slots: the `reach` words before, the `reach` words behind, without their distance."""
    return (
        Slot(f"{name}<", tuple(range(-reach, 0))),
        Slot(f"{name}>", tuple(range(1, reach + 1))),
    )
