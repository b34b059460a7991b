"""Tokens and word types: a note's text split into words, numbers and marks, each with the number of its word type.

A token is
- a word: letters, with inner hyphens, apostrophes and digits ("Müller-Lüdenscheid", "O'Brien", "T2-Zeit"), and the full
  stop that belongs to an abbreviation ("Dr.", "Hauptstr.", "z.B.", "H.");
- a number: digits with inner separators ("01.12.1956", "3,5", "120/80", "06221/56-1234", "2a");
- or one other character that is no blank.

This follows Stanford's tokenizer, which seed 000 used (section 5.2), where it matters: dates, abbreviations and
hyphenated words are one token. There is no sentence splitting, as in the seed.

A word type is a distinct token string in its plain form: composed letters, one kind of dash, no format characters
("Thor\u00adwaldsen" is the type Thorwaldsen). Lists and rules use the plain word. Starts and ends are those of the text
that is cut, as it is written: in the engine the normalised and unwrapped one; the engine moves the places of
spans back to the note as it is stored.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.core.word_lists import word_set

_ABBREVIATIONS = word_set("tokens/abbreviations")

COMBINING = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
"""Combining marks of Latin letters, for a character class: "ü" may be written as "u" and U+0308."""
FORMAT = "\u00ad\u200c\u200d\u2060\ufeff"
"""Characters without width that belong to their word: soft hyphen, joiners, byte order mark."""
ZERO_WIDTH_SPACE = "\u200b"
"""A possible line break: within a word before a small letter or digit, between words before a capital."""
DASHES = "\u2010\u2011\u2012\u2013\u2212"
"""Characters read as a hyphen within a word or number: hyphens, figure and en dash, minus."""

JOINED = "\u202f"
"""All blanks but the first between two words whose lines were joined (unwrap.py); they separate no columns."""
GAP = f" \u00a0{JOINED}{FORMAT}{ZERO_WIDTH_SPACE}"
"""Characters between adjacent tokens, for `str.strip`: blanks that separate no columns, and format characters."""

CAPITAL = "A-ZÀ-ÖØ-Þ"
"""Before these a zero-width space separates words."""
WORD_JOINERS = f"-{DASHES}'’{FORMAT}"
"""Characters between the parts of a word."""
NUMBER_JOINERS = f"-.,:/{DASHES}{FORMAT}"
"""Characters between the digits of a number."""
_BREAK = rf"{ZERO_WIDTH_SPACE}(?![{CAPITAL}])"

TOKEN = re.compile(
    rf"""
    (?:[^\W\d_]\.){{2,}}                                    # z.B.  i.A.  h.c.
  | [^\W\d_][^\W_]*                                       # words: inner hyphens, apostrophes, format characters
    (?:[{WORD_JOINERS}][{FORMAT}]?[^\W_]+|[{COMBINING}]+[^\W_]*|{_BREAK}[^\W_]+)*
    \.?                                                   # with a full stop that may be an abbreviation's
  | \d+(?:[{NUMBER_JOINERS}]\d+|{_BREAK}\d+)*(?:[^\W\d_](?![^\W_]|[{COMBINING}]))?  # with one letter: 12a
  | [^\s{FORMAT}{ZERO_WIDTH_SPACE}]
    """,
    re.VERBOSE,
)

WORD, NUMBER, MARK = 0, 1, 2
EDGE = ""
"""In a sequence of words, the word before the first and after the last one."""
LINE = "\n"
"""In a sequence of words, the word for a line end: a letter has lines where other texts have sentences."""
LINE_END = re.compile(r"[\t\n\v\f\r]")
"""Tab, newline, and other characters that end a line or a cell."""


class TooManyNewWords(Exception):
    """A text has more new words than the caller allows; none of them was numbered."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one note, ascending and disjoint; arrays have shape (tokens,).

    starts, ends: int32, code points of the note's text. types: int32, numbers of word types in the vocabulary.
    breaks: bool, whether a line or a cell ends between the token and the one before.
    Only blanks and format characters are between tokens.
    """

    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    types: npt.NDArray[np.int32]
    breaks: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.starts)


_UNUSUAL = re.compile(rf"[^{COMBINING}][{COMBINING}]{{1,8}}|[{FORMAT}{ZERO_WIDTH_SPACE}{DASHES}]")
_PLAIN = str.maketrans(dict.fromkeys(DASHES, "-") | dict.fromkeys(FORMAT + ZERO_WIDTH_SPACE, ""))


def plain(word: str) -> str:
    """Return a token's plain form, the string of its word type; a single character is left as it is.

    At most eight combining marks are composed at a time: the time for canonical ordering is quadratic in their number.
    """
    if word.isascii() or len(word) == 1:
        return word
    return _UNUSUAL.sub(lambda found: unicodedata.normalize("NFC", found.group().translate(_PLAIN)), word)


def is_abbreviation(word: str) -> bool:
    """Return whether the full stop at the end of the word belongs to it."""
    stem = word[:-1].lower()
    last = stem.rpartition("-")[2]
    return len(last) == 1 or "." in stem or last in _ABBREVIATIONS or stem.endswith("str")


def token_kind(word: str) -> int:
    """Return WORD, NUMBER or MARK, by the token's first character."""
    first = word[0]
    return WORD if first.isalpha() else NUMBER if first.isdigit() else MARK
