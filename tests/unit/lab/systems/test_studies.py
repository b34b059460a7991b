"""The papers' tables with the texts at hand: `deid train study NAME`, with trainings of seconds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.lab.evaluate.scores import Scores
from deid_core.lab.systems.settings import SystemsSettings
from deid_core.lab.training.settings import load_training

pytest.importorskip("sklearn")
pytest.importorskip("pycrfsuite")
pytest.importorskip("statsmodels")

from deid_core.lab.systems.studies import STUDIES, run_study
from deid_core.lab.systems.study_corpora import Decisions, ambiguous, score_cells
from deid_core.lab.systems.study_models import with_band

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
    assert with_band([0.5]) == "0.500"
    assert with_band([0.4, 0.5, 0.6]) == "0.500 (0.387 to 0.613)"


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


def test_an_unknown_study_and_a_missing_folder_are_errors(
    small: SystemsSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigurationError, match="there is no study 'tables'; there are: features, context"):
        next(run_study("tables", small))
    with pytest.raises(ConfigurationError, match="name the folder of the corpora"):
        next(run_study("domains", small))
    assert main(["train", "study"]) == ExitCode.USAGE
    assert "a NAME follows" in capsys.readouterr().err
    assert len(STUDIES) == 8
