"""The pairs of words that a model knows, and what each adds to the scores of tokens.

Templates that join the same value of two words at the same distance ("[-1,0]" and "[0,1]") look at the same pairs for
different tokens. They are one group: its pairs are looked up once and have one row of scores for each of its templates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.crf.features.templates import JOIN, PairTemplate, Table
from deid_core.crf.features.value_tables import single_table
from deid_core.crf.viterbi import lanes_for
from deid_core.crf.weights import CrfWeights
from deid_core.text.hash_table import fill_hash_table


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """See emissions.py for the arrays, which go there.

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
    """Takes up the attributes of pairs, one after the other."""

    def __init__(self, templates: Sequence[PairTemplate]) -> None:
        groups: dict[tuple[Callable[[str], str], int], list[PairTemplate]] = {}
        for template in templates:
            groups.setdefault((template.value, template.right - template.left), []).append(template)
        self._groups = groups
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
        """The row of scores of the pair `value` of a template; number: one above 0 that no other call has."""
        group, place, count = self._place_of[key]
        left, right = (
            known.setdefault(part, number) for known, part in zip(self._known[group], value.split(JOIN, 1), strict=True)
        )
        first = self._first_scores.setdefault(left << 32 | right, self._count)
        if first == self._count:
            self._count += count
        return first + place

    def table(self, model: CrfWeights, rows: npt.NDArray[np.int64]) -> PairTable:
        """The table: a hash table at most half full, by linear probing.

        The scores lie apart from it without gaps, so that they stay in the processor's cache.
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
        members = list(self._groups.values())
        return PairTable(
            tables=tuple(
                single_table(value, known)
                for (value, _), of_group in zip(self._groups, self._known, strict=True)
                for known in of_group
            ),
            distances=np.array([distance for _, distance in self._groups], np.int32),
            lefts=np.array([template.left for of_group in members for template in of_group], np.int32),
            uses=np.cumsum([0, *map(len, members)], dtype=np.int32),
            keys=keys,
            first_scores=first_scores,
            scores=scores,
        )
