"""Tables of seeds 003 and 004 with the texts at hand: domains, learning curve, search, kinds of errors, phases."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.core.tables import Rows
from deid_core.lab.corpora.named import read_named
from deid_core.lab.evaluate.entity_scores import EntityEvaluation
from deid_core.lab.evaluate.error_kinds import ScoredNote, find_errors
from deid_core.lab.evaluate.error_report import kind_rows
from deid_core.lab.evaluate.evaluation_sets import letters_set
from deid_core.lab.evaluate.listed_words import ListedWords
from deid_core.lab.systems.base import needs_extra
from deid_core.lab.systems.crf_liu import LiuFeatures
from deid_core.lab.systems.iterative import Iterative, train_iterative
from deid_core.lab.systems.registry import Example, examples
from deid_core.lab.systems.settings import CrfLiuSettings, SystemsSettings
from deid_core.lab.systems.study_corpora import Annotator
from deid_core.lab.systems.token_crf import Tagged, TokenCrf, tagged_sequences, train_crfsuite, train_token_crf
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.pipeline.build import engine_spec
from deid_core.pipeline.engine import Engine
from deid_core.text.vocabulary import Vocabulary

Title = str
_DOMAINS = {"news": ("germeval-test", "germeval-dev"), "court": ("ler-test", "ler-dev")}
_COMMON = {Label.PER: PhiType.PERSON, Label.LOC: PhiType.PLACE}
"""What all domains are annotated with."""
_RULES = "baseline"
_DEV = "letters-dev"
_FOLDS = 5
_CONFIDENT = 1.96
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
    """Yield F1 of crf-liu, trained on each domain and tested on each (seed 003, Tables 8 and 9), and of the rules."""
    labels = list(_COMMON)

    def read(corpus: str) -> list[Example]:
        return [_common(Note(text.id, text.text), text.spans) for text in read_named(corpus, data, labels)]

    texts = {name: (read(train), read(test)) for name, (train, test) in _DOMAINS.items()}
    dev = letters_set(_DEV)
    of_letters = zip(dev.notes, dev.gold, strict=True)
    texts["letters"] = (
        [_common(*example) for example in examples(settings.crf_liu)],
        [_common(*example) for example in of_letters],
    )
    rows: Rows = [("tested on", *(f"trained on {name}" for name in texts), f"rules ({_RULES})")]
    systems: list[Annotator] = [_crf_liu(settings.crf_liu, gazetteer, train) for train, _ in texts.values()]
    systems.append(Engine(engine_spec(_RULES)))
    for name, (_, test) in texts.items():
        rows.append((name, *(f"{entity_f1(system, test, labels).micro.f(1):.3f}" for system in systems)))
    yield "Domains: F1 of exact persons and places, crf-liu (seed 003, Tables 8 and 9)", rows


def learning_curve(settings: SystemsSettings, gazetteer: Gazetteer) -> Iterator[tuple[Title, Rows]]:
    """Yield F1 of three learners by the share of the letters, the mean of draws with its 95 % band (Figure 2)."""
    of = settings.studies
    texts, dev = list(examples(of)), letters_set(_DEV)
    test = list(zip(dev.notes, dev.gold, strict=True))
    with needs_extra("neural"):
        from deid_core.lab.systems.bilstm_crf import train_bilstm_crf
    learners: dict[str, Callable[[list[Example]], Annotator]] = {
        "crf-liu": lambda part: _crf_liu(settings.crf_liu, gazetteer, part),
        "bilstm-crf": lambda part: train_bilstm_crf(settings.bilstm_crf, part),
    }
    rules = entity_f1(Engine(engine_spec(_RULES)), test).micro.f(1)
    rows: Rows = [("share of the letters", "letters", f"rules ({_RULES})", *learners)]
    for share in of.shares:
        count = max(1, round(share * len(texts)))
        cells = []
        for train in learners.values():
            found = []
            for draw in range(of.samples):
                order = np.random.default_rng([of.seed, draw]).permutation(len(texts))[:count].tolist()
                found.append(entity_f1(train([texts[at] for at in order]), test).micro.f(1))
            cells.append(with_band(found))
        rows.append((f"{share:.0%}", count, f"{rules:.3f}", *cells))
    yield f"Learning curve: F1 of exact entities on {_DEV} (seed 003, Figure 2)", rows


def with_band(values: Sequence[float]) -> str:
    """Return the mean and its 95 % band, if there is more than one value."""
    if len(values) < 2:
        return f"{values[0]:.3f}"
    half = _CONFIDENT * stdev(values) / math.sqrt(len(values))
    return f"{fmean(values):.3f} ({fmean(values) - half:.3f} to {fmean(values) + half:.3f})"


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
    vocabulary = Vocabulary()
    features = LiuFeatures(gazetteer, vocabulary)
    _HELD.update(features=features, vocabulary=vocabulary, test=held_out)
    _HELD["train"] = list[Tagged](tagged_sequences(features, vocabulary, train))


def _trial(asked: tuple[_Weights, int, dict[str, Any] | None]) -> dict[str, Any]:
    (c1, c2), iterations, known = asked
    if known is not None:
        return known
    model = train_crfsuite(_HELD["train"], c1=c1, c2=c2, iterations=iterations)
    system = TokenCrf("crf-liu", _HELD["features"], _HELD["vocabulary"], model)
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


def phases(settings: SystemsSettings, gazetteer: Gazetteer, folder: Path) -> Iterator[tuple[Title, Rows]]:
    """Yield the rows of seed 004's Tables 1 and 2: kinds of triggers, one tree without boosting, three phases."""
    of = letters_set(_DEV)
    test = list(zip(of.notes, of.gold, strict=True))
    alone = folder / "one-tree"
    single = settings.iterative.model_copy(update={"rounds": 1})
    train_iterative(single, gazetteer, examples(single)).save(alone)
    boosted = folder / "boosted"
    train_iterative(settings.iterative, gazetteer, examples(settings.iterative)).save(boosted)
    stages = {
        "token trigger": (boosted, "token"),
        "phrase trigger": (boosted, "phrase"),
        "n-gram trigger": (boosted, "ngram"),
        "vote: first phase": (boosted, "first"),
        "one tree, token trigger (C4.5)": (alone, "token"),
        "trusted phrases": (boosted, "trusted"),
        "standardised": (boosted, "standardised"),
    }
    rows: Rows = [("model", "entities: precision", "recall", "F1")]
    for name, (place, stage) in stages.items():
        scores = entity_f1(Iterative.from_folder(place, gazetteer, stage), test).micro
        rows.append((name, f"{scores.precision:.3f}", f"{scores.recall:.3f}", f"{scores.f(1):.3f}"))
    yield f"Phases of iterative on {_DEV} (seed 004, Tables 1 and 2)", rows


def _crf_liu(settings: CrfLiuSettings, gazetteer: Gazetteer, texts: list[Example]) -> TokenCrf:
    vocabulary = Vocabulary()
    return train_token_crf("crf-liu", settings, LiuFeatures(gazetteer, vocabulary), vocabulary, texts)


def _common(note: Note, spans: Any) -> Example:
    """Return the note with its persons and places alone, as one type each."""
    found = (GoldSpan(s.start, s.end, Label(s.label), _COMMON[Label(s.label)]) for s in spans if s.label in _COMMON)
    return note, tuple(found)
