"""Word knowledge: clusters and name-likeness keep what they learned, in few bytes, and say so when damaged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.errors import ConfigurationError
from deid_core.crf.features.char_ngram_scorer import CharNgramScorer, buckets
from deid_core.crf.features.clusters import UNKNOWN, Clusters
from deid_core.crf.features.word_knowledge import CLUSTERS_FILE, LIKENESS_FILE, WordKnowledge

WORDS = st.text(min_size=1, max_size=12)


@given(st.dictionaries(WORDS, st.integers(0, 2**20), max_size=60))
def test_every_word_keeps_its_path_through_bytes(paths: dict[str, int]) -> None:
    clusters = Clusters.from_bytes(Clusters.of_words(paths).to_bytes())
    assert {word: clusters.path(word) for word in paths} == paths


def test_capitals_are_looked_up_as_the_word_within_a_line() -> None:
    clusters = Clusters.of_words({"Müller": 40, "EKG": 7})
    assert [clusters.path(word) for word in ("MÜLLER", "EKG", "müller", "Ekg")] == [40, 7, UNKNOWN, UNKNOWN]


def likeness(seed: int = 0, count: int = 256) -> CharNgramScorer:
    rng = np.random.default_rng(seed)
    weights = rng.normal(0, 2, (count, 2)).astype(np.float32)
    return CharNgramScorer.quantised(("surname", "common"), weights, np.array([0.5, -0.5], np.float32))


def test_rounded_weights_score_like_the_ones_they_come_from() -> None:
    weights = np.random.default_rng(1).normal(0, 2, (256, 2)).astype(np.float32)
    model = CharNgramScorer.quantised(("a", "b"), weights, np.array([0.5, -0.5], np.float32))
    for word in ("Lehmann", "Appendektomie", "Xylander"):
        rows = buckets(word, 256)
        exact = weights[rows].sum(axis=0) / np.sqrt(len(rows)) + np.array([0.5, -0.5])
        scores = model.scores(word)
        assert scores is not None
        np.testing.assert_allclose(scores, exact, atol=0.2)


def test_case_does_not_change_likeness() -> None:
    model = likeness()
    first, second, third = (model.scores(word) for word in ("Lehmann", "LEHMANN", "lehmann"))
    assert first is not None and second is not None and third is not None
    assert (first == second).all() and (first == third).all()


@pytest.mark.parametrize("word", ["", "12", "(", "4711a"])
def test_what_begins_with_no_letter_has_no_likeness(word: str) -> None:
    assert likeness().scores(word) is None


@given(st.text(max_size=200))
def test_any_word_has_finite_scores_or_none(word: str) -> None:
    scores = likeness().scores(word)
    assert scores is None or np.isfinite(scores).all()


def test_files_hold_the_word_knowledge() -> None:
    word_knowledge = WordKnowledge(Clusters.of_words({"Müller": 40}), likeness())
    again = WordKnowledge.from_files(word_knowledge.to_files())
    assert again.clusters is not None and again.clusters.path("Müller") == 40
    assert again.likeness is not None and again.likeness.classes == ("surname", "common")
    assert again.to_files() == word_knowledge.to_files()
    assert WordKnowledge.from_files({}) == WordKnowledge()


def test_all_damaged_files_are_named_at_once() -> None:
    files = WordKnowledge(Clusters.of_words({"Müller": 40}), likeness()).to_files()
    damaged = {name: data[: len(data) // 2] for name, data in files.items()}
    with pytest.raises(ConfigurationError) as caught:
        WordKnowledge.from_files(damaged)
    assert CLUSTERS_FILE in str(caught.value) and LIKENESS_FILE in str(caught.value)
