"""Signs joined in a chain, of who dictated, wrote and saw a letter: "Unser Zeichen: Mu/kb", "3.4.2010  pa-sb/we".

A chain is one to four signs of one to four letters with slashes, hyphens or colons between them, at the end of a column
or sentence. What stands before it tells whether it is one: the label of a letter's reference; the letter's date; or it
stands alone, in brackets or in its column, and one of its signs may be of a name of the note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.recognise.base import Document
from deid_core.recognise.name_walk import NameWalk
from deid_core.recognise.sign_words import MAY_SIGN, Signers, sign_shape
from deid_core.recognise.triggers import DATED

LINK, LABEL = 4, 8
"""Bits of words: may be a part of a chain; announces a reference."""

_PART = re.compile(r"[^\W\d_]{1,4}\.?(?:-[^\W\d_]{1,4}){0,3}\.?")
_REFERENCE = re.compile(r"(?:\w{0,12}zeichen|[ui]\.?z\.?|[ui]hr\.?z\.?|a\.?z\.?|zch\.?|dikt\.?-?z\.?)", re.IGNORECASE)
_SIGN = re.compile(r"[^\W\d_]+\.?")
_JOINS = frozenset("/:-")
_AFTER = (")", ",")
_BEFORE_DATED = frozenset("/,;-")
_YEAR = re.compile(r"(?:\d{1,2}[./-]\d{1,2}[./-])?(?:19|20)\d\d")
_MOST_LINKS = 4
_NEAR = 2
_COLUMN_GAP = 3
_MIN_LETTERS = 2
_LABELLED, _OF_NAME, _DATED_PAIR, _DATED_SIGN = 0.85, 0.75, 0.7, 0.6


def chain_bits(word: str) -> int:
    """LINK for what may be a part of a chain, LABEL for the label of a letter's reference."""
    return (LINK if _PART.fullmatch(word) else 0) | (LABEL if _REFERENCE.fullmatch(word) else 0)


def chains(
    document: Document, walk: NameWalk, bits: npt.NDArray[np.uint32], names: Signers
) -> Iterator[tuple[int, int, float]]:
    """Where in the text each sign of a chain begins and ends, and its score; bits: chain_bits of each token."""
    text = document.text
    for last in np.flatnonzero(((bits & LINK) != 0) & _ends(document)).tolist():
        first = last
        while (last - first) // 2 < _MOST_LINKS - 1 and _joined(walk, first) and bits[first - 2] & LINK:
            first -= 2
        links = range(first, last + 1, 2)
        found = [
            (walk.starts[link] + part.start(), walk.starts[link] + part.end())
            for link in links
            for part in _SIGN.finditer(text[walk.starts[link] : walk.ends[link]])
        ]
        score = _score(walk, first, [text[start:end] for start, end in found], names, bits)
        if score:
            for start, end in found:
                yield start, end, score


def _score(walk: NameWalk, first: int, chain: list[str], names: Signers, bits: npt.NDArray[np.uint32]) -> float:
    """How sure the signs of a chain are that begins at the token, 0 if it is none."""
    if _is_labelled(walk, first, bits):
        return _LABELLED
    dated, usual = _is_dated(walk, first), all(map(sign_shape, chain))
    if len(chain) > 1:
        return _pair_score(walk, first, chain, names, dated=dated, usual=usual)
    sign = chain[0]
    if not (dated and usual) or walk.triggers[first] or "," in {walk.word(first - 1), walk.word(first + 1)}:
        # "Bypass 2001, Lyse, Stent"
        return 0.0
    if names.may_sign(sign):
        return _OF_NAME
    return 0.0 if sign.isupper() else _DATED_SIGN


def _pair_score(walk: NameWalk, first: int, chain: list[str], names: Signers, *, dated: bool, usual: bool) -> float:
    """How sure several signs are; usual: none of them is a unit or side, as in "g/dl", "Mo/Mi/Fr", "re/li"."""
    if any(len(sign.rstrip(".")) < _MIN_LETTERS for sign in chain):
        return 0.0
    unusual = any(sign_shape(sign) == MAY_SIGN for sign in chain)
    if (unusual and names.begins(chain[0])) or (usual and any(map(names.may_sign, chain))):
        return _OF_NAME if dated or _is_alone(walk, first) else 0.0
    return _DATED_PAIR if dated and usual else 0.0


def _is_labelled(walk: NameWalk, first: int, bits: npt.NDArray[np.uint32]) -> bool:
    """Whether the label of a reference stands before the token: "Unser Zeichen: Mu/kb"."""
    return first > 1 and walk.word(first - 1) == ":" and bool(bits[first - 2] & LABEL) and not walk.breaks[first]


def _is_alone(walk: NameWalk, first: int) -> bool:
    """Whether a line, a column made of blanks or brackets begin with the token."""
    if first == 0 or walk.word(first - 1) == "(":
        return True
    if walk.breaks[first]:
        return "\n" in walk.gap(first)
    return walk.starts[first] - walk.ends[first - 1] >= _COLUMN_GAP


def _joined(walk: NameWalk, index: int) -> bool:
    """Whether a colon joins the token to the one before it, or a slash or hyphen with two blanks at most beside it."""
    join = walk.word(index - 1)
    if index < 2 or join not in _JOINS or walk.breaks[index] or walk.breaks[index - 1]:
        return False
    near = 0 if join == ":" else _NEAR
    return walk.starts[index] - walk.ends[index - 1] <= near and walk.starts[index - 1] - walk.ends[index - 2] <= near


def _is_dated(walk: NameWalk, first: int) -> bool:
    """Whether a year or whole date, and a slash, comma or dash at most, stands before the token on its line."""
    if first == 0:
        return False
    at = first - 1
    if walk.word(at) in _BEFORE_DATED and at > 0 and not walk.breaks[at]:
        at -= 1
    on_line = not any(walk.breaks[between] for between in range(at + 1, first + 1))
    return on_line and bool(walk.triggers[at] & DATED or _YEAR.fullmatch(walk.word(at)))


def _ends(document: Document) -> npt.NDArray[np.bool_]:
    """Behind which tokens a line, column, bracket or clause ends; shape (tokens,)."""
    tokens = document.tokens
    ends = np.ones(len(tokens), bool)
    ends[:-1] = (tokens.starts[1:] - tokens.ends[:-1] >= _COLUMN_GAP) | tokens.breaks[1:]
    ends[:-1] |= np.isin(tokens.types[1:], [document.vocabulary.number(mark) for mark in _AFTER])
    return ends
