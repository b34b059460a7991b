"""FeatureSetInterner: a set holds its features in order, and a transition that fails leaves the table as it was."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from deid_core.ensemble.stacking import feature_set_interner
from deid_core.ensemble.stacking.feature_set_interner import FeatureSetInterner

TOKENS = 40


def interned(table: FeatureSetInterner, features: list[int]) -> list[tuple[int, ...]]:
    """Return the set of each token if range n covers the tokens from n to the last one."""
    ranges = np.array([[token, TOKENS] for token in range(len(features))], np.int64).reshape(-1, 2)
    ids = table.intern(np.array(features, np.int64), ranges, TOKENS)
    return [table.sets[number] for number in ids.tolist()]


def expected(features: list[int]) -> list[tuple[int, ...]]:
    return [
        tuple(feature + (token > first) for first, feature in enumerate(features) if first <= token)
        for token in range(TOKENS)
    ]


def test_a_set_holds_its_features_in_order_however_large_the_table_grows() -> None:
    table = FeatureSetInterner()
    for features in product(range(0, 20, 2), repeat=3):
        assert interned(table, list(features)) == expected(list(features))
    assert len(table.sets) > 1024
    assert len(set(table.sets)) == len(table.sets)


@pytest.mark.parametrize(
    ("module", "name", "call"),
    [
        (np, "zeros", 2),
        (np, "zeros", 3),
        (np, "empty", 1),
        (np, "empty", 2),
        (feature_set_interner, "fill_hash_table", 1),
    ],
)
def test_a_transition_that_fails_leaves_the_table_as_it_was(
    module: Any, name: str, call: int, out_of_memory: Callable[[Any, str, int], None]
) -> None:
    table = FeatureSetInterner()
    # Two transitions each; the next one doubles the table.
    for feature in range(256):
        interned(table, [2 * feature])
    sets = list(table.sets)
    assert len(sets) == 513

    out_of_memory(module, name, call)
    with pytest.raises(MemoryError):
        interned(table, [5000])
    assert table.sets == sets
    assert interned(table, [5000]) == expected([5000])
    for feature in range(256):
        assert interned(table, [2 * feature]) == expected([2 * feature])
    assert len(set(table.sets)) == len(table.sets)
