"""Tokens and word types: a note's text cut into words, numbers and marks, each with the number of its word type.

A token is
- a word: letters, with inner hyphens, apostrophes and digits ("Müller-Lüdenscheid", "O'Brien", "T2-Zeit"), and the full
  stop that belongs to an abbreviation ("Dr.", "Hauptstr.", "z.B.", "H.");
- a number: digits with inner separators ("01.12.1956", "3,5", "120/80", "06221/56-1234", "2a");
- or one other character that is not blank.

This follows Stanford's tokenizer, which seed 000 used (section 5.2), where it matters: dates, abbreviations and
hyphenated words are one token. There is no sentence splitting, as in the seed.

A word type is a distinct token string. What depends on the word alone is computed once per type (design, principle 4).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# Abbreviations whose full stop is part of the token; a lone letter's ("H. Müller") and a street's are found by shape.
_ABBREVIATIONS = (
    "abt|allg|amb|apl|bds|bzgl|bzw|ca|chir|dipl|dir|dr|em|etc|evtl|fr|geb|gegr|gez|ggf|habil|hon|hr|hrn|inkl|inst|jr|jur|li|med|"
    "min|mind|neg|nr|oec|op|pat|path|ph|phil|pl|pos|priv|prof|psych|re|rer|sen|sog|st|stat|stellv|str|tel|telef|"
    "tgl|unauff|univ|usw|verh|vet|vgl|wh|wohnh|zul|zzt"
)

TOKEN = re.compile(
    rf"""
    (?:[^\W\d_]\.){{2,}}                                  # z.B.  i.A.  h.c.
  | (?:{_ABBREVIATIONS}|[^\W\d_])\.(?![^\W\d_])           # Dr.  med.  H.
  | [^\W\d_]{{1,40}}(?:str|Str)\.                         # Hauptstr.
  | [^\W\d_][^\W_]*(?:[-‐‑–'’][^\W_]+)*                   # words
  | \d+(?:[.,:/-]\d+)*(?:[^\W\d_](?![^\W_]))?         # numbers, with one letter: 12a
  | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)

WORD, NUMBER, MARK = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one note, ascending and disjoint; arrays have shape (tokens,).

    starts, ends: int32, code points of the note's text. types: int32, numbers of word types in the vocabulary.
    """

    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    types: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.starts)


class Vocabulary:
    """Numbers word types as they come; a worker holds one and its engine's tables grow with it."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.words)

    def number(self, word: str) -> int:
        """The number of the word's type, a new one if it has none yet."""
        found = self._numbers.get(word)
        if found is None:
            found = self._numbers[word] = len(self.words)
            self.words.append(word)
        return found

    def tokenise(self, text: str) -> Tokens:
        """Cuts a text into tokens; the same text gives the same starts and ends, numbers depend on what came before."""
        starts: list[int] = []
        ends: list[int] = []
        types: list[int] = []
        numbers = self._numbers
        for match in TOKEN.finditer(text):
            start, end = match.span()
            word = match.group()
            found = numbers.get(word)
            if found is None:
                found = self.number(word)
            starts.append(start)
            ends.append(end)
            types.append(found)
        return Tokens(np.array(starts, np.int32), np.array(ends, np.int32), np.array(types, np.int32))


def token_kind(word: str) -> int:
    """WORD, NUMBER or MARK, by the token's first character."""
    first = word[0]
    return WORD if first.isalpha() else NUMBER if first.isdigit() else MARK
