"""What is added to a note's labels on doubt."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.ensemble.stacking.thresholds import EntityArrays, Thresholds

OUTSIDE, TOWN, PERSON = 0, 1, 2
CONSTANTS = {"min_odds_ratio": 0.1, "repeated_from": 0.5}


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
    thresholds = Thresholds(
        outside=OUTSIDE,
        drop_above=0.99,
        promoted=np.array([[False, True, False], [False, False, True]]),
        promote_above=np.array([0.2, 0.07]),
        **CONSTANTS,
    )
    entities = thresholds.entities(
        np.array([OUTSIDE], np.int8),
        np.array([[1 - town - person, town, person]]),
        np.zeros(1, np.int32),
        np.ones(1, bool),
        np.zeros(1, np.uint32),
        np.zeros(1, bool),
    )
    assert entities.labels.tolist() == [label] * (label != OUTSIDE)


def _added(sure: int, sure_nothing: int, prior_entity_rate: float | None) -> bool:
    """Whether a person of 30 % is added in a note of so many words that surely are one and that surely are none."""
    thresholds = Thresholds(
        OUTSIDE, 0.99, np.array([[False, False, True]]), np.array([0.2]), prior_entity_rate, **CONSTANTS
    )
    words = 1 + sure + sure_nothing
    probabilities = np.zeros((words, 3))
    probabilities[0] = 0.7, 0.0, 0.3
    probabilities[1 : 1 + sure, PERSON] = 1
    probabilities[1 + sure :, OUTSIDE] = 1
    entities = thresholds.entities(
        probabilities.argmax(1).astype(np.int8),
        probabilities,
        np.arange(words, dtype=np.int32),
        np.ones(words, bool),
        np.zeros(words, np.uint32),
        np.zeros(words, bool),
    )
    return int(entities.entity_of[0]) >= 0


@pytest.mark.parametrize(
    ("sure", "sure_nothing", "prior_entity_rate", "added"),
    [
        (25, 74, 0.25, True),
        (90, 9, 0.25, True),
        (21, 78, 0.25, True),
        (18, 81, 0.25, False),  # The odds are 0.67 of the usual ones, their square 0.45: of 0.2 becomes 0.36.
        (3, 96, 0.25, False),
        (3, 96, 0.03, True),
        (3, 96, None, True),
    ],
)
def test_a_doubt_counts_less_in_a_note_with_fewer_entities(
    sure: int, sure_nothing: int, prior_entity_rate: float | None, added: bool
) -> None:
    assert _added(sure, sure_nothing, prior_entity_rate) is added


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 50))
def test_a_note_without_fewer_entities_adds_no_less(sure: int, more: int, nothing: int) -> None:
    if _added(sure, nothing, 0.25):
        assert _added(sure + more, nothing, 0.25)


@pytest.mark.parametrize(("probability", "added"), [(0.75, True), (0.70, False)])
def test_in_a_note_with_next_to_no_entity_what_is_likely_is_still_added(probability: float, added: bool) -> None:
    """The threshold of 0.2 becomes 0.2 / (0.2 + 0.8 · 0.1) = 0.714, and no more."""
    thresholds = Thresholds(OUTSIDE, 0.99, np.array([[False, False, True]]), np.array([0.2]), 0.25, **CONSTANTS)
    probabilities = np.tile([1.0, 0.0, 0.0], (1000, 1))
    probabilities[0] = 1 - probability, 0.0, probability
    entities = thresholds.entities(
        np.zeros(1000, np.int8),
        probabilities,
        np.arange(1000, dtype=np.int32),
        np.ones(1000, bool),
        np.zeros(1000, np.uint32),
        np.zeros(1000, bool),
    )
    assert (entities.labels.tolist() == [PERSON]) is added


def test_marks_and_line_ends_are_no_words_of_the_share() -> None:
    """Of four words one is a person, as usual; with the marks and line ends around them it would be one of twelve."""
    thresholds = Thresholds(OUTSIDE, 0.99, np.array([[False, False, True]]), np.array([0.2]), 0.25, **CONSTANTS)
    probabilities = np.tile([1.0, 0.0, 0.0], (12, 1))
    probabilities[0], probabilities[1] = [0.0, 0.0, 1.0], [0.7, 0.0, 0.3]
    numbers = np.array([0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1], np.int32)
    is_word = np.array([True] * 4 + [False] * 4)
    entities = thresholds.entities(
        probabilities.argmax(1).astype(np.int8),
        probabilities,
        numbers,
        is_word,
        np.zeros(8, np.uint32),
        np.zeros(8, bool),
    )
    assert (entities.start_tokens.tolist(), entities.end_tokens.tolist()) == ([0], [2])


@pytest.mark.parametrize(
    ("elsewhere", "here", "forms", "added"),
    [
        (0.9, 0.02, [7, 7], True),
        (0.9, 0.02, [7, 8], False),
        (0.9, 0.001, [7, 7], False),
        (0.4, 0.02, [7, 7], False),
        (0.9, 0.02, [0, 0], False),  # Numbers and single letters are of no form.
    ],
)
def test_a_doubtful_word_that_is_a_name_elsewhere_is_one(
    elsewhere: float, here: float, forms: list[int], added: bool
) -> None:
    thresholds = Thresholds(
        OUTSIDE, 0.99, np.array([[False, False, True]]), np.array([0.2]), repeated=(PERSON, 0.01), **CONSTANTS
    )
    probabilities = np.array([[1 - elsewhere, 0.0, elsewhere], [1 - here, 0.0, here]])
    entities = thresholds.entities(
        probabilities.argmax(1).astype(np.int8),
        probabilities,
        np.arange(2, dtype=np.int32),
        np.ones(2, bool),
        np.array(forms, np.uint32),
        np.array([False, True]),
    )
    assert (int(entities.entity_of[1]) >= 0) is added


def test_runs_are_of_one_label_and_line_and_count_what_is_added() -> None:
    thresholds = Thresholds(
        0, 0.7, np.array([[False, True, False], [False, False, True]]), np.array([0.3, 0.4]), **CONSTANTS
    )
    # A word, a line break of the sequence, then words: the first rule adds, both add, none adds, a mark, the model's.
    numbers = np.array([0, -1, 1, 2, 3, 4, 5], np.int32)
    labels = np.array([1, 2, 0, 0, 0, 0, 2], np.int8)
    probabilities = np.array(
        [[0, 1, 0], [0, 0, 1], [0.6, 0.4, 0], [0.2, 0.4, 0.4], [0.8, 0.1, 0.1], [0.1, 0.9, 0], [0, 0.1, 0.9]], float
    )
    addable, breaks = np.array([1, 1, 1, 1, 0, 1], bool), np.array([0, 1, 0, 0, 0, 0], bool)
    entities = thresholds.entities(labels, probabilities, numbers, addable, np.zeros(6, np.uint32), breaks)
    assert entities.entity_of.tolist() == [0, 1, 2, -1, -1, 3]
    assert list(
        zip(entities.start_tokens.tolist(), entities.end_tokens.tolist(), entities.labels.tolist(), strict=True)
    ) == [
        *((0, 1, 1), (1, 2, 1), (2, 3, 2), (5, 6, 2)),
    ]
    assert entities.scores.tolist() == [1.0, 0.4, 0.4, 0.9]
    assert entities.outside_counts.tolist() == [0, 0, 0, 0, 1, 1, 1]


def _best_entities(
    thresholds: Thresholds,
    of_words: npt.NDArray[np.float64],
    forms: npt.NDArray[np.uint32] | None = None,
    breaks: npt.NDArray[np.bool_] | None = None,
) -> EntityArrays:
    """The runs of words with these probabilities, whose best labels are the likeliest."""
    words = len(of_words)
    return thresholds.entities(
        of_words.argmax(1).astype(np.int8),
        of_words,
        np.arange(words, dtype=np.int32),
        np.ones(words, bool),
        np.zeros(words, np.uint32) if forms is None else forms,
        np.zeros(words, bool) if breaks is None else breaks,
    )


def _entities_of(probabilities: list[tuple[float, float]], nothing: int) -> list[tuple[int, int, int]]:
    """Return (start_token, end_token, label) of the best labels of words with such probabilities of TOWN and PERSON.

    As many words as `nothing` surely are none; 0.4 is asked of a town, 0.1 of a person, where every fourth word is one.
    """
    thresholds = Thresholds(
        OUTSIDE, 0.99, np.array([[False, True, False], [False, False, True]]), np.array([0.4, 0.1]), 0.25, **CONSTANTS
    )
    words = len(probabilities) + nothing
    of_words = np.tile([1.0, 0.0, 0.0], (words, 1))
    of_words[: len(probabilities)] = [(1 - town - person, town, person) for town, person in probabilities]
    entities = _best_entities(thresholds, of_words)
    found = list(
        zip(entities.start_tokens.tolist(), entities.end_tokens.tolist(), entities.labels.tolist(), strict=True)
    )
    of_entities = {token: number for number, (start, end, _) in enumerate(found) for token in range(start, end)}
    assert entities.entity_of.tolist() == [of_entities.get(token, -1) for token in range(words)]
    return found


def test_best_labels_that_join_on_to_each_other_need_a_threshold_at_one_word() -> None:
    """Where next to nothing is an entity 0.4 becomes 0.87 and 0.1 becomes 0.53."""
    towns = [(0.6, 0.0), (0.6, 0.0)]
    assert _entities_of(towns, 4) == [(0, 2, TOWN)]
    assert _entities_of(towns, 1000) == []
    assert _entities_of([(0.6, 0.0), (0.9, 0.0)], 1000) == [(0, 2, TOWN)]
    assert _entities_of([(0.6, 0.0), (0.0, 0.6), (0.6, 0.0)], 1000) == [(0, 1, TOWN), (1, 2, PERSON), (2, 3, TOWN)]
    assert _entities_of([(0.0, 0.6), (0.0, 0.0), *towns, (0.0, 0.0), (0.0, 0.6)], 1000) == [
        (0, 1, PERSON),
        (5, 6, PERSON),
    ]


def test_a_word_of_a_run_that_looks_more_like_another_label_stays_covered() -> None:
    assert _entities_of([(0.5, 0.1), (0.9, 0.0)], 1000) == [(0, 2, TOWN)]
    assert _entities_of([(0.4, 0.45), (0.9, 0.0)], 1000) == [(0, 1, PERSON), (1, 2, TOWN)]


def _thresholds(town: float, person: float, prior_entity_rate: float) -> Thresholds:
    """Thresholds of both labels, and 0.01 for a person who surely is one elsewhere."""
    added = np.array([[False, True, False], [False, False, True]])
    return Thresholds(
        OUTSIDE, 0.99, added, np.array([town, person]), prior_entity_rate, repeated=(PERSON, 0.01), **CONSTANTS
    )


@pytest.mark.parametrize(
    ("town", "person", "elsewhere"),
    [
        (0.5, 0.45, 0.0),  # A person of 0.45 would be added, were the town less likely.
        (0.5, 0.30, 0.9),  # So it would be because the same word surely is one elsewhere.
        (0.3, 0.38, 0.9),
    ],
)
def test_what_would_be_added_as_another_is_not_dropped(town: float, person: float, elsewhere: float) -> None:
    thresholds = _thresholds(0.12, 0.06, 0.22)
    of_words = np.tile([1.0, 0.0, 0.0], (1000, 1))
    of_words[0] = 1 - town - person, town, person
    of_words[9] = 1 - elsewhere, 0.0, elsewhere
    forms = np.zeros(1000, np.uint32)
    forms[[0, 9]] = 7
    entities = _best_entities(thresholds, of_words, forms)
    assert entities.entity_of[0] == 0


_share = st.floats(0, 1)


@given(
    st.lists(st.tuples(_share, _share, _share, st.integers(0, 3), st.booleans()), min_size=1, max_size=12),
    st.data(),
    st.integers(0, 200),
)
def test_a_word_that_is_less_likely_nothing_stays_covered(
    words: list[tuple[float, float, float, int, bool]], data: st.DataObject, nothing: int
) -> None:
    """Probability moves from outside to a label: what was covered still is."""
    count = len(words) + nothing
    of_words = np.tile([1.0, 0.0, 0.0], (count, 1))
    shares = np.array([word[:3] for word in words]) + 1e-9
    of_words[: len(words)] = shares / shares.sum(axis=1, keepdims=True)
    forms, breaks = np.zeros(count, np.uint32), np.zeros(count, bool)
    forms[: len(words)], breaks[: len(words)] = [word[3] for word in words], [word[4] for word in words]
    thresholds = _thresholds(0.3, 0.1, 0.25)

    def covered() -> npt.NDArray[np.bool_]:
        return np.asarray(_best_entities(thresholds, of_words, forms, breaks).entity_of >= 0)

    before = covered()
    token, label = data.draw(st.integers(0, len(words) - 1)), data.draw(st.sampled_from([TOWN, PERSON]))
    moved = of_words[token, OUTSIDE] * data.draw(_share)
    of_words[token, OUTSIDE] -= moved
    of_words[token, label] += moved
    assert (covered() >= before).all()
