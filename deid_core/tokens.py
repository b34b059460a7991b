"""Tokens and word types: a note's text cut into words, numbers and marks, each with the number of its word type.

A token is
- a word: letters, with inner hyphens, apostrophes and digits ("Müller-Lüdenscheid", "O'Brien", "T2-Zeit"), and the full
  stop that belongs to an abbreviation ("Dr.", "Hauptstr.", "z.B.", "H.");
- a number: digits with inner separators ("01.12.1956", "3,5", "120/80", "06221/56-1234", "2a");
- or one other character that is not blank.

This follows Stanford's tokenizer, which seed 000 used (section 5.2), where it matters: dates, abbreviations and
hyphenated words are one token. There is no sentence splitting, as in the seed.

A word type is a distinct token string in its plain form: composed letters, one sort of dash, no format characters
("Thor\u00adwaldsen" is the type Thorwaldsen). Lists and rules see the plain word, starts and ends the raw text. What
depends on the word alone is computed once per type.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from deid_core.token_scan import MatchTable

# Abbreviations whose full stop is part of the token; a lone letter's ("H. Müller") and a street's are found by shape.
_ABBREVIATIONS = frozenset(
    """
    abt allg amb apl bds bzgl bzw ca chir dent dipl dir doz dr dres em etc evtl fa fam fr geb gegr gez ggf habil hon hr
    hrn inkl inst jr jur li mag med min mind mudr nat neg nr oec pat path ph phil pl pos priv prof psych re rer sen sog
    st stat stellv str tel telef tgl unauff univ usw verh vet vgl wh wohnh zul zzt
    """.split()
)

COMBINING = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
"""Combining marks of Latin letters, for a character class: "ü" may be written as "u" and U+0308."""
FORMAT = "\u00ad\u200c\u200d\u2060\ufeff"
"""Characters without a width that belong to the word they stand in: soft hyphen, joiners, byte order mark."""
ZERO_WIDTH_SPACE = "\u200b"
"""A place where a line may break: within a word before a small letter or digit, between words before a capital."""
DASHES = "\u2010\u2011\u2012\u2013\u2212"
"""What stands for a hyphen-minus within a word or number: hyphens, figure and en dash, minus."""

JOINED = "\u202f"
"""Of the blanks between two words that stood on two lines all but the first (wrapped.py); no column's."""
GAP = f" \u00a0{JOINED}{FORMAT}{ZERO_WIDTH_SPACE}"
"""What may stand between two tokens of one line, for `str.strip`: blanks that end no column and format characters."""

CAPITAL = "A-ZÀ-ÖØ-Þ"
"""Before these a zero-width space parts words."""
WORD_JOINERS = f"-{DASHES}'’{FORMAT}"
"""What may stand between the parts of a word."""
NUMBER_JOINERS = f"-.,:/{DASHES}{FORMAT}"
"""What may stand between the digits of a number."""
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
_LINE_END = re.compile(r"[\t\n\v\f\r]")
"""Tab and newline, and what texts from elsewhere have instead."""
_LONG = 400
"""Texts from so many characters on are cut by compiled code (token_scan.py); for an entry of a list it does not pay."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one note, ascending and disjoint; arrays have shape (tokens,).

    starts, ends: int32, code points of the note's raw text. types: int32, numbers of word types in the vocabulary.
    breaks: bool, whether a line or a cell ends between the token before and this one.
    Between tokens stand blanks and format characters alone.
    """

    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    types: npt.NDArray[np.int32]
    breaks: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.starts)


class Vocabulary:
    """Numbers word types as they come; a worker holds one and its engine's tables grow with it."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.characters = 0
        """Of all word types together; what bounds its memory beside their number."""
        self._numbers: dict[str, int] = {}
        self._table: MatchTable | None = None

    def __len__(self) -> int:
        return len(self.words)

    def number(self, word: str) -> int:
        """The number of the word's type, a new one if it has none yet."""
        found = self._numbers.get(word)
        if found is None:
            found = self._numbers[word] = len(self.words)
            self.words.append(word)
            self.characters += len(word)
        return found

    def known(self, word: str) -> int | None:
        """The number of the word's type, None if no text had it yet: asking adds nothing to the tables."""
        return self._numbers.get(word)

    def tokenise(self, text: str) -> Tokens:
        """Cuts a text into tokens; the same text gives the same starts and ends, numbers depend on what came before."""
        if len(text) < _LONG:
            return self.tokenise_by_expression(text)
        if self._table is None:
            from deid_core.token_scan import MatchTable

            self._table = MatchTable(self._match_number, self.number("."))
        return self._table.tokenise(text)

    def tokenise_by_expression(self, text: str) -> Tokens:
        """What `tokenise` gives, by TOKEN itself."""
        starts: list[int] = []
        ends: list[int] = []
        types: list[int] = []
        breaks: list[bool] = []
        before = 0
        for match in TOKEN.finditer(text):
            start, end = match.span()
            number = self._match_number(match.group())
            breaks.append(_LINE_END.search(text, before, start) is not None)
            before = end
            if number < 0:
                starts.append(start)
                ends.append(end - 1)
                types.append(-1 - number)
                breaks.append(False)
                start, number = end - 1, self.number(".")
            starts.append(start)
            ends.append(end)
            types.append(number)
        return Tokens(
            np.array(starts, np.int32), np.array(ends, np.int32), np.array(types, np.int32), np.array(breaks, np.bool_)
        )

    def _match_number(self, matched: str) -> int:
        """The number of the type of what TOKEN matches, or, for a word with a sentence's full stop, -1 - the word's."""
        matched = plain(matched)
        if len(matched) > 1 and matched[-1] == "." and not _is_abbreviation(matched):
            return -1 - self.number(matched[:-1])
        return self.number(matched)


_UNUSUAL = re.compile(rf"[^{COMBINING}][{COMBINING}]{{1,8}}|[{FORMAT}{ZERO_WIDTH_SPACE}{DASHES}]")
_PLAIN = str.maketrans(dict.fromkeys(DASHES, "-") | dict.fromkeys(FORMAT + ZERO_WIDTH_SPACE, ""))


def plain(word: str) -> str:
    """A token's plain form, which is its word type's string; a mark alone stays what it is.

    Marks are composed up to eight at a time: Unicode's canonical order costs the square of a run's length.
    """
    if word.isascii() or len(word) == 1:
        return word
    return _UNUSUAL.sub(lambda found: unicodedata.normalize("NFC", found.group().translate(_PLAIN)), word)


def _is_abbreviation(word: str) -> bool:
    """Whether the full stop at the word's end belongs to it."""
    stem = word[:-1].lower()
    last = stem.rpartition("-")[2]
    return len(last) == 1 or "." in stem or last in _ABBREVIATIONS or stem.endswith("str")


def token_kind(word: str) -> int:
    """WORD, NUMBER or MARK, by the token's first character."""
    first = word[0]
    return WORD if first.isalpha() else NUMBER if first.isdigit() else MARK
