"""Trigger words: what often stands before or after an entity, in the three variants of seed 004 ("Feature set").

    token    the three words before and after every token of an entity
    phrase   the five words before and after an entity
    ngram    the words, pairs and triples of words directly before and after an entity

Each list is filtered by frequency and by the information gain of a unit on the tokens' classes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Variant = Literal["token", "phrase", "ngram"]
VARIANTS: tuple[Variant, ...] = ("token", "phrase", "ngram")
REACH = 5
_TOKEN_REACH, _NGRAM = 3, 3
_Array = npt.NDArray[np.float64]


class Unit(NamedTuple):
    """What stands before or after a token, and how far away."""

    side: Literal["before", "after"]
    words: str
    distance: int


def units(words: Sequence[str], at: int, variant: Variant) -> Iterator[Unit]:
    """Yield the units around a word. words: with at least REACH words more on each side."""
    if variant == "ngram":
        for length in range(1, _NGRAM + 1):
            yield Unit("before", "\t".join(words[at - length : at]), 1)
            yield Unit("after", "\t".join(words[at + 1 : at + 1 + length]), 1)
        return
    for distance in range(1, (_TOKEN_REACH if variant == "token" else REACH) + 1):
        yield Unit("before", words[at - distance], distance)
        yield Unit("after", words[at + distance], distance)


def trigger_classes(
    texts: Iterable[tuple[Sequence[str], Sequence[int], Sequence[int]]],
    variant: Variant,
    *,
    classes: int,
    least: int,
    most: int,
) -> dict[str, dict[str, int]]:
    """Return for each side the class that each trigger announces: `most` units that occur `least` times, by gain.

    texts: words, the places of tokens in them, and the class of each token, 0 outside entities.
    """
    counts: dict[tuple[str, str], npt.NDArray[np.int64]] = defaultdict(lambda: np.zeros(classes, np.int64))
    total = np.zeros(classes, np.int64)
    for words, places, codes in texts:
        total += np.bincount(codes, minlength=classes)
        for number, (at, code) in enumerate(zip(places, codes, strict=True)):
            # Of an entity, variants but `token` take what stands before its first and after its last token.
            inner = set()
            if code and variant != "token":
                inner = {"before"} if number and codes[number - 1] == code else set()
                inner |= {"after"} if number + 1 < len(codes) and codes[number + 1] == code else set()
            for unit in units(words, at, variant):
                if unit.side not in inner:
                    counts[unit.side, unit.words][code] += 1
    keys = [key for key, found in counts.items() if found.sum() >= least and found[1:].any()]
    result: dict[str, dict[str, int]] = {"before": {}, "after": {}}
    if not keys:
        return result
    table = np.stack([counts[key] for key in keys])
    gains = information_gain(table, total)
    lift = table[:, 1:] / table.sum(1, keepdims=True) - total[1:] / total.sum()
    for row in np.argsort(-gains, kind="stable").tolist():
        side, words_of = keys[row]
        if len(result[side]) < most and lift[row].max() > 0:
            result[side][words_of] = int(lift[row].argmax()) + 1
    return result


def information_gain(table: npt.NDArray[np.int64], total: npt.NDArray[np.int64]) -> _Array:
    """Return what the presence of each unit says of a token's class, in bits.

    table: tokens of each class that have the unit, shape (units, classes); total: tokens of each class.
    """
    present = table.sum(1) / total.sum()
    absent = np.maximum(total - table, 0)
    found: _Array = entropy(total) - present * entropy(table) - (1 - present) * entropy(absent)
    return found


def entropy(counts: npt.NDArray[np.int64]) -> _Array:
    """Return the entropy of counts along the last axis, in bits."""
    shares = counts / np.maximum(counts.sum(-1, keepdims=True), 1)
    found: _Array = -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(-1)
    return found
