"""Words removed in lines in which nothing identifies anybody."""

from __future__ import annotations

from span_samples import at

from deid_core.lab.evaluate.empty_lines import EmptyLineEvaluation
from deid_core.lab.evaluate.leaks import LeakShare

TEXT = "Herr Otto kam, Diabetes.\nMorbus Crohn bekannt.\nFrau Mai\n"


def test_only_lines_without_a_gold_span_count() -> None:
    lines = EmptyLineEvaluation()
    lines.add(TEXT, [at(TEXT, "Otto", "PER"), at(TEXT, "Mai", "PER")], [at(TEXT, "Diabetes", "PER")])
    assert lines.removed == LeakShare(0, 3)
    lines.add(TEXT, [at(TEXT, "Otto", "PER")], [at(TEXT, "Crohn bekannt", "PER"), at(TEXT, "Otto", "PER")])
    assert lines.removed == LeakShare(2, 8)


def test_of_no_note_nothing_is_removed() -> None:
    assert EmptyLineEvaluation().removed == LeakShare(0, 0)
