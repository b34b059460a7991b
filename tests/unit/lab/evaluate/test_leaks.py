"""Leaks: one occurrence that is left gives a name away; bounds held against the beta distribution."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from span_samples import at

from deid_core.lab.corpora import LabelledSpan
from deid_core.lab.evaluate.leaks import LeakEvaluation, LeakShare

stats = pytest.importorskip("scipy.stats")

TEXT = "Anna Stein kam. Frau ANNA\nSTEIN ging nach Ulm."
FIRST, SECOND, ULM = at(TEXT, "Anna Stein", "PER"), at(TEXT, "ANNA\nSTEIN", "PER"), at(TEXT, "Ulm", "LOC")


def leaked(found: list[LabelledSpan], labels: frozenset[str] | None = frozenset({"PER"})) -> list[int]:
    evaluation = LeakEvaluation(labels)
    evaluation.add(TEXT, [FIRST, SECOND, ULM], found)
    counts: list[int] = evaluation.counts[0].tolist()
    return counts


def test_a_name_is_safe_if_all_its_occurrences_are_covered_whatever_the_label() -> None:
    assert leaked([FIRST, LabelledSpan(SECOND.start, SECOND.end, "LOC")]) == [0, 1, 0]


def test_one_occurrence_that_is_left_is_a_leak() -> None:
    assert leaked([FIRST]) == [1, 1, 1]
    assert leaked([SECOND]) == [1, 1, 1]


def test_two_spans_may_cover_a_name_and_leave_its_blank() -> None:
    parts = [LabelledSpan(SECOND.start, SECOND.start + 4, "PER"), LabelledSpan(SECOND.start + 5, SECOND.end, "PER")]
    assert leaked([FIRST, *parts]) == [0, 1, 0]
    assert leaked([FIRST, parts[0], LabelledSpan(SECOND.start + 6, SECOND.end, "PER")]) == [1, 1, 1]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Nord-\n  walde, Nordwalde, NORD\u00ad \nWALDE", 1),
        ("Karl-\nFriedrich, Karl-Friedrich, Karl\u2011Friedrich", 1),
        ("Karl Friedrich, Karl  Friedrich, Karl-Friedrich", 2),
        ("3-5, 35, 3-\n5", 3),
    ],
)
def test_a_name_that_a_line_end_divides_is_the_same_name(text: str, names: int) -> None:
    evaluation = LeakEvaluation()
    gold = [at(text, name, "PER") for name in text.split(", ")]
    evaluation.add(text, gold, gold[1:])
    assert evaluation.names() == LeakShare(1, names)


def test_a_name_is_readable_if_one_of_the_parts_that_a_line_end_divides_is() -> None:
    text = "Nord-\nwalde"
    whole, first, second = (LabelledSpan(*part, "PER") for part in ((0, 11), (0, 4), (6, 11)))
    for found, leaks in (([first], 1), ([second], 1), ([first, second], 0), ([whole], 0)):
        evaluation = LeakEvaluation()
        evaluation.add(text, [whole], found)
        assert evaluation.names() == LeakShare(leaks, 1)


def test_other_labels_count_if_asked_for() -> None:
    assert leaked([FIRST, SECOND]) == [0, 1, 0]
    assert leaked([FIRST, SECOND], labels=None) == [1, 2, 1]


def test_notes_and_names_are_counted_apart() -> None:
    evaluation = LeakEvaluation()
    evaluation.add(TEXT, [FIRST], [])
    evaluation.add(TEXT, [FIRST], [FIRST])
    evaluation.add(TEXT, [], [])
    assert evaluation.names() == LeakShare(1, 2)
    assert evaluation.notes() == LeakShare(1, 3)


@given(st.integers(0, 30), st.integers(1, 30))
def test_the_bound_is_clopper_and_pearsons(count: int, more: int) -> None:
    share = LeakShare(count, count + more)
    assert share.upper(0.95) == pytest.approx(stats.beta.ppf(0.95, count + 1, more))
    assert share.share < share.upper(0.9) < share.upper(0.99)


def test_no_leak_in_a_thousand_notes_is_the_rule_of_three() -> None:
    assert LeakShare(0, 1000).upper() == pytest.approx(1 - 0.05**0.001)
    assert LeakShare(0, 1000).upper() == pytest.approx(3 / 1000, rel=0.01)


def test_of_nothing_nothing_is_known() -> None:
    assert LeakShare(0, 0).upper() == 1.0
    assert LeakShare(0, 0).share == 0.0
    assert LeakShare(5, 5).upper() == 1.0
    with pytest.raises(ValueError, match="6 of 5"):
        LeakShare(6, 5)
