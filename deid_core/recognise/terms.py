"""Search terms with a type, and where their forms stand in a note: inflected, in capitals, misspelt, in compounds.

The header's fields and names that are sure somewhere in the note are looked for everywhere with it. A form is a word
whose R to a term is below the threshold (header/variants.py), both in lower case and with umlauts written out. A word
that is also a common word must be the very term, and not stand behind an article or preposition ("im Sommer").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from deid_core.errors import NoteError, Reason
from deid_core.header.variants import closest
from deid_core.labels import PhiType
from deid_core.recognise.base import Document
from deid_core.recognise.wordlists import CAPITALISED, COMMON, IS_WORD, STOP
from deid_core.word_types import TypeColumn

_FOLD = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "á": "a", "ı": "i", "ş": "s", "ç": "c"}
)
_MIN_PART = 3
"""Shorter parts of a hyphenated word are no search terms of their own."""
_MAX_PAIRS = 200_000_000
"""More pairs of terms and words than this are no letter; comparing them would take minutes."""
_BEFORE_COMMON = frozenset(
    """
    im am der die das den dem des ein eine einen einem einer eines kein keine keinen vom zum zur beim ins ans mit ohne
    bei diesen diesem dieser dieses jeden jedem jeder letzten letztem nächsten seit
    """.split()
)


@dataclass(frozen=True, slots=True)
class Form:
    """A token that is a form of a term: its index, the term's type and R."""

    index: int
    type: PhiType
    ratio: float


@lru_cache(100_000)
def folded(word: str) -> str:
    """Lower case, umlauts and accents written out: Müller and MUELLER are the same name."""
    return word.lower().translate(_FOLD)


def parts(word: str) -> list[str]:
    """The word and, if it is hyphenated, its parts of three letters and more."""
    if "-" not in word:
        return [word]
    return [word, *(part for part in word.split("-") if len(part) >= _MIN_PART and part[0].isalpha())]


def find_forms(document: Document, terms: Mapping[str, PhiType], bits: TypeColumn, max_ratio: float) -> Iterator[Form]:
    """Every token that is a form of a term, ascending; terms are folded words, the first of equals stands.

    bits: the column of wordlists.word_bits. Raises NoteError if the note has too many words for it.
    """
    if not terms:
        return
    of_types = bits.gather(document.tokens.types)
    usable = (of_types & (IS_WORD | STOP | CAPITALISED)) == IS_WORD | CAPITALISED
    words = document.vocabulary.words
    pieces = [(n, part) for n in np.unique(document.tokens.types[usable]).tolist() for part in parts(words[n])]
    if len(pieces) * len(terms) > _MAX_PAIRS:
        raise NoteError(Reason.TOO_LARGE, f"{len(terms)} search terms for {len(pieces)} words")
    found, ratio = closest(list(terms), [folded(part) for _, part in pieces], max_ratio)
    types = list(terms.values())
    best: dict[int, tuple[float, PhiType]] = {}
    for at in np.flatnonzero(found >= 0).tolist():
        number, part = pieces[at]
        r = float(ratio[at])
        of_word, of_part = bits.of(words[number]), bits.of(part)
        doubtful = of_part & STOP or (r and (of_word | of_part) & COMMON)
        if part[0].isupper() and not doubtful and r < best.get(number, (np.inf, None))[0]:
            best[number] = (r, types[int(found[at])])
    for index, number in having(document, np.array(sorted(best), np.int32)):
        r, phi = best[number]
        if not (of_types[index] & COMMON and index and document.word(index - 1) in _BEFORE_COMMON):
            yield Form(index, phi, r)


def having(document: Document, types: npt.NDArray[np.int32]) -> Iterator[tuple[int, int]]:
    """(token index, type) of all tokens of these types, ascending."""
    hits = np.flatnonzero(np.isin(document.tokens.types, types))
    yield from zip(hits.tolist(), document.tokens.types[hits].tolist(), strict=True)


def inside(document: Document, ranges: Sequence[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    """Which tokens lie wholly in one of the ranges; shape (tokens,)."""
    mask = np.zeros(len(document.tokens), bool)
    for first, behind in token_ranges(document, ranges):
        mask[first:behind] = True
    return mask


def token_ranges(document: Document, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """For each range of the text the tokens that lie wholly in it: the first, and the one behind the last."""
    bounds = np.array(ranges, np.int32).reshape(-1, 2)
    firsts = document.tokens.starts.searchsorted(bounds[:, 0])
    behind = document.tokens.ends.searchsorted(bounds[:, 1], side="right")
    return list(zip(firsts.tolist(), behind.tolist(), strict=True))
