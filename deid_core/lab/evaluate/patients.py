"""What of patients' names stays readable: names that leak, and the letters in which a full name can be put together.

A name leaks as in `leaks`: a letter or digit of one of its occurrences is not covered. A full name is put together from
different places, the surname here, the given name there, and from marks of every type: a patient's words stand in the
name of a relative, of a practice, in an e-mail address too. Text without a mark is not searched, since there the same
letters are another word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType
from deid_core.core.spans import GoldSpan
from deid_core.core.uncovered_text import covered_characters
from deid_core.core.word_lists import word_set
from deid_core.lab.evaluate.leaks import LEAKED_NAMES, LEAKY, LeakEvaluation, LeakShare
from deid_core.lab.evaluate.scores import LabelledRange
from deid_core.text.divided_words import HYPHENS, LINE_BREAK

_WORD = re.compile(rf"[^\W\d_]+(?:[{HYPHENS}](?:{LINE_BREAK})?[^\W\d_]+)*")
_PART = re.compile(r"[^\W\d_]{3,}")
_LONGEST_WITHOUT_GENITIVE = 4
"""Letters: a shorter word's s is its own (Hans)."""
_PARTICLES = word_set("names/particles") | {"am", "an"}
"""They say nothing about who it is, and stand readable everywhere."""

_Forms = frozenset[str]
"""What a word of a name is known by: itself and, of a hyphenated one, its parts."""


class PatientEvaluation:
    """Adds up letters; names are the gold spans of type patient."""

    def __init__(self) -> None:
        self._names = LeakEvaluation(None)
        self._full: list[bool] = []

    def add(self, text: str, gold: Iterable[GoldSpan], predicted: Iterable[LabelledRange]) -> None:
        """Counts one letter."""
        golden, found = list(gold), list(predicted)
        self._names.add(text, [span for span in golden if span.type is PhiType.PATIENT], found)
        self._full.append(is_full_name_readable(text, golden, covered_characters(text, found)))

    @property
    def leaked(self) -> LeakShare:
        """Patients' names that leak, of all distinct names of a letter."""
        return self._names.names()

    @property
    def letters(self) -> LeakShare:
        """Letters in which at least one does."""
        return LeakShare(int(self._names.counts[:, LEAKY].sum()), len(self._full))

    @property
    def full_names(self) -> LeakShare:
        """Letters in which a patient's full name can be read."""
        return LeakShare(sum(self._full), len(self._full))

    @property
    def per_letter(self) -> float:
        """Patients' names that leak, mean of letters; 0 without letters."""
        return float(self._names.counts[:, LEAKED_NAMES].sum()) / len(self._full) if self._full else 0.0


def is_full_name_readable(text: str, gold: Iterable[GoldSpan], covered: npt.NDArray[np.bool_]) -> bool:
    """Whether two different words of one of the patient's marks of two words or more can be read in the letter.

    A word can be read where less than half of its letters are covered, in gold spans of any type. A hyphenated name is
    one word, and so is one that a line end divides; it is read if it or one of its parts of three letters or more is.
    Words that share a part are not different. Particles and single letters do not count. The s of a genitive is taken
    off words of more than four letters, in the name and where it is read. Where no mark has two words, surname and
    given name standing apart in cells of their own, all marks of patients are one name.
    covered: whether each character is, shape (characters,).
    """
    readable: set[str] = set()
    names: list[list[_Forms]] = []
    for span in gold:
        places = [[*_pieces(text, *word.span())] for word in _WORD.finditer(text, span.start, span.end)]
        for start, end in (piece for word in places for piece in word):
            letters = [at for at in range(start, end) if text[at].isalpha()]
            if 2 * int(covered[letters].sum()) < len(letters):
                readable.add(_plain(text[start:end]))
        if span.type is PhiType.PATIENT:
            names.append([frozenset(_plain(text[start:end]) for start, end in word) for word in places])
    apart = [word for name in names for word in name]
    full = [name for name in names if _has_two_words(name)] or [
        # One part of a hyphenated name may stand in a mark of its own, and is no other word.
        [word for word in apart if not any(word < longer for longer in apart)]
    ]
    return any(_has_two_words([word for word in name if word & readable]) for name in full)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The places of a word and of its parts that can give a name away."""
    for first, after in ((start, end), *(part.span() for part in _PART.finditer(text, start, end))):
        if after - first > 1 and text[first:after].casefold() not in _PARTICLES:
            yield first, after


def _plain(word: str) -> str:
    plain = "".join(filter(str.isalpha, word)).casefold()
    return plain.removesuffix("s") if len(plain) > _LONGEST_WITHOUT_GENITIVE else plain


def _has_two_words(words: Sequence[_Forms]) -> bool:
    return any(first.isdisjoint(second) for first, second in combinations(filter(None, words), 2))
