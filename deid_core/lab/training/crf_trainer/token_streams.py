"""Sequences of words as numbers, and the attributes that templates make of each of their word types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.crf.features.templates import JOIN, Templates, places_of
from deid_core.text.tokens import EDGE

_Ints = npt.NDArray[np.int32]
_Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SlotAttributes:
    """What one slot of a template sees in each word type.

    Type n has the values values[starts[n]:starts[n + 1]]; value v is attribute `first` + v. places: int64, those of its
    offsets, each once (`StreamAttributes`).
    """

    starts: _Longs
    values: _Ints
    first: int
    count: int
    places: _Longs


@dataclass(frozen=True, slots=True, eq=False)
class StreamAttributes:
    """The attributes of a stream's types.

    places: of the offsets that slots look at, in a type's row (features.places_of). names: of all attributes, those of
    pairs at the end, from first_of_pair.
    pairs: int32 (positions, pair templates), the attribute of each, -1 where there is none.
    """

    types: int
    places: dict[int, int]
    slots: tuple[SlotAttributes, ...]
    names: tuple[str, ...]
    first_of_pair: int
    pairs: _Ints


class Stream:
    """Sequences of words of one sort: a note's own, or what is said of them.

    templates: of each source of sequences; they have the same slots and look words up in other lists, all of which say
    the same of EDGE. Raises ValueError if a slot has an offset twice.
    """

    def __init__(self, templates: Sequence[Templates]) -> None:
        slots = [slot for template in templates[0].single for slot in template.slots]
        if any(len(set(slot.offsets)) < len(slot.offsets) for slot in slots):
            raise ValueError("a slot has an offset twice")
        self._templates = templates
        self._types: list[dict[str, int]] = [{EDGE: 0} for _ in templates]
        self._sequences: list[tuple[int, _Ints]] = []

    def add(self, words: Sequence[str], source: int = 0) -> None:
        """Adds a sequence of words."""
        types = self._types[source]
        numbers = np.fromiter((types.setdefault(word, len(types)) for word in words), np.int32, len(words))
        self._sequences.append((source, numbers))

    @property
    def lengths(self) -> list[int]:
        """Of the sequences, in words."""
        return [len(numbers) for _, numbers in self._sequences]

    @property
    def reach(self) -> int:
        """The farthest offset."""
        single, pairs = self._templates[0].single, self._templates[0].pairs
        offsets = [offset for template in single for slot in template.slots for offset in slot.offsets]
        return max(map(abs, [*offsets, *(at for pair in pairs for at in (pair.left, pair.right))]), default=0)

    def laid_out(self, reach: int) -> _Ints:
        """The types of all sequences, one after the other, with so many EDGEs before each and behind the last."""
        firsts = np.cumsum([0, *map(len, self._types)])
        edges = [np.full(reach, first, np.int32) for first in firsts.tolist()]
        pieces: list[_Ints] = []
        for source, numbers in self._sequences:
            pieces += [edges[source], numbers + np.int32(firsts[source])]
        return np.concatenate([*pieces, edges[0]])

    def attributes(self, types: _Ints, reach: int) -> StreamAttributes:
        """The attributes of types and, where words stand in `types` (`laid_out` with this reach), of pairs."""
        slots = [(number, slot) for number, template in enumerate(self._templates[0].single) for slot in template.slots]
        places = places_of(slot for _, slot in slots)
        values = [self._values(number) for number in range(len(self._templates[0].single))]
        names: list[str] = []
        made: list[SlotAttributes] = []
        for number, slot in slots:
            starts, numbers, known = values[number]
            seen = np.array(sorted({places[offset] for offset in slot.offsets}), np.int64)
            made.append(SlotAttributes(starts, numbers, len(names), len(known), seen))
            names += [f"{slot.key}:{value}" for value in known]
        first_of_pair = len(names)
        pairs = np.full((len(types), len(self._templates[0].pairs)), -1, np.int32)
        words = self._positions(reach)
        for column in range(pairs.shape[1]):
            pairs[words, column], of_pair = self._pair(column, types, words, len(names))
            names += of_pair
        return StreamAttributes(sum(map(len, self._types)), places, tuple(made), tuple(names), first_of_pair, pairs)

    def _positions(self, reach: int) -> _Longs:
        """Where words stand in `laid_out`."""
        lengths = np.array(self.lengths, np.int64)
        before = reach * (1 + np.arange(len(lengths)))
        return np.arange(int(lengths.sum())) + np.repeat(before, lengths)

    def _words(self) -> Iterator[tuple[Templates, str]]:
        """All types in the order of their numbers, with the templates that look at them."""
        for templates, types in zip(self._templates, self._types, strict=True):
            for word in types:
                yield templates, word

    def _values(self, template: int) -> tuple[_Longs, _Ints, dict[str, int]]:
        """What a template computes from each type: starts and numbers of values, and the values by number."""
        known: dict[str, int] = {}
        starts, numbers = [0], list[int]()
        for templates, word in self._words():
            numbers += [known.setdefault(value, len(known)) for value in templates.single[template].values(word)]
            starts.append(len(numbers))
        return np.array(starts, np.int64), np.array(numbers, np.int32), known

    def _pair(self, number: int, types: _Ints, words: _Longs, first: int) -> tuple[_Longs, list[str]]:
        """The attribute of a pair at each word, from `first`, -1 if it has none; and the names of these attributes."""
        known: dict[str, int] = {"": 0}
        of_types = np.array(
            [known.setdefault(templates.pairs[number].value(word), len(known)) for templates, word in self._words()],
            np.int64,
        )
        pair = self._templates[0].pairs[number]
        lefts, rights = of_types[types[words + pair.left]], of_types[types[words + pair.right]]
        both = (lefts > 0) & (rights > 0)
        found, places = np.unique(lefts[both] * len(known) + rights[both], return_inverse=True)
        attributes = np.full(len(words), -1, np.int64)
        attributes[both] = first + places
        values = list(known)
        joined = (
            f"{values[left]}{JOIN}{values[right]}" for left, right in zip(*divmod(found, len(known)), strict=True)
        )
        return attributes, [f"{pair.key}:{value}" for value in joined]
