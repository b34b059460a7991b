"""What seed 004 does with whole phrases: trusted phrases, their acronyms, and one class for all occurrences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.lab.systems.token_classes import OUTSIDE
from deid_core.lab.systems.triggers import entropy

Phrases = dict[tuple[str, ...], int]
"""The class of each phrase; its words are in lower case."""


def entities(codes: Sequence[int], breaks: Sequence[bool]) -> Iterator[tuple[int, int, int]]:
    """Yield [start, end) and class of the longest sequences of tokens of one class within a line."""
    start = 0
    for at in range(1, len(codes) + 1):
        if at == len(codes) or codes[at] != codes[start] or breaks[at]:
            if codes[start] != OUTSIDE:
                yield start, at, codes[start]
            start = at


def trusted_headings(counts: Mapping[str, Mapping[int, int]], *, bits: float, least: int) -> set[str]:
    """Return the headings whose entities have an entropy of classes below `bits`, of those with so many entities.

    counts: entities of each class below each heading.
    """
    return {
        heading
        for heading, of in counts.items()
        if sum(of.values()) >= least and entropy(np.array([*of.values()], np.int64)) < bits
    }


def phrase_classes(found: Sequence[tuple[tuple[str, ...], int]]) -> Phrases:
    """Return the most frequent class of each phrase, the smaller number of two."""
    counts: dict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
    for words, code in found:
        counts[words][code] += 1
    return {words: min(of, key=lambda code: (-of[code], code)) for words, of in counts.items()}


def acronyms(phrases: Phrases) -> Phrases:
    """Return the first letters of phrases of two and more words, with the phrases' classes."""
    first = ((("".join(word[0] for word in words if word[0].isalnum()),), code) for words, code in phrases.items())
    return {words: code for words, code in first if len(words[0]) > 1}


def occurrences(tokens: Sequence[str], phrases: Phrases) -> npt.NDArray[np.int64]:
    """Return for each token the class of the longest phrase that covers it, OUTSIDE if there is none.

    Of phrases that overlap, the one that starts first counts.
    """
    codes = np.full(len(tokens), OUTSIDE, np.int64)
    by_first: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for words in sorted(phrases, key=lambda words: (-len(words), words)):
        by_first[words[0]].append(words)
    at = 0
    while at < len(tokens):
        match = next((w for w in by_first.get(tokens[at], ()) if tuple(tokens[at : at + len(w)]) == w), None)
        if match:
            codes[at : at + len(match)] = phrases[match]
        at += len(match) if match else 1
    return codes


def standardised(tokens: Sequence[str], codes: npt.NDArray[np.int64], breaks: Sequence[bool]) -> npt.NDArray[np.int64]:
    """Return the classes with every occurrence of a predicted phrase overwritten by the class of the longest one."""
    of_text = codes.tolist()
    found = [(tuple(tokens[start:end]), code) for start, end, code in entities(of_text, breaks)]
    everywhere = occurrences(tokens, phrase_classes(found))
    return np.where(everywhere != OUTSIDE, everywhere, codes)


def voted(forecasts: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Return for each token the class that two of the three forecasts have, else OUTSIDE."""
    first, second, third = forecasts
    return np.where((first == second) | (first == third), first, np.where(second == third, second, OUTSIDE))
