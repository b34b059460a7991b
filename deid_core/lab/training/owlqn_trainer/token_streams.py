"""Sequences of words as numbers, and the attributes of each word type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.crf.features.templates import JOIN, Templates, columns_of
from deid_core.text.tokens import EDGE

_Ints = npt.NDArray[np.int32]
_Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SlotAttributes:
    """The attributes of one slot of a template for each word type.

    Type n has the values values[starts[n]:starts[n + 1]]; value v is attribute `start` + v. columns: int64, the columns
    of its offsets (`StreamAttributes.columns`), each once.
    """

    starts: _Longs
    values: _Ints
    start: int
    count: int
    columns: _Longs


@dataclass(frozen=True, slots=True, eq=False)
class StreamAttributes:
    """The attributes of a stream's word types.

    columns: offset → column among a type's rows (`columns_of`). names: of all attributes; those of pairs are at the
    end, from pair_start on. pairs: int32 (positions, pair templates), attribute or -1.
    """

    types: int
    columns: dict[int, int]
    slots: tuple[SlotAttributes, ...]
    names: tuple[str, ...]
    pair_start: int
    pairs: _Ints


class Stream:
    """Sequences of words: those of notes, or the symbols of detections parallel to them.

    templates: one for each source of sequences. They have the same slots but use other lists, which must agree on
    EDGE. Raises ValueError if a slot has an offset twice.
    """

    def __init__(self, templates: Sequence[Templates]) -> None:
        slots = [slot for template in templates[0].single for slot in template.slots]
        if any(len(set(slot.offsets)) < len(slot.offsets) for slot in slots):
            raise ValueError("a slot has an offset twice")
        self._templates = templates
        self._types: list[dict[str, int]] = [{EDGE: 0} for _ in templates]
        self._sequences: list[tuple[int, _Ints]] = []

    def add(self, words: Sequence[str], source: int = 0) -> None:
        """Add a sequence of words of a source."""
        types = self._types[source]
        numbers = np.fromiter((types.setdefault(word, len(types)) for word in words), np.int32, len(words))
        self._sequences.append((source, numbers))

    @property
    def numbers(self) -> list[_Ints]:
        """The types of each sequence, numbered over all sources."""
        firsts = np.cumsum([0, *map(len, self._types)]).tolist()
        return [numbers + np.int32(firsts[source]) for source, numbers in self._sequences]

    @property
    def types(self) -> int:
        """The number of types, over all sources."""
        return sum(map(len, self._types))

    def families(self) -> Iterator[tuple[str, _Longs, _Ints, dict[str, int]]]:
        """Yield each family of single words once: its name, and its values of each type as in SlotAttributes.

        The values of type n are values[starts[n]:starts[n + 1]]; the last of the four numbers them.
        """
        single = self._templates[0].single
        for template in self._templates[0].families.single:
            yield template.name, *self._values(single.index(template))

    @property
    def lengths(self) -> list[int]:
        """Lengths of the sequences in words."""
        return [len(numbers) for _, numbers in self._sequences]

    @property
    def reach(self) -> int:
        """The largest absolute offset of all templates."""
        single, pairs = self._templates[0].single, self._templates[0].pairs
        offsets = [offset for template in single for slot in template.slots for offset in slot.offsets]
        return max(map(abs, [*offsets, *(at for pair in pairs for at in (pair.left, pair.right))]), default=0)

    def padded(self, reach: int) -> _Ints:
        """Return the types of all sequences in one array, with `reach` EDGEs before each and after the last."""
        firsts = np.cumsum([0, *map(len, self._types)])
        edges = [np.full(reach, first, np.int32) for first in firsts.tolist()]
        pieces: list[_Ints] = []
        for source, numbers in self._sequences:
            pieces += [edges[source], numbers + np.int32(firsts[source])]
        return np.concatenate([*pieces, edges[0]])

    def attributes(self, types: _Ints, reach: int) -> StreamAttributes:
        """Return the attributes of word types and of pairs. types: the result of `padded` with this reach."""
        slots = [(number, slot) for number, template in enumerate(self._templates[0].single) for slot in template.slots]
        columns = columns_of(slot for _, slot in slots)
        values = [self._values(number) for number in range(len(self._templates[0].single))]
        names: list[str] = []
        made: list[SlotAttributes] = []
        for number, slot in slots:
            starts, numbers, known = values[number]
            seen = np.array(sorted({columns[offset] for offset in slot.offsets}), np.int64)
            made.append(SlotAttributes(starts, numbers, len(names), len(known), seen))
            names += [f"{slot.key}:{value}" for value in known]
        pair_start = len(names)
        pairs = np.full((len(types), len(self._templates[0].pairs)), -1, np.int32)
        words = self._positions(reach)
        for column in range(pairs.shape[1]):
            pairs[words, column], of_pair = self._pair(column, types, words, len(names))
            names += of_pair
        return StreamAttributes(self.types, columns, tuple(made), tuple(names), pair_start, pairs)

    def _positions(self, reach: int) -> _Longs:
        """Return the positions of words in `padded`."""
        lengths = np.array(self.lengths, np.int64)
        before = reach * (1 + np.arange(len(lengths)))
        return np.arange(int(lengths.sum())) + np.repeat(before, lengths)

    def _words(self) -> Iterator[tuple[Templates, str]]:
        """Yield all types in the order of their numbers, with the templates of their source."""
        for templates, types in zip(self._templates, self._types, strict=True):
            for word in types:
                yield templates, word

    def _values(self, template: int) -> tuple[_Longs, _Ints, dict[str, int]]:
        """Return a template's values of each type: starts, numbers of values, and value → number."""
        known: dict[str, int] = {}
        starts, numbers = [0], list[int]()
        for templates, word in self._words():
            numbers += [known.setdefault(value, len(known)) for value in templates.single[template].values(word)]
            starts.append(len(numbers))
        return np.array(starts, np.int64), np.array(numbers, np.int32), known

    def _pair(self, number: int, types: _Ints, words: _Longs, start: int) -> tuple[_Longs, list[str]]:
        """Return a pair's attribute at each word, numbered from `start`, -1 for none; and the attributes' names."""
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
        attributes[both] = start + places
        values = list(known)
        joined = (
            f"{values[left]}{JOIN}{values[right]}" for left, right in zip(*divmod(found, len(known)), strict=True)
        )
        return attributes, [f"{pair.key}:{value}" for value in joined]
