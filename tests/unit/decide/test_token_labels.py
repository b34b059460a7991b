"""What is added to a note's labels on doubt."""

from __future__ import annotations

import numpy as np
import pytest

from deid_core.decide.token_labels import LabelRules

OUTSIDE, TOWN, PERSON = 0, 1, 2


@pytest.mark.parametrize(
    ("town", "person", "label"),
    [
        (0.42, 0.08, TOWN),  # Both may be added: the likelier one is.
        (0.21, 0.24, PERSON),
        (0.10, 0.08, PERSON),  # A town is not likely enough.
        (0.42, 0.01, TOWN),
        (0.10, 0.01, OUTSIDE),
    ],
)
def test_of_labels_that_may_be_added_the_likeliest_is(town: float, person: float, label: int) -> None:
    rules = LabelRules(
        outside=OUTSIDE,
        veto=0.99,
        added=np.array([[False, True, False], [False, False, True]]),
        thresholds=np.array([0.2, 0.07]),
    )
    runs = rules.runs(
        np.array([OUTSIDE], np.int8),
        np.array([[1 - town - person, town, person]]),
        np.zeros(1, np.int32),
        np.ones(1, bool),
        np.zeros(1, bool),
    )
    assert runs.labels.tolist() == [label] * (label != OUTSIDE)
