"""What the sweep does to train and dev letters: words that it removes, right or wrong, and its share of the CPU time.

    python -m deid_core.lab.evaluate.sweep_effect [PIPELINE]

A removed word is right if gold has it as identifying. Train letters are those that the stacking model learnt from, so
few names are left there for the sweep.
"""

from __future__ import annotations

import sys
from collections import Counter
from time import thread_time

from deid_core.core.data_folders import letters_dir
from deid_core.core.note import Note
from deid_core.lab.corpora.letters import AnnotatedLetter, read_letters
from deid_core.lab.evaluate.evaluation_sets import LETTERS, TEST_SETS
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import load_engine
from deid_core.pipeline.settings_file import load_settings
from deid_core.pipeline.sweep import KIND

SETS = tuple(name for name in LETTERS if name not in TEST_SETS)
_TIMED = 200
_ROUNDS = 5


def effect(engine: Engine, letters: list[AnnotatedLetter]) -> Counter[str]:
    """Return letters, tokens, removed words that gold has and has not, and words left as common, of an engine."""
    counts = Counter(letters=len(letters))
    for letter in letters:
        done = engine.deidentify(letter.note)
        counts["tokens"] += done.tokens
        for outcome, found in (("removed", done.spans), ("common", done.dropped)):
            for start, end, *_ in (item for item in found if item.recogniser == KIND):
                right = any(gold.start < end and start < gold.end for gold in letter.gold)
                counts[f"{outcome}, {'identifies somebody' if right else 'identifies nobody'}"] += 1
    return counts


def cpu_seconds(engines: list[Engine], notes: list[Note]) -> list[list[float]]:
    """Return the CPU seconds of each engine for the notes, a list for each round.

    The engines take turns at reading a note first, which costs more.
    """
    rounds = []
    for number in range(_ROUNDS + 1):
        taken = [0.0] * len(engines)
        for at, note in enumerate(notes, number):
            for turn in range(len(engines)):
                which = (at + turn) % len(engines)
                start = thread_time()
                engines[which].deidentify(note)
                taken[which] += thread_time() - start
        rounds.append(taken)
    # In the first round the words are new.
    return rounds[1:]


def main(pipeline: str = "default") -> None:
    """Print the table and the share of the time."""
    settings = load_settings()
    on, off = (load_engine(load_pipeline(pipeline, {"sweep": sweep}), settings) for sweep in (True, False))
    everything: Counter[str] = Counter()
    of_sets = {name: read_letters(letters_dir() / LETTERS[name]) for name in SETS}
    some = [
        letter.note for letters in of_sets.values() for letter in letters[:: max(1, len(letters) * len(SETS) // _TIMED)]
    ]
    # First, while both engines know the same words: large tables make an engine slower.
    shares = sorted(with_sweep / without - 1 for with_sweep, without in cpu_seconds([on, off], some))
    sys.stdout.write(
        f"CPU time of the engine on {len(some)} letters with the sweep: {100 * shares[len(shares) // 2]:+.1f} % "
        f"({100 * shares[0]:+.1f} to {100 * shares[-1]:+.1f} in {len(shares)} rounds)\n"
    )
    sys.stdout.flush()
    for name, letters in of_sets.items():
        counts = effect(on, letters)
        everything += counts
        sys.stdout.write(f"{name}: {dict(counts)}\n")
    wrong = everything["removed, identifies nobody"]
    sys.stdout.write(f"all: {dict(everything)}\n")
    sys.stdout.write(
        f"words removed that identify nobody: {1000 * wrong / everything['tokens']:.4f} per 1,000 tokens\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
