"""The papers' tables with the texts at hand: `deid train study NAME`, with trainings of seconds."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan
from deid_core.lab.evaluate.evaluation_sets import generated_set
from deid_core.lab.evaluate.scores import Scores
from deid_core.lab.systems.settings import SystemsSettings
from deid_core.lab.training.settings import load_training
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec
from deid_core.text.document import Document

pytest.importorskip("sklearn")
pytest.importorskip("pycrfsuite")
pytest.importorskip("statsmodels")

from deid_core.lab.systems import study_models
from deid_core.lab.systems.iterative import train_iterative
from deid_core.lab.systems.sentences import words_of
from deid_core.lab.systems.studies import STUDIES, run_study
from deid_core.lab.systems.study_corpora import Decisions, ambiguous, score_cells
from deid_core.lab.systems.study_models import band, band_cell

FAMILIES = ["word", "bigrams", "neighbours", "capitalised", "number", "length", "dictionary"]


@pytest.fixture(scope="module")
def small() -> SystemsSettings:
    """Few notes, and no package of the extra."""
    of = load_training().systems
    changed = {
        "studies": of.studies.model_copy(update={"corpora": ["random"], "notes": 6, "every": 400}),
        "stat_deid": of.stat_deid.model_copy(update={"families": FAMILIES}),
        "crfd": of.crfd.model_copy(update={"families": FAMILIES, "iterations": 10}),
    }
    return of.model_copy(update=changed)


def test_scores_of_chosen_tokens() -> None:
    of = Decisions(
        ["stein", "stein", ",", ",", "ulm"],
        np.array([True, False, True, False, True]),
        np.array([True, True, True, False, False]),
    )
    assert ambiguous(of).tolist() == [True, True, False, False, False]
    assert of.scores() == Scores(2, 1, 1)
    assert of.scores(phi=False) == Scores(1, 1, 1)
    assert of.scores(ambiguous(of)) == Scores(1, 1, 0)


def test_a_star_marks_a_significant_difference() -> None:
    good, bad = Scores(970, 30, 30), Scores(770, 230, 230)
    assert score_cells("x", bad, good) == ("x", "0.770", "0.770", "0.770*")
    assert score_cells("x", good, good)[-1] == "0.970"


def test_bands() -> None:
    assert band_cell(band([0.5])) == "0.500"
    # Of three values t(2; 0.975) = 4.303: 4.303 * 0.1 / sqrt(3).
    assert band_cell(band([0.4, 0.5, 0.6])) == "0.500 (0.252 to 0.748)"
    assert band([0.1, 0.9])[1:] == (0.0, 1.0)


def test_local_and_global_context_of_a_small_corpus(small: SystemsSettings) -> None:
    ((title, rows),) = run_study("context", small)
    assert title.startswith("Local and global context, random")
    systems = [row[0] for row in rows[1:]]
    assert systems[0] == "stat-deid"
    assert {"crfd", "hmm", "lists and rules (baseline)"} <= {*systems}
    assert all(len(row) == len(rows[0]) for row in rows)


def test_overlaps_count_every_token_once(small: SystemsSettings) -> None:
    (_, counted), (_, listed) = run_study("overlap", small)
    assert {row[1] for row in counted[1:]} > {"not PHI", "patient", "date"}
    assert all(row[3] <= row[2] for row in counted[1:])
    assert [row[0] for row in listed[1:]] == ["random"]


def test_figures_of_the_thesis_and_their_charts(
    small: SystemsSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = generated_set("generated", 3, seed=1, split="train", with_header=True)
    monkeypatch.setattr("deid_core.lab.systems.study_thesis.letters_set", lambda name: made)
    (_, steps), (_, labels) = run_study("figures", small, output=tmp_path)
    assert [row[0] for row in steps[1:]] == ["baseline", "variants", "full"]
    assert float(str(steps[3][2])) >= float(str(steps[1][2])) > 0
    assert [row[0] for row in labels[1:]] == ["DATE", "LOC", "PER", "PHONE", "PLZ", "SALUTE", "TITLE"]
    assert all(len(row) == len(labels[0]) for row in labels)
    for number, bars in ((5, 9), (6, 3 * 7 * 2)):
        assert (tmp_path / f"thesis-figure-{number}.svg").read_text(encoding="utf-8").count("<title>") == 1 + bars


def test_phases_of_a_trained_system_beside_one_tree(
    small: SystemsSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = generated_set("generated", 6, seed=1, split="train", with_header=True)
    pairs = list(zip(made.notes, made.gold, strict=True))
    monkeypatch.setattr("deid_core.lab.systems.study_models.letters_set", lambda name: made)
    monkeypatch.setattr("deid_core.lab.systems.study_models.examples", lambda of: pairs)
    iterative = small.iterative.model_copy(update={"rounds": 2, "min_count": 2})
    train_iterative(iterative, compile_lists({ListKind.TOWN: ["Ulm"]}), pairs).save(tmp_path)
    ((_, rows),) = run_study("phases", small.model_copy(update={"iterative": iterative}), output=tmp_path)
    assert [row[0] for row in rows[1:]] == [
        "one tree, token trigger (C4.5)", "token trigger", "phrase trigger", "n-gram trigger", "vote: first phase",
        "trusted phrases", "standardised",
    ]  # fmt: skip
    assert all(0.3 < float(str(row[3])) <= 1 for row in rows[1:])


def test_domains_have_as_many_words(small: SystemsSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("HanTa")
    made = generated_set("generated", 6, seed=1, split="train", with_header=True)
    texts = [
        AnnotatedText(note.note_id, note.text, tuple(LabelledSpan(s.start, s.end, s.label) for s in gold))
        for note, gold in zip(made.notes, made.gold, strict=True)
    ]
    pairs = list(zip(made.notes, made.gold, strict=True))
    trained: list[int] = []

    def train(settings: object, gazetteer: object, part: list[object]) -> Engine:
        trained.append(len(part))
        return Engine(engine_spec("baseline"))

    module = "deid_core.lab.systems.study_models"
    monkeypatch.setattr(f"{module}.read_texts", lambda corpus, *rest: texts * 2 if "ler" in corpus.corpus else texts)
    monkeypatch.setattr(f"{module}.letters_set", lambda name: made)
    monkeypatch.setattr(f"{module}.examples", lambda of: pairs)
    monkeypatch.setattr(f"{module}._crf_liu", train)
    words = len(made.notes[0].text.split()) + 1
    of = small.model_copy(update={"studies": small.studies.model_copy(update={"domain_words": words})})
    ((_, rows),) = run_study("domains", of, data=tmp_path)
    assert [row[0] for row in rows[1:]] == ["news", "court", "letters"]
    assert trained == [2, 2, 2]
    assert all(len({*row[1:]}) == 1 and float(str(row[1])) > 0.3 for row in rows[1:])


def test_a_curve_without_the_neural_extra_says_so(
    small: SystemsSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("HanTa")
    made = generated_set("generated", 4, seed=1, split="train", with_header=True)
    pairs = list(zip(made.notes, made.gold, strict=True))
    sizes: list[int] = []

    def train(settings: object, gazetteer: object, part: list[object]) -> Engine:
        sizes.append(len(part))
        return Engine(engine_spec("baseline"))

    module = "deid_core.lab.systems.study_models"
    monkeypatch.setattr(f"{module}.letters_set", lambda name: made)
    monkeypatch.setattr(f"{module}.examples", lambda of: pairs)
    monkeypatch.setattr(f"{module}._crf_liu", train)
    # As if torch were not installed.
    monkeypatch.setitem(sys.modules, "deid_core.lab.systems.bilstm_crf", None)
    of = small.model_copy(update={"studies": small.studies.model_copy(update={"shares": [0.25, 0.5], "samples": 2})})
    ((title, rows),) = run_study("curve", of, output=tmp_path)
    assert "bilstm-crf: skipped: needs the extra 'neural'" in title
    assert rows[0] == ("letters", "rules (baseline)", "crf-liu")
    assert [row[0] for row in rows[1:]] == [1, 2]
    assert sizes == [1, 1, 2, 2]
    assert (tmp_path / "learning-curve.svg").read_text(encoding="utf-8").count("<polyline") == 2


def test_features_of_a_text_are_made_once_for_several_models(monkeypatch: pytest.MonkeyPatch) -> None:
    made = generated_set("generated", 4, seed=1, split="train", with_header=True)
    pairs = list(zip(made.notes, made.gold, strict=True))
    asked: list[str] = []

    class Words:
        """The words alone, each text one sequence."""

        def __init__(self, gazetteer: object, vocabulary: object) -> None: ...

        def sequences(self, document: Document) -> Iterator[tuple[int, int, list[list[str]]]]:
            asked.append(document.note.note_id)
            words = words_of(document)
            yield 0, len(words), [[f"before={before}", f"own={own}"] for before, own in pairwise(["", *words])]

    monkeypatch.setattr(study_models, "LiuFeatures", Words)
    features = study_models._LiuFeatures(compile_lists({ListKind.TOWN: ["Ulm"]}))
    settings = load_training().systems.crf_liu.model_copy(update={"iterations": 20})
    for part in (pairs[:2], pairs):
        system = study_models._crf_liu(settings, features, part)
    assert study_models.entity_f1(system, pairs).micro.f(1) > 0.5
    assert sorted(asked) == sorted(note.note_id for note in made.notes)


@pytest.mark.slow
def test_the_search_goes_on_where_it_was_stopped(small: SystemsSettings, tmp_path: Path) -> None:
    pytest.importorskip("HanTa")
    file = tmp_path / "search.jsonl"
    search = small.crf_liu.search.model_copy(update={"trials": 2, "iterations": 5, "every": 200, "processes": 1})
    of = small.model_copy(update={"crf_liu": small.crf_liu.model_copy(update={"search": search})})
    ((_, first),) = run_study("search", of, output=file)
    lines = file.read_text().splitlines()
    assert len(lines) == 2
    more = of.model_copy(
        update={"crf_liu": of.crf_liu.model_copy(update={"search": search.model_copy(update={"trials": 3})})}
    )
    ((_, second),) = run_study("search", more, output=file)
    assert file.read_text().splitlines()[:2] == lines
    assert len(second) == len(first) + 1
    assert {json.loads(line)["c1"] for line in lines} <= {row[0] for row in second[1:]}


def test_a_search_without_its_extra_says_which(
    small: SystemsSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "HanTa", None)
    monkeypatch.delitem(sys.modules, "HanTa.HanoverTagger", raising=False)
    with pytest.raises(ConfigurationError, match=r"parts of speech need the extra 'systems'"):
        next(run_study("search", small, output=tmp_path / "search.jsonl"))


def test_an_unknown_study_and_a_missing_folder_are_errors(
    small: SystemsSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigurationError, match="there is no study 'tables'; there are: figures, features, context"):
        next(run_study("tables", small))
    with pytest.raises(ConfigurationError, match="name the folder of the corpora"):
        next(run_study("domains", small))
    assert main(["train", "study"]) == ExitCode.USAGE
    assert "a NAME follows" in capsys.readouterr().err
    assert len(STUDIES) == 9
