"""Token scores and McNemar's test, on numbers that seed 000 prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.errors import ConfigurationError
from deid_core.evaluate.significance import mcnemar
from deid_core.evaluate.spans_file import LabelledSpan, read_spans
from deid_core.evaluate.token_scores import Scores, TokenEvaluation

TEXT = "Frau Anna Stein kam am 3.4.2010 aus Ulm."


def at(text: str, label: str) -> LabelledSpan:
    return LabelledSpan(TEXT.index(text), TEXT.index(text) + len(text), label)


GOLD = [at("Frau", "SALUTE"), at("Anna Stein", "PER"), at("3.4.2010", "DATE"), at("Ulm", "LOC")]


def test_the_seeds_table_14_gives_its_f2() -> None:
    scores = Scores(true_positive=605, false_positive=251, false_negative=75)
    assert round(scores.f(2), 2) == 0.85
    assert round(scores.recall, 2) == 0.89
    assert round(scores.precision, 2) == 0.71


def test_the_seeds_table_19_gives_its_chi2_and_p() -> None:
    chi2, p = mcnemar(82, 125)
    assert chi2 == pytest.approx(8.52173913043)
    assert p == pytest.approx(0.0035, abs=5e-5)
    assert mcnemar(0, 0) == (0.0, 1.0)


def test_one_of_two_tokens_is_half_a_name() -> None:
    evaluation = TokenEvaluation()
    evaluation.add(TEXT, GOLD, [at("Frau", "SALUTE"), at("Anna", "PER"), at("kam", "LOC"), at("Ulm", "PER")])
    assert evaluation.binary == Scores(true_positive=3, false_positive=1, false_negative=2)
    assert evaluation.by_label["PER"] == Scores(1, 1, 1)
    assert evaluation.by_label["LOC"] == Scores(0, 1, 1)
    assert evaluation.confusion["PER", "O"] == 1


def test_the_header_does_not_count_if_it_is_excluded() -> None:
    text = "Herrn Anna Stein\nSehr geehrte Kollegen,\nUlm"
    gold = [LabelledSpan(0, 16, "PER"), LabelledSpan(len(text) - 3, len(text), "LOC")]
    evaluation = TokenEvaluation(with_header=False)
    right = evaluation.add(text, gold, gold[1:])
    assert evaluation.binary == Scores(1, 0, 0)
    assert len(right) == 5
    assert all(right)


def test_a_bad_spans_file_gives_all_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(
        '{"id": "a", "text": "Ulm", "spans": [{"start": 0, "end": 9, "label": "LOC"}]}\n'
        "not json\n"
        '{"id": "b", "text": "Ulm", "spans": [{"start": 0, "end": 3, "label": "CITY"}]}\n'
        '{"id": "c", "text": "Geheim"}\n'
    )
    with pytest.raises(ConfigurationError) as error:
        read_spans(path)
    lines = [problem.split(":")[1] for problem in error.value.problems]
    assert lines == ["1", "2", "3", "4"]
    assert "Geheim" not in str(error.value)
