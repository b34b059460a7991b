"""Whether initials can belong to a name of the note: "Wt" and "Wst" to Westerweg.

Initials are the first letters of a name's words ("DS" of Anna Dorn-Sommer: its parts count as words), the beginning of
a name ("Sal" of Salzer), or its first letter with some of the later ones in their order ("Kt" of Klemmt).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from deid_core.text.folding import folded

_WORD = re.compile(r"[^\W\d_]+")
_MIN_LETTERS = 3
_MAX_INITIALS = 3


@dataclass(frozen=True, slots=True)
class StaffNames:
    """The names in a note of those who may have signed.

    initials: first letters of the words of each name, folded. words: the words, folded, by their first letter: most
    initials begin with a letter that no name has.
    """

    initials: frozenset[str]
    words: Mapping[str, frozenset[str]]

    @classmethod
    def from_names(cls, names: Iterable[str]) -> StaffNames:
        """Return the names of people with these full names without titles. A name's words can be in either order."""
        initials: set[str] = set()
        words: dict[str, set[str]] = {}
        for name in names:
            in_name = [folded(word) for word in _WORD.findall(name)]
            for word in in_name:
                if len(word) >= _MIN_LETTERS:
                    words.setdefault(word[0], set()).add(word)
            if len(in_name) < 2:
                # Most names of staff are a surname alone.
                continue
            letters = "".join([word[0] for word in in_name])
            initials.update(
                letters[start : start + length]
                for length in range(2, _MAX_INITIALS + 1)
                for start in range(len(letters) - length + 1)
            )
            initials.add(letters[-1] + letters[0])
        return cls(frozenset(initials), {letter: frozenset(of_letter) for letter, of_letter in words.items()})


def has_in_order(word: str, letters: str) -> bool:
    """Whether the word has the letters in their order."""
    at = 0
    for letter in letters:
        at = word.find(letter, at) + 1
        if not at:
            return False
    return True
