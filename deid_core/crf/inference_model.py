"""A CRF compiled for inference: weights joined with the feature templates they were trained with.

CRFsuite looks up every attribute string of every token. But a feature of `Templates` depends on one word (or two, for a
pair), and texts repeat their words. So a word's feature values are looked up once, and their weights are summed for
each position of the window that the word can have. The score of a token is then a sum of such rows, gathered by number.
`InferenceModel` depends on the model alone; emission_cache.py holds the rows of a vocabulary's words.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.core.errors import ConfigurationError
from deid_core.crf.features.templates import JOIN, Table, Templates, places_of
from deid_core.crf.features.value_tables import value_table
from deid_core.crf.pair_table import PairTable, PairTableBuilder
from deid_core.crf.viterbi import lanes_for
from deid_core.crf.weights import CrfWeights

_MAX_SHOWN = 5

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int32]
_Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class InferenceModel:
    """Weights and the templates they were trained with; emissions.py explains the arrays.

    places: for each offset the place of its scores in a row; offsets that no slot distinguishes share one.
    tables: of each template, with a number above 0 for each of its values that the model knows. Value n adds
    weights[i] to cell cells[i], for starts[n] <= i < starts[n + 1]; a cell is a place times `lanes` + label.
    """

    labels: tuple[str, ...]
    transitions: _Floats
    offsets: _Ints
    places: _Ints
    tables: tuple[Table, ...]
    starts: _Longs
    cells: _Ints
    weights: _Floats
    pairs: PairTable

    @property
    def lanes(self) -> int:
        """The number of labels, padded to whole vector registers."""
        return lanes_for(len(self.labels))


def compile_crf(model: CrfWeights, templates: Templates) -> InferenceModel:
    """Join weights with the templates they were trained with.

    Raises ConfigurationError if the model has attributes that no template makes, ValueError if two slots of the
    templates have the same key.
    """
    attributes = _Attributes(model, templates)
    starts, cells, weights = attributes.value_weights()
    return InferenceModel(
        labels=model.labels,
        transitions=np.ascontiguousarray(model.transitions, np.float64),
        offsets=np.array([*attributes.places], np.int32),
        places=np.array([*attributes.places.values()], np.int32),
        tables=tuple(
            value_table(t.values, known) for t, known in zip(templates.single, attributes.values, strict=True) if known
        ),
        starts=starts,
        cells=cells,
        weights=weights,
        pairs=attributes.pairs(),
    )


class _Attributes:
    """The model's attributes, parsed into template, slot and value."""

    def __init__(self, model: CrfWeights, templates: Templates) -> None:
        self._model = model
        slots = [(number, slot) for number, template in enumerate(templates.single) for slot in template.slots]
        by_key = {slot.key: place for place, (_, slot) in enumerate(slots)}
        pair_keys = {pair.key for pair in templates.pairs}
        if len(by_key) + len(pair_keys) < len(slots) + len(templates.pairs) or by_key.keys() & pair_keys:
            raise ValueError("two slots of the templates have the same key")
        self.places = places_of(slot for _, slot in slots)
        # A slot adds to a place only for the first of the offsets that share it.
        firsts = set({place: offset for offset, place in reversed(self.places.items())}.values())
        self._slot_places = [[self.places[offset] for offset in slot.offsets if offset in firsts] for _, slot in slots]
        self.values: list[dict[str, int]] = [{} for _ in templates.single]
        self._pairs = PairTableBuilder(templates.pairs)
        # For each attribute: the number of its value and its slot, or -1; the row of its pair's scores, or -1.
        self._value_of = np.full(len(model.attributes), -1, np.int64)
        self._slot_of = np.full(len(model.attributes), -1, np.int64)
        self._pair_of = np.full(len(model.attributes), -1, np.int64)
        unknown: dict[str, None] = {}
        # The number of a value, from 1, is that of the first attribute with it.
        for number, attribute in enumerate(model.attributes):
            key, _, value = attribute.partition(":")
            slot = by_key.get(key)
            if slot is not None:
                self._slot_of[number] = slot
                self._value_of[number] = self.values[slots[slot][0]].setdefault(value, number + 1)
            elif key in pair_keys and JOIN in value:
                self._pair_of[number] = self._pairs.add(key, value, number + 1)
            else:
                unknown[key] = None
        if unknown:
            shown = ", ".join(repr(key) for key in list(unknown)[:_MAX_SHOWN])
            raise ConfigurationError(
                f"the model has attributes of {len(unknown)} kinds that its features do not make: {shown}; "
                "model and features are not of the same training"
            )

    def value_weights(self) -> tuple[_Longs, _Ints, _Floats]:
        """Return `starts`, `cells` and `weights` of InferenceModel."""
        model, lanes = self._model, lanes_for(len(self._model.labels))
        slots = self._slot_of[model.state_attributes]
        single = np.flatnonzero(slots >= 0)
        slots = slots[single]
        lengths = np.array([len(places) for places in self._slot_places], np.int64)
        firsts = np.cumsum(lengths) - lengths
        flat = np.array([place for places in self._slot_places for place in places], np.int64)
        # One entry for each feature and place of its slot.
        counts = lengths[slots]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        places = flat[np.repeat(firsts[slots], counts) + within]
        cells = places * lanes + np.repeat(model.state_labels[single], counts)
        numbers = np.repeat(self._value_of[model.state_attributes[single]], counts)
        weights = np.repeat(model.state_weights[single], counts)
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(len(model.attributes) + 2))
        return starts.astype(np.int64), cells[order].astype(np.int32), weights[order]

    def pairs(self) -> PairTable:
        """Return `pairs` of InferenceModel."""
        return self._pairs.table(self._model, self._pair_of)
