"""Tables of seeds 003 and 004 with the texts at hand: domains, learning curve, search, kinds of errors, phases."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from scipy.stats import t as student_t

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.core.text_tables import Rows
from deid_core.lab.evaluate.charts import Band, line_chart, write_chart
from deid_core.lab.evaluate.entity_scores import EntityEvaluation
from deid_core.lab.evaluate.error_kinds import ScoredNote, find_errors
from deid_core.lab.evaluate.error_report import kind_rows
from deid_core.lab.evaluate.evaluation_sets import letters_set
from deid_core.lab.evaluate.listed_words import ListedWords
from deid_core.lab.systems.base import MissingExtraError, needs_extra
from deid_core.lab.systems.crf_liu import LiuFeatures
from deid_core.lab.systems.iterative import Iterative, train_iterative
from deid_core.lab.systems.registry import Example, examples
from deid_core.lab.systems.settings import CrfLiuSettings, SystemsSettings
from deid_core.lab.systems.study_corpora import Annotator
from deid_core.lab.systems.token_crf import Tagged, TokenCrf, tagged_sequences, train_crfsuite, train_token_crf
from deid_core.lab.systems.word_features import part_of_speech_tagger
from deid_core.lab.training.sequences import read_texts
from deid_core.lab.training.settings import TrainingCorpus
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

Title = str
_DOMAINS = {
    "news": (TrainingCorpus(corpus="germeval-test"), TrainingCorpus(corpus="germeval-dev")),
    # Both corpora of court decisions have some sentences.
    "court": (TrainingCorpus(corpus="ler-test", without=["ler-dev"]), TrainingCorpus(corpus="ler-dev")),
}
_TEXT_TOKENS = 400
_COMMON = {Label.PER: PhiType.PERSON, Label.LOC: PhiType.PLACE}
"""What all domains are annotated with."""
_RULES = "baseline"
_DEV, _LONG_DEV = "letters-dev", "letters-dev-long"
_FOLDS = 5
_WITHIN = 0.975
"""Share of a distribution below the upper end of its 95 %."""
_Sequence = tuple[int, int, list[list[str]]]
"""[start_token, end_token) and the features of its tokens."""
_Weights = tuple[float, float]
"""c1 and c2."""


def entity_f1(system: Annotator, texts: Sequence[Example], labels: Sequence[Label] | None = None) -> EntityEvaluation:
    """Return the scores of exact entities; labels: those that count."""
    found = EntityEvaluation()
    for note, gold in texts:
        spans = [span for span in system.annotate(note) if labels is None or span.label in labels]
        found.add(gold, spans)
    return found


def domains(settings: SystemsSettings, gazetteer: Gazetteer, data: Path) -> Iterator[tuple[Title, Rows]]:
    """Yield F1 of crf-liu, trained on each domain and tested on each (seed 003, Tables 8 and 9), and of the rules.

    Each domain has as many words to train with, and as many to test with: about `studies.domain_words`.
    """
    labels, words = list(_COMMON), settings.studies.domain_words

    def read(corpus: TrainingCorpus) -> list[Example]:
        texts = read_texts(corpus, data, labels, _TEXT_TOKENS)
        return _first_words((_common(Note(text.id, text.text), text.spans) for text in texts), words)

    texts = {name: (read(train), read(test)) for name, (train, test) in _DOMAINS.items()}
    dev = letters_set(_DEV)
    of_letters = (examples(settings.studies), zip(dev.notes, dev.gold, strict=True))
    train, test = (_first_words((_common(*example) for example in part), words) for part in of_letters)
    texts["letters"] = (train, test)
    rows: Rows = [("tested on", *(f"trained on {name}" for name in texts), f"rules ({_RULES})")]
    features = _LiuFeatures(gazetteer)
    systems: list[Annotator] = [_crf_liu(settings.crf_liu, features, train) for train, _ in texts.values()]
    systems.append(Engine(engine_spec(_RULES)))
    for name, (_, test) in texts.items():
        rows.append((name, *(f"{entity_f1(system, test, labels).micro.f(1):.3f}" for system in systems)))
    yield "Domains: F1 of exact persons and places, crf-liu (seed 003, Tables 8 and 9)", rows


def _first_words(texts: Iterable[Example], words: int) -> list[Example]:
    """Return the first texts, until they have so many words."""
    found, count = list[Example](), 0
    for note, gold in texts:
        if count >= words:
            break
        found.append((note, gold))
        count += len(note.text.split())
    return found


def learning_curve(settings: SystemsSettings, gazetteer: Gazetteer, folder: Path) -> Iterator[tuple[Title, Rows]]:
    """Yield F1 of three learners by the share of the letters, the mean of draws with its 95 % band (Figure 2).

    Its chart is written to the folder. Without the extra `neural` the title says that bilstm-crf is missing.
    """
    of = settings.studies
    texts, dev = list(examples(of)), letters_set(_LONG_DEV)
    test = list(zip(dev.notes, dev.gold, strict=True))
    features = _LiuFeatures(gazetteer)
    learners: dict[str, Callable[[list[Example]], Annotator]] = {
        "crf-liu": lambda part: _crf_liu(settings.crf_liu, features, part)
    }
    shown = f"Learning curve: F1 of exact entities, {_LONG_DEV}"
    title = f"{shown} (seed 003, Figure 2)"
    try:
        with needs_extra("neural"):
            from deid_core.lab.systems.bilstm_crf import train_bilstm_crf
    except MissingExtraError as error:
        title += f"; bilstm-crf: skipped: {error.problems[0]}"
    else:
        learners["bilstm-crf"] = lambda part: train_bilstm_crf(settings.bilstm_crf, part)
    rules = entity_f1(Engine(engine_spec(_RULES)), test).micro.f(1)
    counts = [max(1, round(share * len(texts))) for share in of.shares]
    lines: dict[str, list[Band]] = {f"rules ({_RULES})": [(rules,) * 3 for _ in counts]}
    for name, train in learners.items():
        lines[name] = []
        for count in counts:
            orders = (np.random.default_rng([of.seed, draw]).permutation(len(texts)) for draw in range(of.samples))
            parts = ([texts[at] for at in order[:count].tolist()] for order in orders)
            lines[name].append(band([entity_f1(train(part), test).micro.f(1) for part in parts]))
    rows: Rows = [("letters", *lines)]
    for count, *bands in zip(counts, *lines.values(), strict=True):
        rows.append((count, *map(band_cell, bands)))
    write_chart(folder / "learning-curve.svg", line_chart(shown, [f"{count} letters" for count in counts], lines))
    yield title, rows


def band(values: Sequence[float]) -> Band:
    """Return the mean and its 95 % band (Student's t) within 0 and 1; of one value nothing but the value is known."""
    mean = fmean(values)
    if len(values) < 2:
        return mean, mean, mean
    half = float(student_t.ppf(_WITHIN, len(values) - 1)) * stdev(values) / math.sqrt(len(values))
    return mean, max(mean - half, 0.0), min(mean + half, 1.0)


def band_cell(of: Band) -> str:
    """Return a band as text, a single value without its ends."""
    value, low, high = of
    return f"{value:.3f}" if low == high else f"{value:.3f} ({low:.3f} to {high:.3f})"


def random_search(settings: SystemsSettings, gazetteer: Gazetteer, file: Path) -> Iterator[dict[str, Any]]:
    """Yield the trials of c1 and c2 of crf-liu (seed 003, section 4.2), in order; a trial that the file has is not run.

    Trials run in processes; each that is done is a line of the file, so a search that was stopped goes on.
    """
    of = settings.crf_liu.search
    random = np.random.default_rng(of.seed)
    low, high = math.log10(of.lowest), math.log10(of.highest)
    drawn: list[_Weights] = []
    for _ in range(of.trials):
        c1, c2 = (float(f"{10**power:.3g}") for power in random.uniform(low, high, 2))
        drawn.append((c1, c2))
    done = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    known = {(trial["c1"], trial["c2"]): trial for trial in done}
    texts = list(examples(settings.crf_liu.model_copy(update={"every": of.every})))
    prepared = (gazetteer, texts[::_FOLDS], [text for number, text in enumerate(texts) if number % _FOLDS])
    # A missing extra is said here: a pool tells nothing of what its processes lack.
    part_of_speech_tagger()
    with ProcessPoolExecutor(of.processes, initializer=_prepare, initargs=prepared) as pool:
        for (c1, c2), trial in zip(
            drawn, pool.map(_trial, [(pair, of.iterations, known.get(pair)) for pair in drawn]), strict=True
        ):
            if (c1, c2) not in known:
                with file.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(trial) + "\n")
            yield trial


_HELD: dict[str, Any] = {}
"""Of a process of the search: the features of the texts, which are the same for all trials."""


def _prepare(gazetteer: Gazetteer, held_out: list[Example], train: list[Example]) -> None:
    features = _LiuFeatures(gazetteer)
    _HELD.update(features=features, test=held_out)
    _HELD["train"] = list[Tagged](tagged_sequences(features, features.vocabulary, train))


def _trial(asked: tuple[_Weights, int, dict[str, Any] | None]) -> dict[str, Any]:
    (c1, c2), iterations, known = asked
    if known is not None:
        return known
    model = train_crfsuite(_HELD["train"], c1=c1, c2=c2, iterations=iterations)
    system = TokenCrf("crf-liu", _HELD["features"], _HELD["features"].vocabulary, model)
    scores = entity_f1(system, _HELD["test"]).micro
    return {"c1": c1, "c2": c2, "f1": round(scores.f(1), 4), "recall": round(scores.recall, 4), "bytes": len(model)}


def error_kinds(system: Annotator, gazetteer: Gazetteer) -> Iterator[tuple[Title, Rows]]:
    """Yield how many errors of each kind a system makes on dev letters (seed 003, Table 7)."""
    of = letters_set(_DEV)
    notes = [
        ScoredNote(note.note_id, note.text, gold, system.annotate(note))
        for note, gold in zip(of.notes, of.gold, strict=True)
    ]
    rows: Rows = [*kind_rows(find_errors(notes, ListedWords.of(gazetteer)))]
    yield f"Kinds of errors on {_DEV} (seed 003, Table 7)", rows


def phases(settings: SystemsSettings, gazetteer: Gazetteer, boosted: Path) -> Iterator[tuple[Title, Rows]]:
    """Yield the rows of seed 004's Tables 1 and 2: kinds of triggers, one tree without boosting, three phases.

    boosted: folder of the trained system; the one tree is trained here. Raises ConfigurationError if it is not trained.
    """
    of = letters_set(_DEV)
    test = list(zip(of.notes, of.gold, strict=True))
    systems = {
        name: Iterative.from_folder(boosted, gazetteer, stage)
        for name, stage in (
            ("token trigger", "token"), ("phrase trigger", "phrase"), ("n-gram trigger", "ngram"),
            ("vote: first phase", "first"), ("trusted phrases", "trusted"), ("standardised", "standardised"),
        )
    }  # fmt: skip
    single = settings.iterative.model_copy(update={"rounds": 1})
    one_tree = train_iterative(single, gazetteer, examples(single), "token")
    rows: Rows = [("model", "entities: precision", "recall", "F1")]
    for name, system in {"one tree, token trigger (C4.5)": one_tree, **systems}.items():
        scores = entity_f1(system, test).micro
        rows.append((name, f"{scores.precision:.3f}", f"{scores.recall:.3f}", f"{scores.f(1):.3f}"))
    yield f"Phases of iterative on {_DEV} (seed 004, Tables 1 and 2)", rows


class _LiuFeatures:
    """The features of crf-liu for several models: those of a text are made once, which is most of the time."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self.vocabulary = Vocabulary()
        self._features = LiuFeatures(gazetteer, self.vocabulary)
        self._made: dict[str, list[_Sequence]] = {}

    def sequences(self, document: Document) -> Iterator[_Sequence]:
        """Yield [start_token, end_token) of each sentence and the features of its tokens."""
        if document.text not in self._made:
            self._made[document.text] = list(self._features.sequences(document))
        return iter(self._made[document.text])


def _crf_liu(settings: CrfLiuSettings, features: _LiuFeatures, texts: list[Example]) -> TokenCrf:
    return train_token_crf("crf-liu", settings, features, features.vocabulary, texts)


def _common(note: Note, spans: Any) -> Example:
    """Return the note with its persons and places alone, as one type each."""
    found = (GoldSpan(s.start, s.end, Label(s.label), _COMMON[Label(s.label)]) for s in spans if s.label in _COMMON)
    return note, tuple(found)
