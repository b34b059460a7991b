"""Computes a model's word knowledge: Brown clusters from a package, name-likeness from lists and dictionaries.

The clusters come from the package spacy-lookups-data (MIT): a million German word forms with their paths and
frequencies, learned on unlabelled web text. The name-likeness is learned here: one logistic regression a list predicts
whether a word is in this list or in another one.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install
from deid_core.crf.features.char_ngram_scorer import CharNgramScorer, buckets
from deid_core.crf.features.clusters import Clusters
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.lab.synthetic.lists import SPLITS, lists_of
from deid_core.lab.training.settings import WordKnowledgeSettings
from deid_core.lexicon.gazetteer.automaton import Gazetteer

_HELD_OUT = 20
"""One in 20 words is held out to measure the scorer on unseen words."""


def make_word_knowledge(
    settings: WordKnowledgeSettings, gazetteer: Gazetteer
) -> tuple[WordKnowledge, dict[str, float]]:
    """Return the word knowledge and, for each class, the area under the ROC curve on held-out words.

    Raises ConfigurationError if the package or a dictionary is missing.
    """
    lists = _lists(settings, gazetteer)
    likeness, areas = _likeness(lists, settings)
    return WordKnowledge(_clusters(settings.cluster_words), likeness, gazetteer), areas


def _clusters(most: int) -> Clusters:
    found = importlib.util.find_spec("spacy_lookups_data")
    if found is None or found.origin is None:
        raise ConfigurationError(f"the clusters come from spacy-lookups-data: {how_to_install('lab')}")
    folder = Path(found.origin).parent / "data"
    paths = _table(folder / "de_lexeme_cluster.json.gz")
    frequency = _table(folder / "de_lexeme_prob.json.gz")
    usual = sorted(paths, key=lambda word: (-frequency.get(word, -99.0), word))[:most]
    return Clusters.of_words({word: int(paths[word]) for word in usual})


def _table(path: Path) -> dict[str, float]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return dict(json.load(file))


def _lists(settings: WordKnowledgeSettings, gazetteer: Gazetteer) -> dict[str, frozenset[str]]:
    generated = _generator_names()
    lists = {name: _capitalised(gazetteer.words(name)) - generated for name in settings.name_lists}
    problems = [
        f"word_knowledge: list {name} is empty: set DEID_GAZETTEER_DIR" for name, words in lists.items() if not words
    ]
    for name, file in settings.word_files.items():
        try:
            lines = Path(file.path).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError as error:
            problems.append(f"word_knowledge: {file.path}: cannot be read: {error.strerror}")
            continue
        lists[name] = _capitalised(line.split("/")[0].strip() for line in lines)
    if problems:
        raise ConfigurationError(problems)
    return lists


def _generator_names() -> frozenset[str]:
    """Return the names of the generator of synthetic notes; they must not be learned, its test half measures models."""
    names: set[str] = set()
    for split in SPLITS:
        lists = lists_of(split)
        names.update(lists.surnames, lists.given_male, lists.given_female, lists.streets)
        names.update(town.name for town in lists.towns)
    return frozenset(names)


def _capitalised(words: object) -> frozenset[str]:
    return frozenset(w[0].upper() + w[1:] for w in words if len(w) > 1 and w[0].isalpha())  # type: ignore[attr-defined]


def _likeness(
    lists: Mapping[str, frozenset[str]], settings: WordKnowledgeSettings
) -> tuple[CharNgramScorer, dict[str, float]]:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import SGDClassifier
    from sklearn.metrics import roc_auc_score

    words = sorted(frozenset[str]().union(*lists.values()))
    np.random.default_rng(settings.seed).shuffle(words)
    rows = [buckets(word, settings.buckets) for word in words]
    lengths = np.array([len(row) for row in rows])
    values = np.repeat(1 / np.sqrt(lengths), lengths).astype(np.float32)
    columns = np.concatenate(rows)
    matrix = csr_matrix((values, columns, np.concatenate([[0], np.cumsum(lengths)])), (len(words), settings.buckets))
    held = np.arange(len(words)) % _HELD_OUT == 0
    weights: list[npt.NDArray[np.float32]] = []
    biases: list[float] = []
    areas: dict[str, float] = {}
    for name, listed in lists.items():
        member = np.array([word in listed for word in words])
        learner = SGDClassifier(
            loss="log_loss", alpha=1e-7, max_iter=6, tol=None, average=True, random_state=settings.seed
        ).fit(matrix[~held], member[~held])
        areas[name] = float(roc_auc_score(member[held], learner.decision_function(matrix[held])))
        weights.append(learner.coef_[0].astype(np.float32))
        biases.append(float(learner.intercept_[0]))
    classes = tuple(lists)
    return CharNgramScorer.quantised(classes, np.stack(weights, axis=1), np.array(biases, np.float32)), areas
