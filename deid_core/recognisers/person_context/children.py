"""Given names of children and relatives in enumerations: "Kinder: Anna (14) und Maro (11)", "zwei Söhne: Jan, 29, …".

What no list has counts as well if an age stands behind it. Called by recogniser.py for kinship words of several people.
"""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.flags import CAPITALISED, COMMON, IS_WORD, STOP
from deid_core.recognisers.person_names.walk import NameWalk

_MAX_TOKENS = 45
_MAX_AGE_DIGITS = 2
_AND = frozenset(("und", "u.", "u", "sowie", "&", "+"))
_OF_AGE = frozenset(") , ; j j. J. J Jahre jährig Mon. Mon Monate Mt Wo".split())


def children(walk: NameWalk, index: int) -> Iterator[Detection]:
    """Names with an age behind them, in the sentence that begins with the word at `index`."""
    aged = 0
    for at in range(index + 1, min(len(walk), index + _MAX_TOKENS)):
        if walk.word(at) == "." or (walk.breaks[at] and walk.gap(at).count("\n") > 1):
            return
        if not (_nameable(walk, at) or _only_aged(walk, at)):
            continue
        behind = _past_age(walk, at + 1)
        if walk.word(at - 1) == "mit":
            # "mit Down-Syndrom, 28"
            continue
        # The last of a row may stand without an age: "Anna (14), Jan (11) und Maro".
        last = aged and walk.word(at - 1) in _AND and walk.given(at)
        if behind > at + 1 or last:
            aged += 1
            first = at - 1 if _nameable(walk, at - 1) and walk.adjacent(at) and walk.given(at - 1) else at
            yield walk.detection(first, at + 1, PhiType.RELATIVE, "child", 0.8 if walk.given(at) else 0.7)


def _nameable(walk: NameWalk, index: int) -> bool:
    bits = walk.bits_of(index)
    if not bits & IS_WORD or bits & STOP or walk.triggers[index]:
        return False
    if not (walk.bits[index] & CAPITALISED or walk.small_note):
        return False
    return walk.listed(index) or (walk.rare(index) and not bits & COMMON)


def _only_aged(walk: NameWalk, index: int) -> bool:
    """Whether a common word has nothing but an age in brackets behind it: "Töchter Linde (14) und Maro (11)"."""
    bits = walk.bits[index]
    if not bits & CAPITALISED or bits & STOP or walk.triggers[index] or walk.noun_like(index):
        return False
    return walk.word(index + 1) == "(" and _past_age(walk, index + 1) == index + 3 and walk.word(index + 3) == ")"


def _past_age(walk: NameWalk, index: int) -> int:
    """The token behind "(14", ", 14," or "14 J."; `index` itself without an age."""
    age = index + (walk.word(index) in {"(", ","})
    digits = walk.word(age).rstrip("jJ")
    if not (digits.isdigit() and len(digits) <= _MAX_AGE_DIGITS):
        return index
    ends = walk.word(age) != digits or walk.word(age + 1) in _OF_AGE or walk.word(index) == "(" or walk.ends_line(age)
    return age + 1 if ends else index
