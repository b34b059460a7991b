"""Seed 001's tables with the texts at hand: features one by one, local and global context, hard words, overlaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from deid_core.core.labels import PhiType
from deid_core.core.text_tables import Rows
from deid_core.lab.systems.base import TokenisingSystem
from deid_core.lab.systems.hmm import train_hmm
from deid_core.lab.systems.sentences import words_of
from deid_core.lab.systems.settings import SystemsSettings
from deid_core.lab.systems.stat_deid import StatDeid, StatDeidFeatures, train_stat_deid
from deid_core.lab.systems.study_corpora import (
    Annotator,
    StudyCorpus,
    ambiguous,
    ambiguous_words,
    decisions,
    is_one_of,
    score_cells,
    study_corpus,
)
from deid_core.lab.systems.token_classes import CLASSES, token_codes
from deid_core.lab.systems.token_crf import train_token_crf
from deid_core.lab.systems.word_features import Family
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.keys import word_key
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec

Title = str
_ALONE: dict[str, tuple[Family, ...]] = {
    "target word": ("word",),
    "lexical bigrams": ("bigrams",),
    "syntactic bigrams (here the words around)": ("neighbours",),
    "part of speech": ("part_of_speech",),
    "dictionaries": ("dictionary",),
    "MeSH (here medical words)": ("medical",),
    "orthography": ("capitalised", "punctuation", "number", "length"),
    "section heading": ("heading",),
}
_LOCAL: dict[str, tuple[Family, ...]] = {
    "SNoW's local context": ("word", "bigrams", "dictionary"),
    "IdentiFinder's local context": ("word", "neighbours", "capitalised", "punctuation", "number", "length"),
}
"""Sections 7.2 and 7.3 as far as stat-deid's families have them."""
_RULES = "baseline"
_SCORES = ("PHI: precision", "recall", "F", "other: precision", "recall", "F")
_OVERLAP = {
    "patients in names": (PhiType.PATIENT, (ListKind.FIRST_NAME, ListKind.SURNAME)),
    "doctors in names": (PhiType.CLINICIAN, (ListKind.FIRST_NAME, ListKind.SURNAME)),
    "locations in places": (PhiType.TOWN, (ListKind.TOWN,)),
    "hospitals in hospitals": (PhiType.HOSPITAL, (ListKind.HOSPITAL, ListKind.CLINIC_WORD)),
    "dates in months": (PhiType.DATE, (ListKind.MONTH,)),
}


def features_alone(settings: SystemsSettings, gazetteer: Gazetteer) -> Iterator[tuple[Title, Rows]]:
    """Yield for each corpus the scores of stat-deid with one family of features alone (Tables 16 to 18)."""
    for corpus in _corpora(settings):
        everything = decisions(_svm(settings, gazetteer, corpus), corpus.test)
        rows: Rows = [("features", *_SCORES)]
        for name, families in (*_ALONE.items(), ("all", None)):
            of = decisions(_svm(settings, gazetteer, corpus, families), corpus.test) if families else everything
            cells = [score_cells(name, of.scores(phi=phi), everything.scores(phi=phi)) for phi in (True, False)]
            rows.append((*cells[0], *cells[1][1:]))
        yield f"Features alone, {corpus.name} (seed 001, Tables 16 to 18); * F differs from all (z-test)", rows


def local_and_global(settings: SystemsSettings, gazetteer: Gazetteer) -> Iterator[tuple[Title, Rows]]:
    """Yield for each corpus stat-deid and its rivals: on all tokens, ambiguous ones, and words that no list has.

    Tables 4 to 15 and 19: an SVM with the local context of SNoW and IdentiFinder, a CRF with that of stat-deid, a
    hidden Markov model, and the pipeline of lists and rules.
    """
    for corpus in _corpora(settings):
        systems: dict[str, Callable[[], Annotator]] = {
            "stat-deid": lambda corpus=corpus: _svm(settings, gazetteer, corpus),  # type: ignore[misc]
            **{
                name: lambda corpus=corpus, of=of: _svm(settings, gazetteer, corpus, of)  # type: ignore[misc]
                for name, of in _LOCAL.items()
            },
            "crfd": lambda corpus=corpus: _crf(settings, gazetteer, corpus),  # type: ignore[misc]
            "hmm": lambda corpus=corpus: train_hmm(corpus.train),  # type: ignore[misc]
            f"lists and rules ({_RULES})": lambda: Engine(engine_spec(_RULES)),
        }
        found = {name: decisions(make(), corpus.test) for name, make in systems.items()}
        best = found["stat-deid"]
        hard = ambiguous(best)
        unlisted = best.gold & ~is_one_of(best.words, _listed_words(gazetteer))
        rows: Rows = [("system", *_SCORES, "ambiguous: precision", "recall", "F", "unlisted PHI: recall")]
        for name, of in found.items():
            cells = [score_cells(name, of.scores(phi=phi), best.scores(phi=phi)) for phi in (True, False)]
            of_hard = score_cells(name, of.scores(hard), best.scores(hard))
            rows.append((*cells[0], *cells[1][1:], *of_hard[1:], f"{of.scores(unlisted).recall:.3f}"))
        yield (
            f"Local and global context, {corpus.name} (seed 001, Tables 4 to 15, 19); * F differs from stat-deid",
            rows,
        )


def overlaps(settings: SystemsSettings, gazetteer: Gazetteer) -> Iterator[tuple[Title, Rows]]:
    """Yield how many tokens of each class are ambiguous, and how many are in the lists (Tables 2 and 3)."""
    counted: Rows = [("corpus", "class", "tokens", "ambiguous", "of 100")]
    listed: Rows = [("corpus", *_OVERLAP, *(f"not PHI in {name.rpartition(' ')[2]}" for name in [*_OVERLAP][1:]))]
    for corpus in _corpora(settings):
        reader = TokenisingSystem()
        words: list[str] = []
        parts = []
        for note, gold in zip(corpus.test.notes, corpus.test.gold, strict=True):
            document = reader.document(note)
            words += words_of(document)
            parts.append(token_codes(document.tokens, gold))
        codes = np.concatenate(parts)
        lower = [word.lower() for word in words]
        hard = ambiguous_words(lower, codes > 0)
        for code, name in enumerate(("not PHI", *CLASSES)):
            chosen = codes == code
            if total := int(chosen.sum()):
                found = int((chosen & hard).sum())
                counted.append((corpus.name, str(name), total, found, f"{100 * found / total:.1f}"))
        cells: list[str] = []
        for number, (phi_type, kinds) in enumerate(_OVERLAP.values()):
            known = _in_lists(gazetteer, words, kinds)
            cells.insert(number, _share(known, codes == CLASSES.index(phi_type) + 1))
            if number:
                cells.append(_share(known, codes == 0))
        listed.append((corpus.name, *cells))
    yield "Tokens that are PHI in one place and not in another (seed 001, Table 2)", counted
    yield "Tokens in the lists, of 100 (seed 001, Table 3)", listed


def _corpora(settings: SystemsSettings) -> Iterator[StudyCorpus]:
    return (study_corpus(name, settings.studies) for name in settings.studies.corpora)


def _svm(
    settings: SystemsSettings, gazetteer: Gazetteer, corpus: StudyCorpus, families: tuple[Family, ...] | None = None
) -> StatDeid:
    changed = {"families": list(families)} if families else {}
    return train_stat_deid(settings.stat_deid.model_copy(update=changed), gazetteer, corpus.train)


def _crf(settings: SystemsSettings, gazetteer: Gazetteer, corpus: StudyCorpus) -> Annotator:
    features = StatDeidFeatures(settings.stat_deid.families, gazetteer)
    return train_token_crf("crfd", settings.crfd, features, features.vocabulary, corpus.train)


def _listed_words(gazetteer: Gazetteer) -> set[str]:
    kinds = {kind for _, of in _OVERLAP.values() for kind in of}
    return {word.lower() for kind in kinds for word in gazetteer.words(kind)}


def _in_lists(gazetteer: Gazetteer, words: list[str], kinds: tuple[ListKind, ...]) -> np.ndarray:
    known = frozenset().union(*(gazetteer.words(kind) for kind in kinds))
    return np.array([word_key(word) in known or word in known for word in words], bool)


def _share(part: np.ndarray, whole: np.ndarray) -> str:
    total = int(whole.sum())
    return f"{100 * int((part & whole).sum()) / total:.1f}" if total else ""
