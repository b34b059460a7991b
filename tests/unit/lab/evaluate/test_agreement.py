"""Agreement of annotators, held against nltk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lab.corpora import LabelledSpan
from deid_core.lab.evaluate.agreement import alpha, amount_of_agreement, kappa, kappa_by_label, pairwise_f1

nltk = pytest.importorskip("nltk.metrics.agreement")
pytest.importorskip("krippendorff")

LABELS = st.lists(st.tuples(*[st.sampled_from("OPL")] * 3), min_size=2, max_size=25)


@given(LABELS)
def test_kappa_and_alpha_are_those_of_nltk(rows: list[tuple[str, str, str]]) -> None:
    annotators = [list(labels) for labels in zip(*rows, strict=True)]
    task = nltk.AnnotationTask(
        [(str(who), str(what), label) for what, row in enumerate(rows) for who, label in enumerate(row)]
    )
    if len({label for row in rows for label in row}) > 1:
        assert alpha(annotators) == pytest.approx(task.alpha())
    if len({*annotators[0], *annotators[1]}) > 1:
        assert kappa(annotators[0], annotators[1]) == pytest.approx(task.kappa_pairwise("0", "1"))


def test_annotators_of_one_label_agree() -> None:
    assert alpha([["O", "O"], ["O", "O"]]) == kappa(["O"], ["O"]) == 1.0


def test_disagreement_is_worse_than_chance() -> None:
    assert alpha([["O", "P"], ["P", "O"]]) < 0
    assert kappa(["O", "P"], ["P", "O"]) == -1.0


def test_kappa_of_a_label_knows_no_other_label() -> None:
    first, second, third = ["O", "PER", "LOC", "O"], ["O", "PER", "PER", "O"], ["O", "PER", "LOC", "O"]
    found = kappa_by_label([first, second])
    assert found == {"LOC": 0.0, "PER": pytest.approx(0.5)}
    assert kappa_by_label([first, second, third])["PER"] == pytest.approx((0.5 + 1 + 0.5) / 3)


def test_f1_is_the_mean_over_pairs() -> None:
    one, two = LabelledSpan(0, 4, "PER"), LabelledSpan(6, 9, "LOC")
    found = pairwise_f1([[[one, two]], [[one, two]], [[one]]])
    assert found.micro == pytest.approx((1 + 2 / 3 + 2 / 3) / 3)
    assert found.by_label == {"LOC": pytest.approx(1 / 3), "PER": 1.0}


def test_what_is_no_agreement_is_refused() -> None:
    with pytest.raises(ValueError, match="two annotators"):
        alpha([["O"]])
    with pytest.raises(ValueError, match="two annotators"):
        pairwise_f1([[[]]])
    with pytest.raises(ValueError, match="two annotators"):
        kappa_by_label([["O"]])
    with pytest.raises(ValueError, match="not the same text"):
        kappa(["O"], ["O", "P"])


@pytest.mark.parametrize(
    ("value", "word"),
    [
        *((-0.1, "none"), (0.0, "none"), (0.2, "slight"), (0.21, "fair"), (0.6, "moderate")),
        *((0.726, "substantial"), (0.8, "substantial"), (0.81, "almost perfect"), (1.0, "almost perfect")),
    ],
)
def test_landis_and_kochs_words(value: float, word: str) -> None:
    assert amount_of_agreement(value) == word
