"""What the recognisers know of the stacking model's entities."""

from __future__ import annotations

import numpy as np

from deid_core.ensemble.stacking.attribution import NONE, attribute_entities


def test_of_what_recognisers_know_of_an_entity_the_most_exact_counts() -> None:
    """Two entities of label 1; kinds: 0 of its group, 1 of a finer type, 2 of no group, 3 the same and always kept."""
    knowledge = np.array([[1, 0, 3, 0], [1, 1, 2, 0], [NONE, 0, 1, 0], [NONE, 0, 0, 1]], np.int32)
    # Just the first entity; within it, of a finer type; of no group; the second one, less and more surely.
    kinds, scores = np.array([0, 1, 2, 0, 0, 2, 3]), np.array([0.5, 0.9, 0.9, 0.5, 0.6, 0.9, 0.9])
    touched = np.array([[0, 2], [0, 1], [0, 2], [3, 4], [3, 5], [2, 3], [2, 3]])
    starts, ends = (touched[:, 0] * 10).astype(np.int32), (touched[:, 1] * 10).astype(np.int32)
    surely_outside = np.array([0, 0, 0, 1, 1, 1], np.int32)
    run_of, labels = np.array([0, 0, -1, 1, -1], np.int32), np.array([1, 1], np.int8)
    run_ends = np.array([20, 45], np.int32)
    known, is_exact, kept = np.empty(2, np.int32), np.empty(2, np.bool_), np.empty(len(kinds), np.bool_)
    attribute_entities(
        starts, ends, touched, kinds, scores, knowledge, surely_outside, run_of, labels,
        np.array([0, 30], np.int32), run_ends, known, is_exact, kept,
    )  # fmt: skip
    assert known.tolist() == [0, 4]
    assert is_exact.tolist() == [True, False]
    # The two of the token that is surely outside: one is dropped.
    assert kept.tolist() == [True, True, True, True, True, False, True]
