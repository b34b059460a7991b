"""A CRF compiled for use: what a word type adds to the scores around it, computed once per type.

CRFsuite looks up every attribute string of every token. But a feature of `Templates` depends on one word (or on two,
for a pair), and texts repeat their words: so a word's values are looked up once, and what they weigh is added up for
each position of the window at which the word can stand. A token's score is then a sum of such rows, gathered by
number. `CompiledCrf` is what depends on the model alone, `TypeRows` what grows with a vocabulary.

Types: 0 is the word outside the sequence (EDGE), 1 the line break (LINE), then the vocabulary's word types in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.errors import ConfigurationError
from deid_core.sequence.crfsuite_file import CrfsuiteModel
from deid_core.sequence.decode import add_values, fill_hash_table
from deid_core.sequence.features import EDGE, JOIN, LINE, Templates, Values
from deid_core.tokens import Vocabulary
from deid_core.word_types import with_room

EDGE_TYPE, LINE_TYPE, FIRST_TYPE = 0, 1, 2
"""The types of EDGE and LINE, and of the vocabulary's first word type."""
_WORDS_AT_ONCE = 8192
_MAX_SHOWN = 5

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int32]
_Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledCrf:
    """A model and the templates it was trained with; see decode.py for the arrays that go there.

    values: each template's function and a number above 0 for each of its values that the model knows. Value n adds
    weights[i] to cell cells[i], for starts[n] <= i < starts[n + 1]; a cell is an offset's place times labels + label.
    sides: each pair template's function and numbers above 0 for the values known as left and as right part.
    """

    labels: tuple[str, ...]
    transitions: _Floats
    offsets: _Ints
    values: tuple[tuple[Values, dict[str, int]], ...]
    starts: _Longs
    cells: _Ints
    weights: _Floats
    sides: tuple[tuple[Callable[[str], str], dict[str, int], dict[str, int]], ...]
    pair_offsets: _Ints
    keys: _Longs
    pair_scores: _Floats


def compile_crf(model: CrfsuiteModel, templates: Templates) -> CompiledCrf:
    """Joins a model with the templates it was trained with.

    Raises ConfigurationError if the model has attributes that no template makes, ValueError if two slots of the
    templates have the same key.
    """
    attributes = _Attributes(model, templates)
    starts, cells, weights = attributes.value_weights()
    keys, pair_scores = attributes.pair_table()
    pair_offsets = [(pair.left, pair.right) for pair in templates.pairs]
    return CompiledCrf(
        labels=model.labels,
        transitions=np.ascontiguousarray(model.transitions, np.float64),
        offsets=np.array(attributes.offsets, np.int32),
        values=tuple((t.values, known) for t, known in zip(templates.single, attributes.values, strict=True) if known),
        starts=starts,
        cells=cells,
        weights=weights,
        sides=tuple((p.value, *known) for p, known in zip(templates.pairs, attributes.sides, strict=True)),
        pair_offsets=np.array(pair_offsets, np.int32).reshape(-1, 2),
        keys=keys,
        pair_scores=pair_scores,
    )


class _Attributes:
    """The model's attributes taken apart: which template, slot and value each is."""

    def __init__(self, model: CrfsuiteModel, templates: Templates) -> None:
        self._model = model
        slots = [(number, slot) for number, template in enumerate(templates.single) for slot in template.slots]
        by_key = {slot.key: place for place, (_, slot) in enumerate(slots)}
        pair_by_key = {pair.key: place for place, pair in enumerate(templates.pairs)}
        if len(by_key) + len(pair_by_key) < len(slots) + len(templates.pairs) or by_key.keys() & pair_by_key.keys():
            raise ValueError("two slots of the templates have the same key")
        self.offsets = sorted({offset for _, slot in slots for offset in slot.offsets})
        self._slot_offsets = [[self.offsets.index(offset) for offset in slot.offsets] for _, slot in slots]
        self.values: list[dict[str, int]] = [{} for _ in templates.single]
        self.sides: list[tuple[dict[str, int], dict[str, int]]] = [({}, {}) for _ in templates.pairs]
        self._pair_keys: list[int] = []
        # For each attribute: the number of its value and its slot, or -1; the place of its pair, or -1.
        self._value_of = np.full(len(model.attributes), -1, np.int64)
        self._slot_of = np.full(len(model.attributes), -1, np.int64)
        self._pair_of = np.full(len(model.attributes), -1, np.int64)
        unknown: dict[str, None] = {}
        # A value has the number, from 1, of the first attribute that has it.
        for number, attribute in enumerate(model.attributes):
            key, _, value = attribute.partition(":")
            slot, pair = by_key.get(key), pair_by_key.get(key)
            if slot is not None:
                self._slot_of[number] = slot
                self._value_of[number] = self.values[slots[slot][0]].setdefault(value, number + 1)
            elif pair is not None and JOIN in value:
                left, right = (
                    known.setdefault(part, number + 1)
                    for known, part in zip(self.sides[pair], value.split(JOIN, 1), strict=True)
                )
                self._pair_of[number] = len(self._pair_keys)
                self._pair_keys.append(left << 32 | right)
            else:
                unknown[key] = None
        if unknown:
            shown = ", ".join(repr(key) for key in list(unknown)[:_MAX_SHOWN])
            raise ConfigurationError(
                f"the model has attributes of {len(unknown)} kinds that its features do not make: {shown}; "
                "model and features are not of the same training"
            )

    def value_weights(self) -> tuple[_Longs, _Ints, _Floats]:
        """`starts`, `cells` and `weights` of CompiledCrf: the weights of each value, at each offset of their slots."""
        model, labels = self._model, len(self._model.labels)
        slots = self._slot_of[model.state_attributes]
        single = np.flatnonzero(slots >= 0)
        slots = slots[single]
        lengths = np.array([len(offsets) for offsets in self._slot_offsets], np.int64)
        firsts = np.cumsum(lengths) - lengths
        flat = np.array([place for offsets in self._slot_offsets for place in offsets], np.int64)
        # One entry for each feature and offset of its slot.
        counts = lengths[slots]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        places = flat[np.repeat(firsts[slots], counts) + within]
        cells = places * labels + np.repeat(model.state_labels[single], counts)
        numbers = np.repeat(self._value_of[model.state_attributes[single]], counts)
        weights = np.repeat(model.state_weights[single], counts)
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(len(model.attributes) + 2))
        return starts.astype(np.int64), cells[order].astype(np.int32), weights[order]

    def pair_table(self) -> tuple[_Longs, _Floats]:
        """`keys` and `pair_scores` of CompiledCrf: a hash table at most half full, by linear probing."""
        model = self._model
        capacity = 1 << (2 * len(self._pair_keys)).bit_length()
        keys, places = np.zeros(capacity, np.int64), np.zeros(len(self._pair_keys), np.int64)
        fill_hash_table(np.array(self._pair_keys, np.int64), keys, places)
        scores = np.zeros((capacity, len(model.labels)))
        pairs = self._pair_of[model.state_attributes]
        found = pairs >= 0
        np.add.at(scores, (places[pairs[found]], model.state_labels[found]), model.state_weights[found])
        return keys, scores


class TypeRows:
    """What each word type of a vocabulary adds to scores, computed once a type; grows with the vocabulary.

    Words with the same values have one row together: of numbers, whose digits no value tells apart, there are many.
    rows: int32 (types,), the row of each; type 0 is EDGE, 1 LINE, then the vocabulary's word types in order.
    scores: float64 (rows, offsets, labels). sides: int32 (rows, pair templates, 2). All may be longer than their use.
    """

    def __init__(self, crf: CompiledCrf, vocabulary: Vocabulary) -> None:
        self._crf = crf
        self._vocabulary = vocabulary
        self._filled = 0
        self._known: dict[tuple[int, ...], int] = {}
        self.rows: _Ints = np.zeros(1024, np.int32)
        self.scores: _Floats = np.zeros((256, len(crf.offsets), len(crf.labels)))
        self.sides: _Ints = np.zeros((256, len(crf.sides), 2), np.int32)
        self._append([EDGE, LINE])

    def __len__(self) -> int:
        return self._filled

    def extend(self) -> None:
        """Computes the rows of all word types that came since the last call."""
        words = self._vocabulary.words
        while self._filled < len(words) + FIRST_TYPE:
            first = self._filled - FIRST_TYPE
            self._append(words[first : first + _WORDS_AT_ONCE])

    def _append(self, words: Sequence[str]) -> None:
        crf, first_row = self._crf, len(self._known)
        values, sides = _known_values(crf, words), _known_sides(crf, words)
        numbers: list[int] = []
        ends: list[int] = []
        of_pairs: list[tuple[int, ...]] = []
        rows = []
        for of_word, of_pair in zip(values, sides, strict=True):
            key = (len(of_word), *of_word, *of_pair)
            row = self._known.setdefault(key, len(self._known))
            if row == first_row + len(ends):
                numbers += of_word
                ends.append(len(numbers))
                of_pairs.append(of_pair)
            rows.append(row)
        self.rows = with_room(self.rows, self._filled + len(words))
        self.rows[self._filled : self._filled + len(words)] = rows
        self._filled += len(words)
        end = len(self._known)
        self.scores, self.sides = with_room(self.scores, end), with_room(self.sides, end)
        new = self.scores[first_row:end].reshape(len(ends), len(crf.offsets) * len(crf.labels))
        add_values(np.array(numbers, np.int32), np.array(ends, np.int64), crf.starts, crf.cells, crf.weights, new)
        if crf.sides and of_pairs:
            self.sides[first_row:end] = np.array(of_pairs, np.int32).reshape(len(ends), len(crf.sides), 2)


def _known_sides(crf: CompiledCrf, words: Sequence[str]) -> list[tuple[int, ...]]:
    """For each word and pair template the number of its value as left and as right part, 0 where it is not known."""
    of_words = {value: [value(word) for word in words] for value in {value for value, _, _ in crf.sides}}
    columns = [
        [numbers_of.get(part, 0) for part in of_words[value]] for value, *known in crf.sides for numbers_of in known
    ]
    return list(zip(*columns, strict=True)) if columns else [()] * len(words)


def _known_values(crf: CompiledCrf, words: Iterable[str]) -> list[list[int]]:
    """For each word the numbers of its values that the model knows."""
    lookups = [(values, known.get) for values, known in crf.values]
    # No value has the number 0, so `filter` drops only what the model does not know.
    return [[n for values, get in lookups for n in filter(None, map(get, values(word)))] for word in words]
