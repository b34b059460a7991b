"""Signs of those who dictated, wrote or released a letter: "mü/kb", "Diktat Mu", "geschr. 3.4. kb", "… stabil. st".

A sign is one to five letters that no list of words has. It needs a clue: a word of dictation before it, a slash between
two signs at a line's or column's end, that the note has it at the end of several lines, or what the note otherwise
says: who signs the entries of a record (entries.py), chains of signs (chains.py) and signs and user names
behind words of releasing and printing (clues.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.labels import PhiType, label_of
from deid_core.recognise.base import Document
from deid_core.recognise.context.name_walk import NameWalk
from deid_core.recognise.context.triggers import DATED, TITLE
from deid_core.recognise.signs.chains import chain_bits, chains
from deid_core.recognise.signs.clues import clue_bits, clued
from deid_core.recognise.signs.entries import entry_signs
from deid_core.recognise.signs.places import place_bits
from deid_core.recognise.signs.words import sign_shape, signers
from deid_core.recognise.wordlists import CAPITALISED, COMMON, IS_WORD, STOP
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary
from deid_core.word_types import TypeColumn

FIRST, SECOND, SLASH = 2048, 4096, 8192

_SIGN = re.compile(r"[^\W\d_]{2,4}\.?")
_IN_PAIR = re.compile(r"[^\W\d_]{1,4}\.?")
_SECOND = re.compile(r"[a-zäöü]{2,4}")
_BETWEEN = frozenset("von durch vom am um uhr . : ( , / -".split())
_DATE_LIKE = re.compile(r"\d{1,2}[.:/]\d.*|\d{1,2}\.?")
_UNITS = frozenset(
    """
    mg g kg ml dl l nl fl pl ul min h d s sec std tag tage wo woche mo monat j jahr mmol mol u ie iu mval pg ng hpf qm
    re li ap pa ja nein oder und w m mm cm bar kpa hg die in an bei v vs
    """.split()
)
_SCORE = 0.75
_STAFF = frozenset((PhiType.CLINICIAN, PhiType.PERSON))
_MOST_NAMES = 200
"""Of staff, with which signs are compared; no letter has more."""
_COLUMN_GAP = 3
_MAX_BETWEEN = 7
_MIN_ENDINGS = 3
_MIN_RARE_ENDINGS = 2
_LONGEST_ENDING = 6


class SignFinder:
    """Finds the signs of a note but those behind words of dictation, where the whole note has to be known."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._shapes = TypeColumn(vocabulary, _shape_bits)

    def find(
        self, document: Document, walk: NameWalk, bits: npt.NDArray[np.uint32], found: Sequence[Detection]
    ) -> list[Detection]:
        """One detection a sign, of the surest rule.

        bits: wordlists' bits of each token; found: the names in the note and its other signs.
        """
        types = document.tokens.types
        shapes = self._shapes.gather(types)
        named = [d for d in found if d.type in _STAFF and d.rule != "sign"][:_MOST_NAMES]
        staff = {d.end: document.text[d.start : d.end] for d in named}
        names = signers(set(staff.values()))
        surest: dict[int, Detection] = {}
        for rule, signed in (
            ("sign", _placed(walk, pairs(walk, shapes), _SCORE)),
            ("sign", _placed(walk, endings(document, walk, bits), _SCORE)),
            ("sign_entry", _scored(walk, entry_signs(document, walk, bits, shapes, staff, names))),
            ("sign_chain", chains(walk, document.text, shapes, names)),
            ("sign_clue", clued(walk, document.text, shapes, names)),
        ):
            for start, end, score in signed:
                if start not in surest or surest[start].score < score:
                    label = label_of(PhiType.CLINICIAN)
                    surest[start] = Detection(start, end, label, PhiType.CLINICIAN, "context", rule, score)
        return list(surest.values())


def _placed(walk: NameWalk, ranges: Iterable[tuple[int, int]], score: float) -> Iterator[tuple[int, int, float]]:
    """The places in the text of token ranges that have one score."""
    return _scored(walk, ((first, behind, score) for first, behind in ranges))


def _scored(walk: NameWalk, ranges: Iterable[tuple[int, int, float]]) -> Iterator[tuple[int, int, float]]:
    """The places in the text of token ranges."""
    return ((walk.starts[first], walk.ends[behind - 1], score) for first, behind, score in ranges)


def _shape_bits(word: str) -> int:
    """What a word may be of a sign; the bits of the modules are disjoint."""
    return sign_bits(word) | sign_shape(word) | place_bits(word) | chain_bits(word) | clue_bits(word)


def behind_clue(walk: NameWalk, index: int) -> Iterator[tuple[int, int]]:
    """The token ranges of the signs and names behind a word of dictation at `index`."""
    at = index + 1
    while at < min(len(walk), index + _MAX_BETWEEN) and not walk.breaks[at]:
        word = walk.word(at)
        if not (word.lower() in _BETWEEN or _DATE_LIKE.fullmatch(word) or walk.triggers[at] & (TITLE | DATED)):
            break
        at += 1
    while at < len(walk) and not walk.breaks[at]:
        if is_sign(walk, at):
            found = (at, at + 1)
        elif walk.bits[at] & CAPITALISED and (named := walk.walk(at)) and walk.likely(*named, listed=False):
            found = named
        else:
            return
        yield found
        if walk.word(found[1]) not in {"/", ":"}:
            return
        at = found[1] + 1


def is_sign(walk: NameWalk, index: int) -> bool:
    """Whether a token may be a sign: a few letters that are no word, or that end a line or pair."""
    word = walk.word(index)
    if not _SIGN.fullmatch(word) or walk.bits[index] & STOP or word.lower() in _UNITS or walk.triggers[index]:
        return False
    return not walk.bits[index] & COMMON or walk.word(index + 1) == "/" or walk.ends_column(index)


def sign_bits(word: str) -> int:
    """What a word may be in a pair of signs: FIRST before a slash, SECOND behind it; SLASH is the slash itself."""
    if word == "/":
        return SLASH
    lower = word.lower()
    if lower in _UNITS:
        return 0
    bits = FIRST if _IN_PAIR.fullmatch(word) else 0
    return bits | SECOND if _SECOND.fullmatch(word) else bits


def pairs(walk: NameWalk, bits: npt.NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """The token ranges of signs that slashes part, where they end a line or column: "mü/kb", "3.4.2010 / kb".

    bits: sign_bits of each token.
    """
    if len(bits) < _MIN_ENDINGS:
        return
    behind = ((bits[1:-1] & SLASH) != 0) & ((bits[2:] & SECOND) != 0)
    for left in np.flatnonzero(behind).tolist():
        right = left + 2
        if not _joined(walk, right):
            continue
        if walk.triggers[left] & DATED:
            if _ends(walk, right) and is_sign(walk, right):
                yield right, right + 1
            continue
        if not bits[left] & FIRST or (walk.bits[left] & STOP and walk.bits[right] & STOP):
            continue
        chained = walk.word(left - 1) == "/" and _joined(walk, left)
        ends = _ends(walk, right) or (
            walk.word(right + 1) == "/" and right + 2 < len(walk) and bits[right + 2] & SECOND
        )
        if ends and (chained or _begins(walk, left)):
            if not chained:
                yield left, left + 1
            yield right, right + 1


def endings(document: Document, walk: NameWalk, bits: npt.NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """Signs that end the last sentence of several lines: an entry of a daily record, signed by its writer.

    bits: wordlists' bits of each token.
    """
    types, breaks = document.tokens.types, document.tokens.breaks
    if len(types) < _MIN_ENDINGS:
        return
    stop = document.vocabulary.number(".")
    last = (types[:-1] == stop) & ((bits[1:] & (IS_WORD | CAPITALISED | STOP)) == IS_WORD)
    last[:-1] &= breaks[2:]
    found = [i for i in (np.flatnonzero(last) + 1).tolist() if len(walk.word(i)) <= _LONGEST_ENDING]
    if len(found) < _MIN_RARE_ENDINGS:
        return
    times = Counter(walk.word(i) for i in found)
    for index in found:
        needed = _MIN_ENDINGS if walk.bits[index] & COMMON else _MIN_RARE_ENDINGS
        if times[walk.word(index)] >= needed and walk.word(index) not in _UNITS and not walk.triggers[index]:
            yield index, index + 1


def _joined(walk: NameWalk, index: int) -> bool:
    """Whether at most one blank parts the token from the slash, and that from what stands before it."""
    return (
        not walk.breaks[index]
        and not walk.breaks[index - 1]
        and walk.starts[index] - walk.ends[index - 2] <= _COLUMN_GAP
    )


def _begins(walk: NameWalk, index: int) -> bool:
    if index == 0 or walk.breaks[index] or walk.starts[index] - walk.ends[index - 1] >= _COLUMN_GAP:
        return True
    before = walk.word(index - 1)
    if before == "(":
        return not walk.bits[index] & (COMMON | STOP) and not walk.bits[index + 2] & (COMMON | STOP)
    return bool(walk.triggers[index - 1] & DATED) or (before in {"/", ","} and index > 1 and _dated(walk, index - 2))


def _dated(walk: NameWalk, index: int) -> bool:
    return bool(walk.triggers[index] & DATED) or walk.word(index).isdigit()


def _ends(walk: NameWalk, index: int) -> bool:
    after = index + 1
    return (
        after >= len(walk)
        or walk.breaks[after]
        or walk.word(after) == ")"
        or walk.starts[after] - walk.ends[index] >= _COLUMN_GAP
    )
