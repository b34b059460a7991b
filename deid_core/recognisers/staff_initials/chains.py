"""Signs joined in a chain, of who dictated, wrote and saw a letter: "Unser Zeichen: Mu/kb", "3.4.2010  pa-sb/we".

A chain is one to four signs of one to four letters with slashes, hyphens or colons between them, at the end of a column
or sentence. What stands before it tells whether it is one: the label of a letter's reference; the letter's date; or it
stands alone, in brackets or in its column, and one of its signs may be of a name of the note. chain_scan.py finds what
may be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.cue_words import CueFlag, cue_flags
from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.recognisers.staff_initials.flags import AFTER, JOINT, LABEL, LEADS, LINK, SEVERAL
from deid_core.recognisers.staff_initials.words import MAY_SIGN, Signers, sign_shape
from deid_core.text.document import Document

_DATE = CueFlag.DATE.value
_PART = re.compile(r"[^\W\d_]{1,4}\.?(?:-[^\W\d_]{1,4}){0,3}\.?")
_REFERENCE = re.compile(r"(?:\w{0,12}zeichen|[ui]\.?z\.?|[ui]hr\.?z\.?|a\.?z\.?|zch\.?|dikt\.?-?z\.?)", re.IGNORECASE)
_SIGN = re.compile(r"[^\W\d_]+\.?")
_JOINS = frozenset("/:-")
_LEADS = _JOINS | {";"}
_AFTER = frozenset("),")
_BEFORE_DATED = frozenset("/,;-")
_YEAR = re.compile(r"(?:\d{1,2}[./-]\d{1,2}[./-])?(?:19|20)\d\d")
_MIN_LETTERS = 2
_LABELLED, _OF_NAME, _DATED_PAIR, _DATED_SIGN = 0.85, 0.75, 0.7, 0.6


def chain_bits(word: str) -> int:
    """The bits of a word."""
    bits = LABEL if _REFERENCE.fullmatch(word) else 0
    if _PART.fullmatch(word):
        bits |= LINK | SEVERAL if "-" in word else LINK
    if word in _LEADS or cue_flags(word) & _DATE or _YEAR.fullmatch(word):
        bits |= LEADS
    if word in _JOINS:
        bits |= JOINT
    return bits | AFTER if word in _AFTER else bits


def chains(
    document: Document, walk: NameWalk, bits: npt.NDArray[np.uint32], names: Signers
) -> Iterator[tuple[int, int, float]]:
    """Where in the text each sign of a chain begins and ends, and its score.

    bits: chain_bits, place_bits and sign_shape of each token.
    """
    # Only here: pipelines without this recogniser load no numba for it.
    from deid_core.recognisers.staff_initials.chain_kernel import possible_chains

    tokens, text = document.tokens, document.text
    possible = np.empty((len(tokens), 3), np.int32)
    count = possible_chains(tokens.starts, tokens.ends, tokens.breaks, bits, possible)
    for first, last, labelled in possible[:count].tolist():
        found = [
            (walk.starts[link] + part.start(), walk.starts[link] + part.end())
            for link in range(first, last + 1, 2)
            for part in _SIGN.finditer(text[walk.starts[link] : walk.ends[link]])
        ]
        score = _LABELLED if labelled else _score(walk, first, [text[start:end] for start, end in found], names)
        if score:
            for start, end in found:
                yield start, end, score


def _score(walk: NameWalk, first: int, chain: list[str], names: Signers) -> float:
    """How sure the signs of a chain without a label are that begins at the token, 0 if it is none."""
    if len(chain) > 1:
        return _pair_score(walk, first, chain, names)
    sign = chain[0]
    if not sign_shape(sign) or walk.triggers[first] or not _is_dated(walk, first):
        return 0.0
    if "," in {walk.word(first - 1), walk.word(first + 1)}:
        # "Bypass 2001, Lyse, Stent"
        return 0.0
    if names.may_sign(sign):
        return _OF_NAME
    return 0.0 if sign.isupper() else _DATED_SIGN


def _pair_score(walk: NameWalk, first: int, chain: list[str], names: Signers) -> float:
    """How sure several signs are, which are none if all are units or sides, as in "g/dl", "Mo/Mi/Fr", "re/li"."""
    if any(len(sign.rstrip(".")) < _MIN_LETTERS for sign in chain):
        return 0.0
    shapes = [sign_shape(sign) for sign in chain]
    usual, unusual = all(shapes), MAY_SIGN in shapes
    if not (usual or unusual):
        return 0.0
    dated = _is_dated(walk, first)
    if not (dated or _is_alone(walk, first)):
        return 0.0
    if (unusual and names.begins(chain[0])) or (usual and any(map(names.may_sign, chain))):
        return _OF_NAME
    return _DATED_PAIR if dated and usual else 0.0


def _is_alone(walk: NameWalk, first: int) -> bool:
    """Whether a line, a column made of blanks or brackets begin with the token."""
    if first == 0 or walk.word(first - 1) == "(":
        return True
    if walk.breaks[first]:
        return "\n" in walk.gap(first)
    return walk.is_blank_column(first)


def _is_dated(walk: NameWalk, first: int) -> bool:
    """Whether a year or whole date, and a slash, comma or dash at most, stands before the token on its line."""
    if first == 0:
        return False
    at = first - 1
    if walk.word(at) in _BEFORE_DATED and at > 0 and not walk.breaks[at]:
        at -= 1
    on_line = not any(walk.breaks[between] for between in range(at + 1, first + 1))
    return on_line and bool(walk.triggers[at] & _DATE or _YEAR.fullmatch(walk.word(at)))
