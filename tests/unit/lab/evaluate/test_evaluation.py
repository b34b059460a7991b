"""The façade and the comparison of two evaluations."""

from __future__ import annotations

import builtins
import importlib
import json

import numpy as np
import pytest
from span_samples import at

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora import LabelledSpan
from deid_core.lab.evaluate import Evaluation, Level, compare
from deid_core.lab.evaluate.bootstrap import interval
from deid_core.lab.evaluate.entity_scores import Match
from deid_core.lab.evaluate.evaluation import body_spans
from deid_core.lab.evaluate.leaks import LeakShare
from deid_core.lab.evaluate.optional_dependency import NEEDED, missing_libraries, statistics_library
from deid_core.lab.evaluate.scores import f_score
from deid_core.lab.evaluate.significance import McNemar
from deid_core.lab.evaluate.summary import agreement_summary, comparison_summary, summary

TEXT = "Herrn Stein\nSehr geehrte Kollegen,\nHerr Otto Meier kam aus Ulm."
STEIN, MEIER, ULM = at(TEXT, "Stein", "PER"), at(TEXT, "Otto Meier", "PER"), at(TEXT, "Ulm", "LOC")
GOLD = [STEIN, MEIER, ULM]
OTTO = at(TEXT, "Otto", "PER")


def evaluation(*found: list[LabelledSpan], with_header: bool = True) -> Evaluation:
    made = Evaluation(with_header=with_header)
    for spans in found:
        made.add(TEXT, GOLD, spans)
    return made


def test_all_levels_of_one_note() -> None:
    found = evaluation([STEIN, OTTO, ULM])
    assert found.notes == 1
    assert found.score(Level.TOKEN, "recall") == 0.75
    assert found.score(Level.TOKEN, "recall", "PER") == pytest.approx(2 / 3)
    assert found.score(Level.EXACT, "f1") == pytest.approx(2 / 3)
    assert found.score(Level.EXACT, "f1", "PER") == 0.5
    assert found.score(Level.LENIENT, "f1") == 1.0
    assert (found.leaks.names().count, found.leaks.names().total) == (1, 2)
    assert (found.all_leaks.names().count, found.all_leaks.names().total) == (1, 3)


def test_without_header_only_what_stands_behind_it_counts() -> None:
    assert body_spans(TEXT, GOLD) == [MEIER, ULM]
    found = evaluation([ULM], with_header=False)
    assert found.entities[Match.EXACT].micro.gold == 2
    assert found.leaks.names().total == 1
    assert found.score(Level.TOKEN, "recall") == pytest.approx(1 / 3)


def test_what_is_removed_wrongly_is_a_share_of_the_words_that_identify_nobody() -> None:
    # Herrn, Sehr geehrte Kollegen, Herr, kam aus: 7 words; marks are none.
    assert evaluation([*GOLD]).wrongly_removed() == LeakShare(0, 7)
    assert evaluation([at(TEXT, "Herr Otto", "PER"), at(TEXT, "Kollegen,", "ORG")]).wrongly_removed() == LeakShare(2, 7)
    assert evaluation([*GOLD], [at(TEXT, "kam", "PER")]).wrongly_removed() == LeakShare(1, 14)


def test_counts_are_by_note() -> None:
    found = evaluation(GOLD, [STEIN])
    assert found.counts(Level.TOKEN).tolist() == [[4, 0, 0], [1, 0, 3]]
    assert found.counts(Level.EXACT, "PER").tolist() == [[2, 0, 0], [1, 0, 1]]
    for level in Level:
        assert found.counts(level, "ABSENT").tolist() == [[0, 0, 0], [0, 0, 0]]
    assert found.interval(Level.TOKEN, "f2", resamples=50) == interval(
        np.array([[4, 0, 0], [1, 0, 3]]), f_score(2), resamples=50
    )


def test_a_better_system_is_found_to_be_better() -> None:
    better, worse = evaluation(*[GOLD] * 12), evaluation(*[[STEIN]] * 12)
    found = compare(better, worse, rounds=999, resamples=50)
    assert found.mcnemar_binary == McNemar(36, 0)
    recall = found.randomisation[Level.TOKEN, "recall"]
    assert recall.difference == 0.75
    # Only the two ways of swapping all twelve notes or none are as far apart.
    assert recall.p < 0.01
    assert found.differences[Level.EXACT, "f1"].low > 0


def test_proportions_are_of_phi_and_other_tokens_with_the_gold_as_sample() -> None:
    noise = at(TEXT, "aus", "PER")
    found = compare(evaluation(GOLD), evaluation([OTTO, ULM, noise]), rounds=9, resamples=9).proportions
    # 13 tokens, of which gold has 4; the second system finds 2 of these and one of the other 9.
    assert {key: (p.p1, p.n1, p.p2, p.n2) for key, p in found.items()} == {
        ("PHI", "precision"): (1.0, 4, 2 / 3, 4),
        ("PHI", "recall"): (1.0, 4, 2 / 4, 4),
        ("PHI", "f1"): (1.0, 4, 4 / 7, 4),
        ("other", "precision"): (1.0, 9, 8 / 10, 9),
        ("other", "recall"): (1.0, 9, 8 / 9, 9),
        ("other", "f1"): (1.0, 9, 16 / 19, 9),
    }
    empty = Evaluation()
    empty.add(TEXT, [], GOLD)
    assert {name for name, _ in compare(empty, empty, rounds=9, resamples=9).proportions} == {"other"}


def test_a_wrong_label_is_wrong_by_label_only() -> None:
    other = LabelledSpan(ULM.start, ULM.end, "PER")
    found = compare(evaluation(GOLD), evaluation([STEIN, MEIER, other]), [(Level.EXACT, "f1")], rounds=9, resamples=9)
    assert found.mcnemar_binary == McNemar(0, 0)
    assert found.mcnemar_by_label == McNemar(1, 0)
    assert list(found.randomisation) == [(Level.EXACT, "f1")]


def test_evaluations_of_other_notes_are_not_compared() -> None:
    other = Evaluation()
    other.add(TEXT, GOLD[1:], [])
    for wrong in (other, evaluation([], [])):
        with pytest.raises(ValueError, match="same notes"):
            compare(evaluation([]), wrong)


def test_summaries_are_json_and_quote_nothing() -> None:
    first, second = evaluation(GOLD, GOLD), evaluation([STEIN], GOLD)
    spans = {"gold": [GOLD, GOLD], "predicted": [GOLD, GOLD], "against": [[STEIN], GOLD]}
    report = {
        "predicted": summary(first, resamples=20),
        "comparison": comparison_summary(compare(first, second, rounds=99, resamples=20)),
        "agreement": agreement_summary({"predicted": first, "against": second}, spans),
    }
    text = json.dumps(report)
    assert "Meier" not in text and "Ulm" not in text
    assert report["agreement"]["kappa"].keys() == {"gold, predicted", "gold, against", "predicted, against"}
    assert report["agreement"]["kappa"]["gold, predicted"] == 1.0
    assert report["agreement"]["f1"]["micro"] < 1
    assert report["comparison"]["differences"]["token"]["recall"]["rounds"] == 99


def test_without_notes_there_are_no_intervals() -> None:
    assert summary(Evaluation())["intervals"] == {}


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> object:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(ConfigurationError, match=r"extra 'evaluate': pip install .*\[evaluate\]' \(scipy.stats\)"):
        statistics_library("scipy.stats")


def test_plain_scores_do_not_need_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = builtins.__import__

    def without_extra(name: str, *rest: object) -> object:
        if name.partition(".")[0] in NEEDED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return genuine(name, *rest)

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(importlib, "import_module", without_extra)
    monkeypatch.setattr(builtins, "__import__", without_extra)
    assert missing_libraries() == list(NEEDED)
    found = evaluation(GOLD, [STEIN])
    leaks = summary(found, resamples=20)["leaks"]["names"]["names"]
    assert (leaks["leaked"], leaks["upper"]) == (1, None)
    report = comparison_summary(compare(found, evaluation(GOLD, GOLD), rounds=9, resamples=9))
    assert (report["mcnemar"]["only_against_right"], report["mcnemar"]["p_exact"]) == (3, 0.25)
    assert report["z_tests"]["PHI"]["recall"] == {"predicted": 5 / 8, "against": 1.0, "z": None, "p": None}
    many = compare(evaluation(*[[STEIN]] * 9), evaluation(*[GOLD] * 9), rounds=9, resamples=9)
    assert comparison_summary(many)["mcnemar"]["p_exact"] is None
