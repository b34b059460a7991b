"""The table of steps: states say the values in their order, and a step that fails leaves the table as it was."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from deid_core.ensemble.stacking import feature_set_interner as evidence_steps
from deid_core.ensemble.stacking.feature_set_interner import FeatureSetInterner

TOKENS = 40


def walked(table: FeatureSetInterner, values: list[int]) -> list[tuple[int, ...]]:
    """What is said of each of the tokens if each value is said of one token less, from the first on."""
    ranges = np.array([[token, TOKENS] for token in range(len(values))], np.int64).reshape(-1, 2)
    states = table.walk(np.array(values, np.int64), ranges, TOKENS)
    return [table.said[state] for state in states.tolist()]


def expected(values: list[int]) -> list[tuple[int, ...]]:
    return [
        tuple(value + (token > first) for first, value in enumerate(values) if first <= token)
        for token in range(TOKENS)
    ]


def test_states_say_the_values_in_their_order_however_far_the_table_grows() -> None:
    table = FeatureSetInterner()
    for values in product(range(0, 20, 2), repeat=3):
        assert walked(table, list(values)) == expected(list(values))
    assert len(table.said) > 1024
    assert len(set(table.said)) == len(table.said)


@pytest.mark.parametrize(
    ("module", "name", "call"),
    [(np, "zeros", 2), (np, "zeros", 3), (np, "empty", 1), (np, "empty", 2), (evidence_steps, "fill_hash_table", 1)],
)
def test_a_step_that_fails_leaves_the_table_as_it_was(
    module: Any, name: str, call: int, out_of_memory: Callable[[Any, str, int], None]
) -> None:
    table = FeatureSetInterner()
    # Two steps each; the next one makes the table longer.
    for value in range(256):
        walked(table, [2 * value])
    said = list(table.said)
    assert len(said) == 513

    out_of_memory(module, name, call)
    with pytest.raises(MemoryError):
        walked(table, [5000])
    assert table.said == said
    assert walked(table, [5000]) == expected([5000])
    for value in range(256):
        assert walked(table, [2 * value]) == expected([2 * value])
    assert len(set(table.said)) == len(table.said)
