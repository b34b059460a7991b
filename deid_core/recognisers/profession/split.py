"""Professions that a line's end splits: "Kranken-⏎schwester", "Kfz-⏎Meister".

The parts are looked up together, and each is a detection, since a mark never spans a line. A hyphen that only the
line's end made stays outside; before a capital it is the word's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from deid_core.text.document import Document


@dataclass(frozen=True, slots=True)
class Split:
    """A word in two parts: the token of the first, the token of the second, and where the first part ends."""

    first: int
    second: int
    end: int


def split_words(document: Document, hyphen: int, bits_of: Callable[[str], int]) -> Iterator[tuple[Split, int]]:
    """Every word split by a hyphen at a line's end for which bits_of gives bits, with these.

    hyphen: the number of the hyphen's word type.
    """
    tokens, text = document.tokens, document.text
    if len(tokens) < 3:
        return
    for mark in (np.flatnonzero((tokens.types[1:-1] == hyphen) & tokens.breaks[2:]) + 1).tolist():
        end = int(tokens.ends[mark - 1])
        if end != tokens.starts[mark] or "\t" in text[tokens.ends[mark] : tokens.starts[mark + 1]]:
            continue
        before, behind = document.word(mark - 1), document.word(mark + 1)
        if not (before[-1].isalpha() and behind[0].isalpha()):
            continue
        own = behind[0].isupper() and not before.isupper()
        bits = bits_of(f"{before}-{behind}" if own else before + behind)
        if bits:
            yield Split(mark - 1, mark + 1, int(tokens.ends[mark]) if own else end), bits
