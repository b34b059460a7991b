"""Feature templates: the features of a token, as functions of the words in a window around it.

A template computes values from one word and uses them at positions of the window; a pair template joins the values of
two words. So the score of a token is a sum of rows that depend on one word type (or pair) each, which inference uses.
CRFsuite is trained with an attribute string for each value. Both come from here.

Attribute strings: "word[-1]:Herr", "word<:Herr" (one of the four words before), the values of a pair separated by
U+001F. Positions outside the sequence have the empty word. A value that occurs twice in a disjunction counts twice.
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
"""From words to the numbers of their values, int32 (words, any), 0 for none; the result is read-only."""


@runtime_checkable
class BatchValues(Protocol):
    """Values of words that can be looked up faster for many words at once."""

    def __call__(self, word: str) -> tuple[str, ...]:
        """Return the values of one word."""

    def table(self, known: Mapping[str, int]) -> Table:
        """Return the table of these values' numbers, which are above 0; one column if a word has at most one value."""


@dataclass(frozen=True, slots=True, eq=False)
class FirstValue:
    """The only value of a word, for a pair; empty if it has none."""

    values: Values

    def __call__(self, word: str) -> str:
        """Return the value."""
        return next(iter(self.values(word)), "")


@dataclass(frozen=True, slots=True)
class Slot:
    """A position of the window: one offset, or several that are not distinguished."""

    key: str
    offsets: tuple[int, ...]


def columns_of(slots: Iterable[Slot]) -> dict[int, int]:
    """Return for each offset of the slots, ascending, the column of its scores in a word type's row.

    Offsets that no slot distinguishes (the far ones of a disjunction) have the same scores and share a column.
    """
    looked_at = list(slots)
    firsts: dict[tuple[int, ...], int] = {}
    offsets = sorted({offset for slot in looked_at for offset in slot.offsets})
    return {o: firsts.setdefault(tuple(slot.offsets.count(o) for slot in looked_at), len(firsts)) for o in offsets}


@dataclass(frozen=True, slots=True)
class Template:
    """Values of single words at some positions; `values` depends on the word alone."""

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
        """The prefix of its attributes."""
        return f"{self.name}[{self.left},{self.right}]"


@dataclass(frozen=True, slots=True)
class Templates:
    """A feature set."""

    single: tuple[Template, ...]
    pairs: tuple[PairTemplate, ...] = ()

    @property
    def families(self) -> Templates:
        """The templates of single words, each family once, whatever positions of the window it has."""
        names = [template.name for template in self.single]
        return Templates(tuple(self.single[names.index(name)] for name in dict.fromkeys(names)))

    @property
    def keys(self) -> list[str]:
        """The keys of all slots and pairs, with which their attributes begin."""
        return [slot.key for template in self.single for slot in template.slots] + [pair.key for pair in self.pairs]

    def attributes(self, words: Sequence[str]) -> Iterator[list[str]]:
        """Yield the attribute strings of each word of a sequence, as CRFsuite expects them."""
        memo: dict[str, list[list[list[str]]]] = {}
        # [word][template][slot] → attributes, computed once per word.
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
    """Return one slot for each offset."""
    return tuple(Slot(f"{name}[{offset}]", (offset,)) for offset in offsets)


def disjunction(name: str, reach: int) -> tuple[Slot, ...]:
    """Return two slots: the `reach` words before and the `reach` words after, whatever their distance."""
    return (
        Slot(f"{name}<", tuple(range(-reach, 0))),
        Slot(f"{name}>", tuple(range(1, reach + 1))),
    )
