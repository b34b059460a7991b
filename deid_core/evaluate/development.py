"""Development sets by name: letters written one by one, made letters, and news with names marked.

Letters written one by one are those of a checkout's tests/cases/letters; a package has none. Made letters are of the
generator ("generated") or one of its challenge corpora (seed 001, section 5). News are corpora of conf/corpora.yaml
that are there to develop on; they mark persons and places only, so of what a pipeline finds there only PER and LOC
count. They are words joined by blanks, in which what looks at a letter's layout is at a loss.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deid_core.corpora.letters import read_letters
from deid_core.corpora.named import load_corpora, read_named
from deid_core.errors import ConfigurationError
from deid_core.labels import Label, PhiType
from deid_core.note import Note
from deid_core.resources import letters_dir
from deid_core.spans import GoldSpan
from deid_core.synthetic import iter_notes
from deid_core.synthetic.surrogates import CORPORA, iter_challenge

LETTERS = {
    "letters": "develop",
    "letters-long": "develop-long",
    "letters-train": "train",
    "letters-train-long": "train-long",
    "letters-unseen": "unseen",
    "letters-long-unseen": "unseen-long",
    "letters-mixed-unseen": "unseen-mixed",
}
"""Sets of letters written one by one, and the folder of each. Long ones have as little PHI as those of hospitals."""
UNSEEN = frozenset({"letters-unseen", "letters-long-unseen", "letters-mixed-unseen"})
"""Only measured when they are named, and only as a whole; every time is written down."""
GENERATED = "generated"
CHALLENGE = tuple(CORPORA)
NEWS = ("germeval-dev", "ler-dev")
_NEWS_TYPES = {"PER": PhiType.PERSON, "LOC": PhiType.PLACE}
"""News know no finer types; these stand for them and are not reported."""
NEWS_LABELS = frozenset(_NEWS_TYPES)


@dataclass(frozen=True, slots=True)
class DevelopmentSet:
    """Notes with their gold spans. labels: of the predictions that count, None for all of them.

    with_header: whether what stands before a letter's salutation counts. typed: whether the types of the gold spans
    are known, or their labels only.
    """

    name: str
    description: str
    notes: tuple[Note, ...]
    gold: tuple[tuple[GoldSpan, ...], ...]
    with_header: bool
    labels: frozenset[str] | None = None
    typed: bool = True


def news_sets() -> list[str]:
    """The corpora of conf/corpora.yaml that are there to develop on and hold no made notes."""
    corpora = load_corpora().corpora
    return [name for name, corpus in corpora.items() if corpus.use == "develop" and corpus.source.format != "synthetic"]


def check_sets(names: Iterable[str]) -> None:
    """Raises ConfigurationError with every name that is no development set."""
    known = (*LETTERS, GENERATED, *CHALLENGE, *news_sets())
    problems = [f"there is no development set {n!r}; there are: {', '.join(known)}" for n in names if n not in known]
    if problems:
        raise ConfigurationError(problems)


def development_set(
    name: str, *, data_dir: Path | None, notes: int, seed: int, split: str, with_header: bool
) -> DevelopmentSet:
    """The set of this name. data_dir: of the corpora's files; the others: of made letters, as `generated_set` has them.

    Raises ConfigurationError if there is no such set or its files cannot be read.
    """
    check_sets([name])
    if name in LETTERS:
        return letters_set(name)
    if name in news_sets():
        if data_dir is None:
            raise ConfigurationError(f"{name}: needs the folder of the corpora")
        return news_set(name, data_dir)
    return generated_set(name, notes, seed=seed, split=split, with_header=with_header)


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


def letters_set(name: str) -> DevelopmentSet:
    """Letters written one by one, whole, with their headers: those of `LETTERS`.

    Raises ConfigurationError if this is no checkout, or with every mistake of the letters' files.
    """
    letters = read_letters(letters_dir() / LETTERS[name])
    return DevelopmentSet(
        name,
        f"{len(letters)} letters written one by one, whole; all labels",
        tuple(letter.note for letter in letters),
        tuple(letter.gold for letter in letters),
        with_header=True,
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
        tuple(
            tuple(GoldSpan(span.start, span.end, Label(span.label), _NEWS_TYPES[span.label]) for span in text.spans)
            for text in texts
        ),
        with_header=True,
        labels=NEWS_LABELS,
        typed=False,
    )
