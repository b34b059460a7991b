"""Evaluation sets by name: letters written one by one, synthetic notes, and non-medical texts with annotated names.

Letters written one by one are those of a checkout's data/letters; a package has none. Their role says what a
figure on them is worth: the stacking model was trained on some, chosen with others, and some are test letters.
Synthetic notes are of the generator ("generated") or one of its challenge corpora (seed 001, section 5).
Non-medical texts (Wikipedia, news, court decisions) are corpora of conf/corpora.yaml that are there to develop with;
they mark persons and places only, so of what a pipeline finds there only PER and LOC count. They are words joined by
blanks, in which what looks at a letter's layout is at a loss. Medical phrases, which are such a corpus too, identify
nobody: whatever is found there is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.corpora.layout_changes import laid_out
from deid_core.lab.corpora.letter_index import writer_of
from deid_core.lab.corpora.letters import SUFFIX, read_letters
from deid_core.lab.corpora.named import PhrasesSource, load_corpora, read_named
from deid_core.lab.synthetic import iter_notes
from deid_core.lab.synthetic.surrogates import CORPORA, iter_challenge

LETTERS = {
    "letters-dev": "dev/dense",
    "letters-dev-long": "dev/long",
    "letters-train": "train/dense",
    "letters-train-long": "train/long",
    "letters-test": "test/dense",
    "letters-test-long": "test/long",
    "letters-test-mixed": "test/mixed",
    "letters-test-varied": "test/varied",
    "letters-dev-varied": "dev/varied",
    "letters-dev-sentences": "dev/sentences",
    "letters-dev-fresh": "dev/fresh",
}
"""Sets of letters written one by one, and the folder of each. Long ones have as little PHI as those of hospitals."""
AS_WRITTEN = "plain"
"""The layout that letters have by themselves."""
GENERATED = "generated"
CHALLENGE = tuple(CORPORA)
MADE = (GENERATED, *CHALLENGE)
NON_MEDICAL = ("germeval-dev", "ler-dev")
_NON_MEDICAL_TYPES = {"PER": PhiType.PERSON, "LOC": PhiType.PLACE}
"""Non-medical texts know no subtypes; these stand for them and are not reported."""
NON_MEDICAL_LABELS = frozenset(_NON_MEDICAL_TYPES)


class LetterSplit(StrEnum):
    """What letters written one by one are there for: the first part of their folder's path."""

    TRAIN = "train"
    """The stacking model was trained on them."""
    DEV = "dev"
    """To choose between ways with."""
    TEST = "test"
    """Only measured when they are named, and only as a whole; every time is written down."""

    @staticmethod
    def of(name: str) -> LetterSplit | None:
        """That of a set of `LETTERS`, None of another set."""
        return LetterSplit(LETTERS[name].partition("/")[0]) if name in LETTERS else None


TEST_SETS = frozenset(name for name in LETTERS if LetterSplit.of(name) is LetterSplit.TEST)


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """Notes with their gold spans. labels: of the predictions that count, None for all of them.

    role: of letters written one by one; None of synthetic notes and non-medical texts.
    with_header: whether what is before a letter's salutation counts. typed: whether the types of the gold spans
    are known, or their labels only.
    """

    name: str
    description: str
    notes: tuple[Note, ...]
    gold: tuple[tuple[GoldSpan, ...], ...]
    with_header: bool
    labels: frozenset[str] | None = None
    typed: bool = True
    role: LetterSplit | None = None


def non_medical_sets() -> list[str]:
    """The corpora of conf/corpora.yaml that are there to develop with and hold no synthetic notes."""
    corpora = load_corpora().corpora
    return [name for name, corpus in corpora.items() if corpus.use == "dev" and corpus.source.format != "synthetic"]


def check_sets(names: Iterable[str]) -> None:
    """Raises ConfigurationError with every name that is no evaluation set."""
    known = (*LETTERS, *MADE, *non_medical_sets())
    problems = [f"there is no evaluation set {n!r}; there are: {', '.join(known)}" for n in names if n not in known]
    if problems:
        raise ConfigurationError(problems)


def evaluation_set(
    name: str,
    *,
    data_dir: Path | None,
    notes: int,
    seed: int,
    split: str,
    with_header: bool,
    writers: Collection[str] = (),
    layout: str = AS_WRITTEN,
) -> EvaluationSet:
    """The set of this name.

    data_dir: of the corpora's files. writers, layout: of letters written one by one, as `letters_set` has them. notes,
    seed, split, with_header: of synthetic notes, as `generated_set` has them.
    Raises ConfigurationError if there is no such set or its files cannot be read.
    """
    check_sets([name])
    if name in LETTERS:
        return letters_set(name, writers, layout)
    if name in non_medical_sets():
        if data_dir is None:
            raise ConfigurationError(f"{name}: needs the folder of the corpora")
        return non_medical_set(name, data_dir)
    return generated_set(name, notes, seed=seed, split=split, with_header=with_header)


def generated_set(name: str, count: int, *, seed: int, split: str, with_header: bool = False) -> EvaluationSet:
    """So many synthetic notes: "generated", or the challenge corpus of this name.

    Raises ConfigurationError for a corpus or split that does not exist.
    """
    made = iter_notes if name == GENERATED else partial(iter_challenge, name)
    items = list(made(count, seed=seed, split=split))
    header = "with header" if with_header else "header excluded"
    return EvaluationSet(
        name,
        f"{count} synthetic notes, split {split}, seed {seed}, {header}; all labels",
        tuple(item.note for item in items),
        tuple(item.gold for item in items),
        with_header,
    )


def is_of_test_set(path: Path) -> bool:
    """Whether a file or folder is of the test letters of this checkout."""
    place = path.resolve()
    return any(place.is_relative_to((letters_dir() / LETTERS[name]).resolve()) for name in TEST_SETS)


def set_writers(name: str) -> set[str]:
    """The writers of a set of `LETTERS`, none if this is no checkout."""
    return {writer_of(file.stem) for file in (letters_dir() / LETTERS[name]).glob(f"*{SUFFIX}")}


def letters_set(name: str, writers: Collection[str] = (), layout: str = AS_WRITTEN) -> EvaluationSet:
    """Letters written one by one, whole, with their headers: those of `LETTERS`, or of these writers only.

    layout: AS_WRITTEN, or one of `LAYOUTS`, `WRITINGS` or `FORMATS`, drawn by the letter's name; the set's name then
    ends with it.
    Raises ConfigurationError if this is no checkout, or with every mistake of the letters' files.
    """
    letters = read_letters(letters_dir() / LETTERS[name])
    role = LetterSplit.of(name)
    said = [f"{len(letters)} letters written one by one, whole"]
    if writers:
        letters = [letter for letter in letters if writer_of(letter.note.note_id) in writers]
        said.append(f"of them the {len(letters)} of writers {', '.join(sorted(writers))}")
    if layout != AS_WRITTEN:
        letters = [laid_out(letter, layout, letter.note.note_id) for letter in letters]
        said.append(f"laid out otherwise: {layout}")
    said.append("all labels")
    if role is LetterSplit.TRAIN:
        said.append("the stacking model was trained on these")
    return EvaluationSet(
        name if layout == AS_WRITTEN else f"{name}, {layout}",
        "; ".join(said),
        tuple(letter.note for letter in letters),
        tuple(letter.gold for letter in letters),
        with_header=True,
        role=role,
    )


def non_medical_set(name: str, data_dir: Path) -> EvaluationSet:
    """A corpus of conf/corpora.yaml, joined to texts of some hundred tokens.

    Raises ConfigurationError if it does not exist or cannot be read.
    """
    texts = read_named(name, data_dir, NON_MEDICAL_LABELS)
    corpus = load_corpora().corpora[name]
    labels = None if isinstance(corpus.source, PhrasesSource) else NON_MEDICAL_LABELS
    counted = f"predictions of other labels than {' and '.join(sorted(labels))} are ignored" if labels else "all labels"
    return EvaluationSet(
        name,
        f"{corpus.description}: {len(texts)} texts; {counted}",
        tuple(Note(text.id, text.text) for text in texts),
        tuple(
            tuple(
                GoldSpan(span.start, span.end, Label(span.label), _NON_MEDICAL_TYPES[span.label]) for span in text.spans
            )
            for text in texts
        ),
        with_header=True,
        labels=labels,
        typed=False,
    )
