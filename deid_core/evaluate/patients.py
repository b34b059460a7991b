"""What of patients' names stays readable: names that leak, and the letters in which a whole name can be put together.

A name leaks as in `leaks`: a letter or digit of one of its occurrences is not covered. A patient's full name is
readable if a reader can collect all of its words in the letter, be it from different places: the surname here, the
given name there. That is the stricter reading of "readable", and the one that re-identifies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from deid_core.evaluate.leaks import LEAKED_NAMES, LEAKY, LeakEvaluation, Share, covered_characters
from deid_core.evaluate.scores import LabelledRange
from deid_core.labels import PhiType
from deid_core.spans import GoldSpan

_WORD = re.compile(r"[^\W\d_]{2,}")
_PARTICLES = frozenset("al am an bin da de del den der di dos du el ibn la le van vom von zu zum zur".split())
"""They say nothing about who it is, and stand readable everywhere."""


class PatientEvaluation:
    """Adds up letters; only gold spans of type patient count."""

    def __init__(self) -> None:
        self._names = LeakEvaluation(None)
        self._full: list[bool] = []

    def add(self, text: str, gold: Iterable[GoldSpan], predicted: Iterable[LabelledRange]) -> None:
        """Counts one letter."""
        found = list(predicted)
        patients = [span for span in gold if span.type is PhiType.PATIENT]
        self._names.add(text, patients, found)
        self._full.append(is_full_name_readable(text, patients, covered_characters(text, found)))

    @property
    def leaked(self) -> Share:
        """Patients' names that leak, of all distinct names of a letter."""
        return self._names.names()

    @property
    def letters(self) -> Share:
        """Letters in which at least one does."""
        return Share(int(self._names.counts[:, LEAKY].sum()), len(self._full))

    @property
    def full_names(self) -> Share:
        """Letters in which a patient's full name can be read."""
        return Share(sum(self._full), len(self._full))

    @property
    def per_letter(self) -> float:
        """Patients' names that leak, mean of letters; 0 without letters."""
        return float(self._names.counts[:, LEAKED_NAMES].sum()) / len(self._full) if self._full else 0.0


def is_full_name_readable(text: str, patients: Iterable[LabelledRange], covered: npt.NDArray[np.bool_]) -> bool:
    """Whether every word of a name of two words or more can be read somewhere in the letter's patient spans.

    A word can be read if less than half of it is covered; initials and particles do not count, and the genitive gives
    the name away. Where surname and given name only stand apart, in cells of their own, they are one name.
    covered: whether each character is, shape (characters,).
    """
    readable: set[str] = set()
    names: list[set[str]] = []
    for span in patients:
        name: set[str] = set()
        for word in _WORD.finditer(text, span.start, span.end):
            if (plain := word.group().casefold()) in _PARTICLES:
                continue
            name.add(plain)
            if 2 * int(covered[word.start() : word.end()].sum()) < len(word.group()):
                readable.add(plain)
        names.append(name)
    full = [name for name in names if len(name) > 1] or [set().union(*names)]
    return any(len(name) > 1 and all({word, f"{word}s"} & readable for word in name) for name in full)
