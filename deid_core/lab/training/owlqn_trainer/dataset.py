"""Labelled sequences as arrays for training: for each position, the rows of scores that it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.crf.inference import lanes_for
from deid_core.lab.training.owlqn_trainer.token_streams import SlotAttributes, Stream

AllowedLabels = tuple[str, ...]
"""The labels that a word may have; a single one if its label is annotated.

With several, training maximises the probability that the word has any of them (Tsuboi et al. 2008, Training Conditional
Random Fields Using Incomplete Annotations). Only the first, primary label counts as observed; features that are never
observed get no weight.
"""


@dataclass(frozen=True, slots=True, eq=False)
class RowsOfSlot:
    """A slot, the number of its first attribute among all, and the rows [start_row, end_row) of its stream's types.

    Each type has `width` rows.
    """

    stream: int
    slot: SlotAttributes
    attribute: int
    start_row: int
    end_row: int
    width: int


@dataclass(frozen=True, slots=True, eq=False)
class RowsOfPairs:
    """Attributes of pairs, one row each: `count` of them, from attribute `attribute` and from row `start_row` on."""

    attribute: int
    start_row: int
    count: int


class Examples:
    """The arrays that forward_backward.py describes; sequences and words keep their order.

    streams: parallel sequences, word by word. labels: of each word of each sequence. label_names: the labels of the
    model, in their order; None is those that occur. Raises ValueError if their lengths differ, two streams have the
    same attributes, the rows exceed int32, or a word has a label that is not named.
    """

    def __init__(
        self,
        streams: Sequence[Stream],
        labels: Sequence[Sequence[AllowedLabels]],
        label_names: Sequence[str] | None = None,
    ) -> None:
        lengths = [len(of_sequence) for of_sequence in labels]
        if any(stream.lengths != lengths for stream in streams):
            raise ValueError("streams and labels are of different lengths")
        self._reach = reach = max(stream.reach for stream in streams)
        ends = np.cumsum(np.array(lengths, np.int64)) + reach * (1 + np.arange(len(lengths)))
        self.sequences = np.stack([ends - lengths, ends], axis=1)
        sets = sorted({allowed for of_sequence in labels for allowed in of_sequence})
        occurring = {label for allowed in sets for label in allowed}
        self.label_names = tuple(sorted(occurring) if label_names is None else label_names)
        if not occurring <= {*self.label_names}:
            raise ValueError("a word has a label that the model lacks")
        self.lanes = lanes_for(len(self.label_names))
        self.primary = np.array([self.label_names.index(allowed[0]) for allowed in sets], np.int64)
        self.allowed = np.zeros((len(sets), self.lanes))
        for row, allowed in zip(self.allowed, sets, strict=True):
            row[[self.label_names.index(label) for label in allowed]] = 1.0
        numbers = {allowed: number for number, allowed in enumerate(sets)}
        self.sets = np.zeros(int(ends[-1]) + reach, np.int8)
        for (start, end), of_sequence in zip(self.sequences.tolist(), labels, strict=True):
            self.sets[start:end] = [numbers[allowed] for allowed in of_sequence]
        self.attributes: list[str] = []
        self.slots: list[RowsOfSlot] = []
        self.pairs: list[RowsOfPairs] = []
        self.rows = 0
        types, views, fixed = list[npt.NDArray[np.int32]](), list[tuple[int, int, int]](), list[npt.NDArray[np.int32]]()
        for number, stream in enumerate(streams):
            positions = stream.padded(reach)
            of_stream = stream.attributes(positions, reach)
            attribute, width = len(self.attributes), max(of_stream.columns.values(), default=-1) + 1
            start, end = self.rows, self.rows + of_stream.types * width
            self.slots += [
                RowsOfSlot(number, slot, attribute + slot.start, start, end, width) for slot in of_stream.slots
            ]
            types.append(positions * np.int32(width) + np.int32(start))
            views += [(number, offset, column) for offset, column in of_stream.columns.items()]
            count = len(of_stream.names) - of_stream.pair_start
            self.pairs.append(RowsOfPairs(attribute + of_stream.pair_start, end, count))
            shift = end - of_stream.pair_start
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

    def sequence_counts(self, sequences: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return in how many of these sequences a word, or the edge beside it, has the value of each attribute.

        int64 (attributes,). Of a value that is in a sequence all positions of the window count.
        """
        counts = np.zeros(len(self.attributes), np.int64)
        for start, end in sequences.tolist():
            for of in self.slots:
                if of.slot.count:
                    rows = self.types[of.stream, start - self._reach : end + self._reach]
                    types = np.unique((rows - of.start_row) // max(of.width, 1))
                    values = [of.slot.values[of.slot.starts[t] : of.slot.starts[t + 1]] for t in types.tolist()]
                    counts[of.attribute + np.unique(np.concatenate(values))] += 1
            rows = np.unique(self.fixed[start:end])
            for pairs in self.pairs:
                own = rows[(rows >= pairs.start_row) & (rows < pairs.start_row + pairs.count)]
                counts[own - pairs.start_row + pairs.attribute] += 1
        return counts
