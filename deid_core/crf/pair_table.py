"""The pairs of words that a model knows, with their scores.

Templates that join the same value of two words at the same distance ("[-1,0]" and "[0,1]") use the same pairs for
different tokens. They form a group: its pairs are looked up once and have one row of scores per template.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.core.array_cache import Arrays
from deid_core.crf.features.templates import JOIN, PairTemplate, Table
from deid_core.crf.features.value_tables import numbered_arrays, numbered_values, single_table
from deid_core.crf.inference import lanes_for
from deid_core.crf.weights import CrfWeights
from deid_core.text.hash_table import fill_hash_table


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """The pairs of a model; emissions.py explains the arrays.

    tables: of each group the left part's and the right part's numbers, each of one column.
    """

    tables: tuple[Table, ...]
    distances: npt.NDArray[np.int32]
    lefts: npt.NDArray[np.int32]
    uses: npt.NDArray[np.int32]
    keys: npt.NDArray[np.int64]
    first_scores: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]


class PairTableBuilder:
    """Collects the attributes of pairs, one after another."""

    def __init__(self, templates: Sequence[PairTemplate]) -> None:
        groups = self._groups = _groups(templates)
        # Of each template by its key: the number of its group, its place there, and of how many.
        self._place_of = {
            template.key: (group, place, len(members))
            for group, members in enumerate(groups.values())
            for place, template in enumerate(members)
        }
        self._known: list[tuple[dict[str, int], dict[str, int]]] = [({}, {}) for _ in groups]
        self._first_scores: dict[int, int] = {}
        self._count = 0

    def add(self, key: str, value: str, number: int) -> int:
        """Return the row of scores of the pair `value` of a template. number: above 0 and unique to the call."""
        group, place, count = self._place_of[key]
        left, right = (
            known.setdefault(part, number) for known, part in zip(self._known[group], value.split(JOIN, 1), strict=True)
        )
        first = self._first_scores.setdefault(left << 32 | right, self._count)
        if first == self._count:
            self._count += count
        return first + place

    def arrays(self, model: CrfWeights, rows: npt.NDArray[np.int64]) -> Arrays:
        """Return the arrays that `pair_table` needs: a hash table with linear probing, at most half full.

        The scores are separate and without gaps, so that they fit in the processor's cache.
        rows: int64, for each attribute of the model what `add` gave, else -1.
        """
        found = np.fromiter(self._first_scores, np.int64)
        capacity = 1 << (2 * len(found)).bit_length()
        keys, places = np.zeros(capacity, np.int64), np.zeros(len(found), np.int64)
        fill_hash_table(found, keys, places)
        first_scores = np.zeros(capacity, np.int32)
        first_scores[places] = np.fromiter(self._first_scores.values(), np.int32)
        scores = np.zeros((self._count, lanes_for(len(model.labels))))
        of_features = rows[model.state_attributes]
        of_pairs = of_features >= 0
        np.add.at(scores, (of_features[of_pairs], model.state_labels[of_pairs]), model.state_weights[of_pairs])
        known = [of_side for of_group in self._known for of_side in of_group]
        return {"keys": keys, "first_scores": first_scores, "scores": scores, **numbered_arrays("side", known)}


def pair_table(arrays: Arrays, templates: Sequence[PairTemplate]) -> PairTable:
    """Return the table of `PairTableBuilder.arrays`, of the same templates."""
    groups = _groups(templates)
    values = [value for value, _ in groups for _ in ("left", "right")]
    return PairTable(
        tables=tuple(map(single_table, values, numbered_values("side", arrays))),
        distances=np.array([distance for _, distance in groups], np.int32),
        lefts=np.array([template.left for of_group in groups.values() for template in of_group], np.int32),
        uses=np.cumsum([0, *map(len, groups.values())], dtype=np.int32),
        keys=arrays["keys"],
        first_scores=arrays["first_scores"],
        scores=arrays["scores"],
    )


def _groups(templates: Sequence[PairTemplate]) -> dict[tuple[Callable[[str], str], int], list[PairTemplate]]:
    """Return the templates that share their pairs, by value and distance."""
    groups: dict[tuple[Callable[[str], str], int], list[PairTemplate]] = {}
    for template in templates:
        groups.setdefault((template.value, template.right - template.left), []).append(template)
    return groups
