"""Marks the words of a note that are abbreviated: "Elt. angerufen", "Herzinf. m. 51".

A common or medical word or an eponym of the lists, or the beginning of a common or medical one, is an abbreviation if a
full stop follows it within a sentence. At the end of a sentence it may be a name ("kam Herr Back.").
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.word_flags import BEGINNING, COMMON, NAMEABLE
from deid_core.text.document import Document

_STOP = "."


def abbreviation_places(document: Document, flags: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Return for each token whether it is abbreviated; bool (tokens,). flags: bits of word_flags.py for each."""
    tokens = document.tokens
    found = np.zeros(len(tokens), np.bool_)
    stop = document.vocabulary.known(_STOP)
    if stop is not None and len(tokens) > 2:
        goes_on = (flags & NAMEABLE != NAMEABLE) & ~tokens.breaks
        has_stop = (tokens.types[1:] == stop) & (tokens.starts[1:] == tokens.ends[:-1])
        found[:-2] = (flags[:-2] & (COMMON | BEGINNING) != 0) & has_stop[:-1] & goes_on[2:]
    return found
