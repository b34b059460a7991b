"""How much `deid adapt` gives: writers whose letters no model has seen stand for hospitals.

    python -m deid_core.lab.training.adaptation_simulation --given 20 th ti +th +ti

gives 20 letters of each writer to the adaptation, as a hospital would, and measures on the writer's other letters, for
several draws. Several writers with "," between them count as one. Each letter of a writer is of another invented
hospital. With "+" the letters are rewritten so that all are of one: the same dozen clinicians, three names of hospitals
and eight of departments.

Prints the scores on the other letters as the shipped pipeline reads them, with thresholds alone, with an adapted model,
and with what the cross-validation on the given letters decided to write: of each draw, and their mean.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType
from deid_core.lab.corpora.letter_index import writer_of
from deid_core.lab.corpora.letters import (
    SUFFIX,
    AnnotatedLetter,
    body_start,
    join_annotations,
    parse_letter,
    read_letter,
    split_annotations,
)
from deid_core.lab.corpora.lines import read_lines
from deid_core.lab.corpora.marked_letters import MarkedLetter, marked
from deid_core.lab.evaluate.evaluation import Evaluation, Level
from deid_core.lab.evaluate.markdown import markdown_head, markdown_row
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.adaptation import AdaptationExamples
from deid_core.lab.training.adaptation_trial import (
    ADAPTED,
    THRESHOLDS,
    AdaptationTrial,
    MarkedReader,
    adaptation_trial,
    with_factor,
    with_weights,
)
from deid_core.lab.training.augmentation import Surrogates, names_in, with_other_mentions, with_other_names
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import engine_spec

_ONE_HOSPITAL = "+"
_STAFF = frozenset({PhiType.CLINICIAN})
_STAFF_NAMES = 12
_MENTIONS = {PhiType.HOSPITAL: 3, PhiType.DEPARTMENT: 8}
_COLUMNS = ("writers", "draw", "given", "measured", "read with", "precision", "recall", "F2", "entity F1", "CPU s")
_SHIPPED, _DECIDED = "shipped", "what is written"


class Simulated(NamedTuple):
    """One draw: the trial on the given letters, and scores on the others by what they are read with."""

    trial: AdaptationTrial
    measured: dict[str, Evaluation]


def letters_of(hospital: str, root: Path) -> list[AnnotatedLetter]:
    """Return the letters of a hospital: writers with "," between them, with "+" before them as of one hospital.

    root: of the dev letters. Raises ConfigurationError for a writer without letters.
    """
    writers = hospital.removeprefix(_ONE_HOSPITAL).split(",")
    files = [file for file in sorted(root.glob(f"*/*{SUFFIX}")) if writer_of(file.stem) in writers]
    if missing := set(writers) - {writer_of(file.stem) for file in files}:
        raise ConfigurationError(f"{root}: there is no letter of {', '.join(sorted(missing))}")
    return as_one_hospital(files, hospital) if hospital.startswith(_ONE_HOSPITAL) else list(map(read_letter, files))


def as_one_hospital(files: Sequence[Path], seed: str) -> list[AnnotatedLetter]:
    """Return letters in which the same clinicians, hospitals and departments recur, as in those of one hospital."""
    lines = {file: read_lines(file) for file in files}
    bodies = {file: [split_annotations(line) for line in of[body_start(of) :]] for file, of in lines.items()}
    pieces = [piece for body in bodies.values() for line in body for piece in line]
    draw = Draw(seed)
    words: dict[str, set[str]] = {"given": set(), "family": set()}
    for kind, word in names_in(([piece] for piece in pieces), _STAFF):
        if word[0].isupper() and word[1:].islower():
            words[kind].add(word)
    staff = {kind: Surrogates(_some(of_kind, _STAFF_NAMES, draw), composed=0.0) for kind, of_kind in words.items()}
    mentions = {phi: _some({text for of, text in pieces if of == phi}, count, draw) for phi, count in _MENTIONS.items()}
    letters = []
    for file, body in bodies.items():
        own = Draw(f"{seed}/{file.stem}")
        changed = with_other_mentions(with_other_names(body, staff, own, _STAFF), mentions, own)
        head = lines[file][: body_start(lines[file])]
        letters.append(parse_letter(file, [*head, *map(join_annotations, changed)]))
    return letters


def simulated(
    spec: EngineSpec, letters: Sequence[MarkedLetter], given: int, draws: int, seed: str
) -> Iterator[Simulated]:
    """Yield draws of so many given letters."""
    examples, reader = AdaptationExamples(spec, letters), MarkedReader(letters)
    plain = replace(spec, pipeline=spec.pipeline.model_copy(update={"subtypes": None}), subtypes=None)
    for number in range(draws):
        order = list(Draw(f"{seed}/{given}/{number}").shuffled(range(len(letters))))
        used, rest = sorted(order[:given]), order[given:]
        trial = adaptation_trial(spec, letters, examples, numbers=used)
        adapted = with_weights(plain, examples.adapted(used))
        specs = {
            _SHIPPED: plain,
            THRESHOLDS: with_factor(plain, trial.thresholds.factor),
            ADAPTED: with_factor(adapted, trial.adapted.factor),
        }
        measured = {name: reader.evaluation(reader.read(each, rest)) for name, each in specs.items()}
        measured[_DECIDED] = measured[trial.best.name if trial.best else _SHIPPED]
        yield Simulated(trial, measured)


def _some(items: Iterable[str], count: int, draw: Draw) -> list[str]:
    return list(draw.shuffled(sorted(items)))[:count]


def _scores(evaluation: Evaluation) -> list[float]:
    of_words = [evaluation.score(Level.WORD, statistic) for statistic in ("precision", "recall", "f2")]
    return [*of_words, evaluation.score(Level.EXACT, "f1")]


def _names(trial: AdaptationTrial) -> dict[str, str]:
    """Return what the rows of a draw are called."""
    return {
        _SHIPPED: _SHIPPED,
        THRESHOLDS: f"{THRESHOLDS} (× {trial.thresholds.factor:g})",
        ADAPTED: f"{ADAPTED} (× {trial.adapted.factor:g})",
        _DECIDED: f"{_DECIDED}: {trial.best.name if trial.best else 'nothing'}",
    }


def _row(cells: Sequence[object], scores: Iterable[float], seconds: float) -> str:
    return markdown_row([*map(str, cells), *(f"{score:.4f}" for score in scores), f"{seconds:.0f}"]) + "\n"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("hospitals", nargs="+", metavar="WRITERS")
    parser.add_argument("--given", type=int, default=20)
    parser.add_argument("--draws", type=int, default=3)
    args = parser.parse_args()
    spec = engine_spec("default")
    sys.stdout.write(markdown_head(_COLUMNS) + "\n")
    for hospital in args.hospitals:
        letters = [marked(letter) for letter in letters_of(hospital, letters_dir() / "dev")]
        found: dict[str, list[list[float]]] = {}
        began = first = time.process_time()
        place = (args.given, len(letters) - args.given)
        for number, each in enumerate(simulated(spec, letters, args.given, args.draws, hospital)):
            seconds, began = time.process_time() - began, time.process_time()
            for name, shown in _names(each.trial).items():
                scores = _scores(each.measured[name])
                found.setdefault(name, []).append(scores)
                sys.stdout.write(_row((hospital, number, *place, shown), scores, seconds))
            sys.stdout.flush()
        for name, scores_of in found.items():
            mean = np.mean(scores_of, axis=0).tolist()
            sys.stdout.write(_row((hospital, "mean", *place, name), mean, (began - first) / args.draws))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
