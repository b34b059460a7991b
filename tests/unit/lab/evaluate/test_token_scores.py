"""Token scores: what counts as a token's label, and the tables that follow."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from span_samples import at, spans

from deid_core.lab.corpora import LabelledSpan
from deid_core.lab.evaluate.scores import Scores
from deid_core.lab.evaluate.token_scores import TokenEvaluation, mcnemar_counts

TEXT = "Frau Anna Stein kam am 3.4.2010 aus Ulm."
GOLD = [at(TEXT, "Frau", "SALUTE"), at(TEXT, "Anna Stein", "PER"), at(TEXT, "3.4.2010", "DATE"), at(TEXT, "Ulm", "LOC")]
FOUND = [at(TEXT, "Frau", "SALUTE"), at(TEXT, "Anna", "PER"), at(TEXT, "kam", "LOC"), at(TEXT, "Ulm", "PER")]
WORDS = "ab cd ef gh "


def test_one_of_two_tokens_is_half_a_name() -> None:
    evaluation = TokenEvaluation()
    evaluation.add(TEXT, GOLD, FOUND)
    assert evaluation.binary == Scores(true_positive=3, false_positive=1, false_negative=2)
    assert evaluation.by_label["PER"] == Scores(1, 1, 1)
    assert evaluation.by_label["LOC"] == Scores(0, 1, 1)
    assert evaluation.confusion["PER", "O"] == 1
    assert evaluation.right_binary.tolist() == [True, True, False, False, True, False, True, True, True]
    assert evaluation.right_by_label.tolist() == [True, True, False, False, True, False, True, False, True]


def test_the_header_does_not_count_if_it_is_excluded() -> None:
    text = "Herrn Anna Stein\nSehr geehrte Kollegen,\nUlm"
    gold = [LabelledSpan(0, 16, "PER"), at(text, "Ulm", "LOC")]
    evaluation = TokenEvaluation(with_header=False)
    right = evaluation.add(text, gold, gold[1:])
    assert evaluation.binary == Scores(1, 0, 0)
    assert len(right) == evaluation.tokens == 5
    assert all(right)


def test_words_are_tokens_with_a_letter_or_digit() -> None:
    text = "Tel. (06221) 56-12, Dr. Stein-Au."
    gold = [at(text, "(06221) 56-12", "PHONE"), at(text, "Stein-Au", "PER")]
    evaluation = TokenEvaluation()
    evaluation.add(text, gold, gold[:1])
    assert evaluation.binary == Scores(4, 0, 1)
    assert evaluation.words.binary == Scores(2, 0, 1)
    assert evaluation.words.tokens == 5
    assert evaluation.words.by_label["PHONE"] == Scores(2, 0, 0)
    assert evaluation.words.words.table.tolist() == evaluation.words.table.tolist()


def test_where_two_spans_touch_a_token_the_first_names_it() -> None:
    overlapping = [at(TEXT, "Stein kam", "LOC"), at(TEXT, "Anna Stein", "PER")]
    evaluation = TokenEvaluation()
    evaluation.add(TEXT, overlapping, overlapping[::-1])
    for labels in (evaluation.gold_labels, evaluation.found_labels):
        assert labels.tolist()[1:4] == ["PER", "PER", "LOC"]


def labels_by_token(found: list[LabelledSpan]) -> list[str]:
    """The label of each word of WORDS, looked up word by word."""
    ordered = sorted(found)
    words = [(match.start(), match.end()) for match in re.finditer(r"\w+", WORDS)]
    return [next((s.label for s in ordered if s.start < end and start < s.end), "O") for start, end in words]


@given(spans(), spans(), spans(), spans())
def test_notes_add_up(
    gold: list[LabelledSpan], found: list[LabelledSpan], gold_2: list[LabelledSpan], found_2: list[LabelledSpan]
) -> None:
    evaluation = TokenEvaluation()
    right = [*evaluation.add(WORDS, gold, found), *evaluation.add(WORDS, gold_2, found_2)]
    assert evaluation.right_binary.tolist() == right
    assert np.array_equal(evaluation.note_tables.sum(0), evaluation.table)
    assert Scores.of(evaluation.counts.sum(0)) == evaluation.binary
    assert evaluation.gold_labels.tolist() == labels_by_token(gold) + labels_by_token(gold_2)
    assert evaluation.found_labels.tolist() == labels_by_token(found) + labels_by_token(found_2)
    for label, scores in evaluation.by_label.items():
        assert Scores.of(evaluation.label_counts(label).sum(0)) == scores
    assert sum(evaluation.confusion.values()) == evaluation.tokens == 8


def test_without_notes_there_is_nothing_to_count() -> None:
    evaluation = TokenEvaluation()
    assert evaluation.binary == Scores(0, 0, 0)
    assert evaluation.counts.shape == (0, 3)
    assert not evaluation.by_label


def test_mcnemar_counts_what_one_alone_decided_rightly() -> None:
    assert mcnemar_counts([True, True, False, False], [True, False, True, True]) == (1, 2)
    with pytest.raises(ValueError, match="not the same text"):
        mcnemar_counts([True], [True, False])
