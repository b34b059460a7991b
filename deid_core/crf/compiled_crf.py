"""A CRF compiled for inference: weights joined with the feature templates they were trained with.

CRFsuite looks up every attribute string of every token. But a feature of `Templates` depends on one word (or two, for a
pair), and texts repeat their words. So a word's feature values are looked up once, and their weights are summed for
each position of the window that the word can have. The score of a token is then a sum of such rows, gathered by number.
`CompiledCrf` depends on the model alone; emission_cache.py holds the rows of a vocabulary's words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.array_cache import Arrays, strings_of, strings_to_array
from deid_core.core.errors import ConfigurationError
from deid_core.crf.features.templates import JOIN, Table, Templates, columns_of
from deid_core.crf.features.value_tables import numbered_arrays, numbered_values, value_table
from deid_core.crf.features.word_families import EdgeNgrams, SingleValue
from deid_core.crf.inference import lanes_for
from deid_core.crf.pair_table import PairTable, PairTableBuilder, pair_table
from deid_core.crf.weights import CrfWeights

_MAX_SHOWN = 5
_PACKABLE = (EdgeNgrams, SingleValue)

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int32]
_Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledCrf:
    """Weights and the templates they were trained with; emissions.py explains the arrays.

    columns: for each offset the column of its scores in a row; offsets that no slot distinguishes share one.
    tables: of each template, with a number above 0 for each of its values that the model knows. Value n adds
    weights[i] to cell cells[i], for starts[n] <= i < starts[n + 1]; a cell is a column times `lanes` + label.
    """

    labels: tuple[str, ...]
    transitions: _Floats
    offsets: _Ints
    columns: _Ints
    tables: tuple[Table, ...]
    starts: _Longs
    cells: _Ints
    weights: _Floats
    pairs: PairTable

    @property
    def lanes(self) -> int:
        """The number of labels, padded to whole vector registers."""
        return lanes_for(len(self.labels))


def crf_arrays(model: CrfWeights, templates: Templates, other: Templates) -> Arrays:
    """Join weights with the templates they were trained with; return the arrays that `compiled_crf` needs.

    other: the templates of attributes that are left out: a stacking model has two sequences, compiled one by one.

    Raises ConfigurationError if the model has attributes that no template makes, ValueError if two slots of the
    templates have the same key.
    """
    attributes = _Attributes(model, templates, other)
    starts, cells, weights = attributes.value_weights()
    return {
        "labels": strings_to_array(model.labels),
        "transitions": np.ascontiguousarray(model.transitions, np.float64),
        "offsets": np.array([*attributes.columns], np.int32),
        "columns": np.array([*attributes.columns.values()], np.int32),
        "starts": starts,
        "cells": cells,
        "weights": weights,
        **pack_values(templates, attributes.values),
        **attributes.pairs(),
    }


def compiled_crf(arrays: Arrays, templates: Templates) -> CompiledCrf:
    """Return the model of `crf_arrays`, of the same templates."""
    return CompiledCrf(
        labels=tuple(strings_of(arrays["labels"])),
        tables=tuple(value_tables(arrays, templates)),
        pairs=pair_table(arrays, templates.pairs),
        **{name: arrays[name] for name in ("transitions", "offsets", "columns", "starts", "cells", "weights")},
    )


def pack_values(templates: Templates, values: Sequence[dict[str, int]]) -> Arrays:
    """Return the numbers of each template's values as arrays; `value_tables` reads them.

    n-grams and words, which are most of the values, are packed: that takes no time when the model is loaded.
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    others: list[dict[str, int]] = []
    for number, (template, known) in enumerate(zip(templates.single, values, strict=True)):
        packed = template.values.packed(known) if isinstance(template.values, _PACKABLE) and known else None
        arrays.update({f"{_packed_name(number)}{name}": array for name, array in (packed or {}).items()})
        others.append(known if packed is None else {})
    return {**numbered_arrays("value", others), **arrays}


def value_tables(arrays: Arrays, templates: Templates) -> Iterator[Table]:
    """Yield the table of each template that has values in the model, in their order."""
    for number, (template, known) in enumerate(zip(templates.single, numbered_values("value", arrays), strict=True)):
        start = _packed_name(number)
        packed = {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
        if packed and isinstance(template.values, _PACKABLE):
            yield template.values.packed_table(packed)
        elif known:
            yield value_table(template.values, known)


def _packed_name(template: int) -> str:
    return f"packed {template} "


class _Attributes:
    """The model's attributes, parsed into template, slot and value."""

    def __init__(self, model: CrfWeights, templates: Templates, other: Templates) -> None:
        self._model = model
        keys = templates.keys + other.keys
        if len(set(keys)) < len(keys):
            raise ValueError("two slots of the templates have the same key")
        slots = [(number, slot) for number, template in enumerate(templates.single) for slot in template.slots]
        self.columns = columns_of(slot for _, slot in slots)
        # A slot adds to a column only for the first of the offsets that share it.
        firsts = set({column: offset for offset, column in reversed(self.columns.items())}.values())
        self._slot_columns = [
            [self.columns[offset] for offset in slot.offsets if offset in firsts] for _, slot in slots
        ]
        self.values: list[dict[str, int]] = [{} for _ in templates.single]
        self._pairs = PairTableBuilder(templates.pairs)
        # For each attribute: the number of its value and its slot, or -1; the row of its pair's scores, or -1.
        self._value_of = np.full(len(model.attributes), -1, np.int64)
        self._slot_of = np.full(len(model.attributes), -1, np.int64)
        self._pair_of = np.full(len(model.attributes), -1, np.int64)
        by_key = _SortedAttributes(model.attributes)
        # The number of a value, from 1, is that of the first attribute with it.
        for slot_number, (template, slot) in enumerate(slots):
            attributes, values, numbers = by_key.of_key(slot.key)
            self._value_of[attributes] = list(map(self.values[template].setdefault, values, numbers))
            self._slot_of[attributes] = slot_number
        for pair in templates.pairs:
            attributes, values, numbers = by_key.of_key(pair.key, containing=JOIN)
            self._pair_of[attributes] = [
                self._pairs.add(pair.key, value, number) for value, number in zip(values, numbers, strict=True)
            ]
        for key in other.keys:
            by_key.of_key(key)
        if unknown := by_key.never_asked():
            shown = ", ".join(repr(key) for key in unknown[:_MAX_SHOWN])
            raise ConfigurationError(
                f"the model has attributes of {len(unknown)} kinds that its features do not make: {shown}; "
                "model and features are not of the same training"
            )

    def value_weights(self) -> tuple[_Longs, _Ints, _Floats]:
        """Return `starts`, `cells` and `weights` of CompiledCrf."""
        model, lanes = self._model, lanes_for(len(self._model.labels))
        slots = self._slot_of[model.state_attributes]
        single = np.flatnonzero(slots >= 0)
        slots = slots[single]
        lengths = np.array([len(columns) for columns in self._slot_columns], np.int64)
        firsts = np.cumsum(lengths) - lengths
        flat = np.array([column for columns in self._slot_columns for column in columns], np.int64)
        # One entry for each feature and column of its slot.
        counts = lengths[slots]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        columns = flat[np.repeat(firsts[slots], counts) + within]
        cells = columns * lanes + np.repeat(model.state_labels[single], counts)
        numbers = np.repeat(self._value_of[model.state_attributes[single]], counts)
        weights = np.repeat(model.state_weights[single], counts)
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(len(model.attributes) + 2))
        return starts.astype(np.int64), cells[order].astype(np.int32), weights[order]

    def pairs(self) -> Arrays:
        """Return the arrays of `pair_table`."""
        return self._pairs.arrays(self._model, self._pair_of)


class _SortedAttributes:
    """A model's attributes, ascending, so that those of one key are adjacent."""

    def __init__(self, attributes: Sequence[str]) -> None:
        order = sorted(range(len(attributes)), key=attributes.__getitem__)
        self._order = np.array(order, np.int64)
        self._sorted = [attributes[number] for number in order]
        self._asked = np.zeros(len(order), np.bool_)

    def of_key(self, key: str, containing: str = "") -> tuple[_Longs, list[str], list[int]]:
        """Return the attributes of a key: their numbers in the model, their values, and unique numbers above 0.

        containing: attributes without this text are left out.
        """
        # ";" is the character after ":".
        places = range(bisect_left(self._sorted, f"{key}:"), bisect_left(self._sorted, f"{key};"))
        found = [place for place in places if containing in self._sorted[place]]
        self._asked[found] = True
        values = [self._sorted[place][len(key) + 1 :] for place in found]
        return self._order[found], values, [place + 1 for place in found]

    def never_asked(self) -> list[str]:
        """Return the keys of the attributes that `of_key` never returned."""
        rest = (self._sorted[place] for place in np.flatnonzero(~self._asked).tolist())
        return list(dict.fromkeys(attribute.partition(":")[0] for attribute in rest))
