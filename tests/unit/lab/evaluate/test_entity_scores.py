"""Entity scores: exact and lenient matching; the lenient one held against scipy's maximum matching."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from span_samples import spans

from deid_core.lab.corpora import LabelledSpan
from deid_core.lab.evaluate.entity_scores import EntityEvaluation, Match, Place, overlap_pairs
from deid_core.lab.evaluate.scores import Scores

csgraph = pytest.importorskip("scipy.sparse.csgraph")
sparse = pytest.importorskip("scipy.sparse")

PLACES = st.sets(
    st.tuples(st.integers(0, 20), st.integers(1, 8)).map(lambda drawn: (drawn[0], sum(drawn))), min_size=1, max_size=8
)


def evaluated(match: Match, gold: list[LabelledSpan], found: list[LabelledSpan]) -> EntityEvaluation:
    evaluation = EntityEvaluation(match)
    evaluation.add(gold, found)
    return evaluation


def test_a_boundary_error_is_found_leniently_only() -> None:
    gold = [LabelledSpan(0, 10, "PER"), LabelledSpan(20, 25, "LOC")]
    found = [LabelledSpan(0, 9, "PER"), LabelledSpan(20, 25, "LOC"), LabelledSpan(30, 31, "PER")]
    exact, lenient = (evaluated(match, gold, found) for match in Match)
    assert exact.micro == Scores(true_positive=1, false_positive=2, false_negative=1)
    assert lenient.micro == Scores(2, 1, 0)
    assert exact.by_label == {"LOC": Scores(1, 0, 0), "PER": Scores(0, 2, 1)}
    assert exact.macro["f1"] == pytest.approx(0.5)
    assert lenient.macro["f1"] == pytest.approx((1 + 2 / 3) / 2)


def test_another_label_is_another_entity() -> None:
    gold, found = [LabelledSpan(0, 4, "PER")], [LabelledSpan(0, 4, "LOC")]
    for match in Match:
        assert evaluated(match, gold, found).micro == Scores(0, 1, 1)


def test_neighbours_that_only_meet_do_not_overlap() -> None:
    assert overlap_pairs([(0, 4)], [(4, 8)]) == []


def test_one_long_span_is_one_of_two_names() -> None:
    gold, found = [LabelledSpan(0, 4, "PER"), LabelledSpan(5, 9, "PER")], [LabelledSpan(0, 9, "PER")]
    assert evaluated(Match.LENIENT, gold, found).micro == Scores(1, 0, 1)


def test_a_pair_that_could_block_two_does_not() -> None:
    # The long ones overlap everything; were they paired with each other, the short ones would stay alone.
    assert len(overlap_pairs([(0, 10), (8, 10)], [(0, 10), (0, 2)])) == 2


@given(PLACES, PLACES)
def test_lenient_pairs_are_as_many_as_there_can_be(gold: set[Place], found: set[Place]) -> None:
    pairs = overlap_pairs(gold, found)
    golden, predicted = sorted(gold), sorted(found)
    graph = np.array([[g[0] < f[1] and f[0] < g[1] for f in predicted] for g in golden], np.int8)
    matched = csgraph.maximum_bipartite_matching(sparse.csr_matrix(graph), perm_type="column")
    assert len(pairs) == int((matched >= 0).sum())
    assert all(g[0] < f[1] and f[0] < g[1] for g, f in pairs)
    assert len({g for g, _ in pairs}) == len({f for _, f in pairs}) == len(pairs)
    assert {g for g, _ in pairs} <= gold and {f for _, f in pairs} <= found


@given(spans(), spans())
def test_exact_is_within_lenient_and_both_are_symmetric(gold: list[LabelledSpan], found: list[LabelledSpan]) -> None:
    exact, lenient = (evaluated(match, gold, found) for match in Match)
    assert exact.micro.true_positive <= lenient.micro.true_positive
    assert exact.micro.gold == lenient.micro.gold == len(set(gold))
    for match, there in ((Match.EXACT, exact), (Match.LENIENT, lenient)):
        back = evaluated(match, found, gold).micro
        assert back.f(1) == there.micro.f(1)
        assert (back.precision, back.recall) == (there.micro.recall, there.micro.precision)


def test_notes_do_not_mix() -> None:
    evaluation = EntityEvaluation()
    evaluation.add([LabelledSpan(0, 4, "PER")], [])
    evaluation.add([], [LabelledSpan(0, 4, "PER")])
    assert evaluation.counts.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert evaluation.note_counts.shape == (2, 1, 3)
