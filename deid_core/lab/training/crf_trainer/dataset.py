"""Labelled sequences laid out for training: at each position the rows of scores that it looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.crf.viterbi import lanes_for
from deid_core.lab.training.crf_trainer.token_streams import SlotAttributes, Stream

Possible = tuple[str, ...]
"""The labels that a word may have, the usual one first: one where its label is known.

Of several the chain learns that the word has one of them, whichever (Tsuboi et al. 2008, Training Conditional Random
Fields Using Incomplete Annotations); the usual one alone counts as seen there, and what is not seen gets no weight.
"""


@dataclass(frozen=True, slots=True, eq=False)
class RowsOfSlot:
    """A slot with the number of its first attribute among all, and where the rows of its stream's types lie.

    Each type has `width` rows, from `first` to `end`.
    """

    slot: SlotAttributes
    attribute: int
    first: int
    end: int
    width: int


@dataclass(frozen=True, slots=True, eq=False)
class RowsOfPairs:
    """Attributes of pairs, which are rows themselves: `count` of them, from `attribute` and from row `first`."""

    attribute: int
    first: int
    count: int


class Examples:
    """See passes.py for the arrays, which go there; sequences and their words keep their order.

    streams: sequences that go along with each other, word by word. labels: of each word of each sequence. Raises
    ValueError if their lengths differ, two streams have the same attributes, or there are too many rows to number.
    """

    def __init__(self, streams: Sequence[Stream], labels: Sequence[Sequence[Possible]]) -> None:
        lengths = [len(of_sequence) for of_sequence in labels]
        if any(stream.lengths != lengths for stream in streams):
            raise ValueError("streams and labels are of different lengths")
        reach = max(stream.reach for stream in streams)
        ends = np.cumsum(np.array(lengths, np.int64)) + reach * (1 + np.arange(len(lengths)))
        self.sequences = np.stack([ends - lengths, ends], axis=1)
        sets = sorted({possible for of_sequence in labels for possible in of_sequence})
        self.label_names = tuple(sorted({label for possible in sets for label in possible}))
        self.lanes = lanes_for(len(self.label_names))
        self.usual = np.array([self.label_names.index(possible[0]) for possible in sets], np.int64)
        self.allowed = np.zeros((len(sets), self.lanes))
        for row, possible in zip(self.allowed, sets, strict=True):
            row[[self.label_names.index(label) for label in possible]] = 1.0
        numbers = {possible: number for number, possible in enumerate(sets)}
        self.sets = np.zeros(int(ends[-1]) + reach, np.int8)
        for (first, end), of_sequence in zip(self.sequences.tolist(), labels, strict=True):
            self.sets[first:end] = [numbers[possible] for possible in of_sequence]
        self.attributes: list[str] = []
        self.slots: list[RowsOfSlot] = []
        self.pairs: list[RowsOfPairs] = []
        self.rows = 0
        types, views, fixed = list[npt.NDArray[np.int32]](), list[tuple[int, int, int]](), list[npt.NDArray[np.int32]]()
        for number, stream in enumerate(streams):
            of_positions = stream.laid_out(reach)
            of_stream = stream.attributes(of_positions, reach)
            attribute, width = len(self.attributes), max(of_stream.places.values(), default=-1) + 1
            first, end = self.rows, self.rows + of_stream.types * width
            self.slots += [RowsOfSlot(slot, attribute + slot.first, first, end, width) for slot in of_stream.slots]
            types.append(of_positions * np.int32(width) + np.int32(first))
            views += [(number, offset, place) for offset, place in of_stream.places.items()]
            count = len(of_stream.names) - of_stream.first_of_pair
            self.pairs.append(RowsOfPairs(attribute + of_stream.first_of_pair, end, count))
            shift = end - of_stream.first_of_pair
            fixed.append(np.where(of_stream.pairs < 0, -1, of_stream.pairs + shift).astype(np.int32))
            self.attributes += of_stream.names
            self.rows = end + count
        if len(set(self.attributes)) < len(self.attributes):
            raise ValueError("two slots have the same attributes")
        if self.rows > np.iinfo(np.int32).max:
            raise ValueError(f"{self.rows:,} rows are too many")
        self.types = np.stack(types)
        self.views = np.array(views, np.int64).reshape(-1, 3)
        self.fixed = np.concatenate(fixed, axis=1)
