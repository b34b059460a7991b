"""Development sets by name, and a pipeline measured on one: made letters and news with names marked.

Made letters are of the generator ("generated") or one of its challenge corpora (seed 001, section 5). News are corpora
of conf/corpora.yaml that are there to develop on; they mark persons and places only, so of what a pipeline finds there
only PER and LOC count. They are words joined by blanks, in which what looks at a letter's layout is at a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time

from deid_core.corpora.named import load_corpora, read_named
from deid_core.engine import Engine
from deid_core.errors import ConfigurationError
from deid_core.evaluate.evaluation import Evaluation
from deid_core.evaluate.scores import LabelledRange
from deid_core.note import Note
from deid_core.synthetic import iter_notes
from deid_core.synthetic.surrogates import CORPORA, iter_challenge

GENERATED = "generated"
CHALLENGE = tuple(CORPORA)
NEWS = ("germeval-dev", "ler-dev")
NEWS_LABELS = frozenset({"PER", "LOC"})


@dataclass(frozen=True, slots=True)
class DevelopmentSet:
    """Notes with their gold spans. labels: of the predictions that count, None for all of them.

    with_header: whether what stands before a letter's salutation counts.
    """

    name: str
    description: str
    notes: tuple[Note, ...]
    gold: tuple[tuple[LabelledRange, ...], ...]
    with_header: bool
    labels: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What a pipeline made of a set. tokens: of the whole texts; cpu_s: CPU time of annotating them, one process."""

    pipeline: str
    fingerprint: str
    evaluation: Evaluation
    tokens: int
    cpu_s: float

    @property
    def tokens_per_s(self) -> float:
        """Tokens per second of CPU time, which is per core: an engine has one thread.

        Cold: of each word type the first occurrence costs most, so the figure grows with the set. Warming up on other
        notes would suit some sets (made letters) and not others (news); `deid bench` measures a warm engine.
        """
        return self.tokens / self.cpu_s if self.cpu_s else 0.0


def news_sets() -> list[str]:
    """The corpora of conf/corpora.yaml that are there to develop on and hold no made notes."""
    corpora = load_corpora().corpora
    return [name for name, corpus in corpora.items() if corpus.use == "develop" and corpus.source.format != "synthetic"]


def check_sets(names: Iterable[str], data_dir: Path | None) -> None:
    """Raises ConfigurationError with every name that is no development set, and every set whose folder is not known."""
    news = news_sets()
    problems = []
    for name in names:
        if name not in (GENERATED, *CHALLENGE, *news):
            there = ", ".join((GENERATED, *CHALLENGE, *news))
            problems.append(f"there is no development set {name!r}; there are: {there}")
        elif name in news and data_dir is None:
            problems.append(f"{name}: needs the folder of the corpora: --data or DEID_CORPORA_DIR")
    if problems:
        raise ConfigurationError(problems)


def generated_set(name: str, count: int, *, seed: int, split: str, with_header: bool = False) -> DevelopmentSet:
    """So many made letters: "generated", or the challenge corpus of this name.

    Raises ConfigurationError for a corpus or split that does not exist.
    """
    made = iter_notes if name == GENERATED else partial(iter_challenge, name)
    items = list(made(count, seed=seed, split=split))
    header = "with header" if with_header else "header excluded"
    return DevelopmentSet(
        name,
        f"{count} made letters, split {split}, seed {seed}, {header}; all labels",
        tuple(item.note for item in items),
        tuple(item.gold for item in items),
        with_header,
    )


def news_set(name: str, data_dir: Path) -> DevelopmentSet:
    """A corpus of conf/corpora.yaml, joined to texts of some hundred tokens.

    Raises ConfigurationError if it does not exist or cannot be read.
    """
    texts = read_named(name, data_dir, NEWS_LABELS)
    return DevelopmentSet(
        name,
        f"{load_corpora().corpora[name].description}: {len(texts)} texts; predictions of other labels than "
        f"{' and '.join(sorted(NEWS_LABELS))} are ignored",
        tuple(Note(text.id, text.text) for text in texts),
        tuple(text.spans for text in texts),
        with_header=True,
        labels=NEWS_LABELS,
    )


def measure(engine: Engine, of: DevelopmentSet, progress: Callable[[], object] = bool) -> Measured:
    """Runs an engine over a set; `progress` is called after each note.

    Raises NoteError if the engine cannot process a note: a score that leaves notes out would be none.
    """
    evaluation = Evaluation(with_header=of.with_header)
    if of.notes:
        engine.annotate(of.notes[0])  # What is compiled or loaded with the first note is not its speed.
    tokens, cpu_s = 0, 0.0
    for note, gold in zip(of.notes, of.gold, strict=True):
        began = process_time()
        spans = engine.annotate(note)
        cpu_s += process_time() - began
        tokens += len(engine.document(note).tokens)
        evaluation.add(note.text, gold, [s for s in spans if of.labels is None or s.label in of.labels])
        progress()
    return Measured(engine.spec.pipeline.name, engine.spec.fingerprint, evaluation, tokens, cpu_s)
