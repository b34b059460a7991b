"""Professions that are hyphenated at a line's end: "Kranken-⏎schwester", "Kfz-⏎Meister".

The parts are looked up as one word, and each is a detection, because a detection never spans a line. A hyphen from the
line break is left out of the detection; before a capital the hyphen belongs to the word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from deid_core.text.document import Document


@dataclass(frozen=True, slots=True)
class HyphenatedWord:
    """A word in two parts."""

    first_token: int
    second_token: int
    first_end: int
    """The end of the first part in the text."""


def hyphenated_words(
    document: Document, hyphen: int, flags_of: Callable[[str], int]
) -> Iterator[tuple[HyphenatedWord, int]]:
    """Yield every word hyphenated at a line's end that has flags, and these flags.

    hyphen: the number of the hyphen's word type; flags_of: the flags of a whole word.
    """
    tokens, text = document.tokens, document.text
    if len(tokens) < 3:
        return
    for mark in (np.flatnonzero((tokens.types[1:-1] == hyphen) & tokens.breaks[2:]) + 1).tolist():
        end = int(tokens.ends[mark - 1])
        if end != tokens.starts[mark] or "\t" in text[tokens.ends[mark] : tokens.starts[mark + 1]]:
            continue
        before, after = document.word(mark - 1), document.word(mark + 1)
        if not (before[-1].isalpha() and after[0].isalpha()):
            continue
        own_hyphen = after[0].isupper() and not before.isupper()
        flags = flags_of(f"{before}-{after}" if own_hyphen else before + after)
        if flags:
            yield HyphenatedWord(mark - 1, mark + 1, int(tokens.ends[mark]) if own_hyphen else end), flags
