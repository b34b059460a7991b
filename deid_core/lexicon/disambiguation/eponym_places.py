"""Marks the words of a note that stand where an eponym does, in compiled code; eponyms.py says where that is."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import inlined, jit
from deid_core.lexicon.disambiguation import eponyms
from deid_core.lexicon.disambiguation.eponyms import EponymFlag

_Array = npt.NDArray[Any]
_NAME_LIKE = EponymFlag.NAME_LIKE.value

_follows_eponym_word = inlined(eponyms.follows_eponym_word)
_precedes_eponym_word = inlined(eponyms.precedes_eponym_word)
_has_value = inlined(eponyms.has_value)


def eponym_places(flags: npt.NDArray[np.uint32], breaks: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return for each token whether it is a capitalised word where an eponym stands.

    flags: EponymFlag values of the tokens.
    """
    found = np.zeros(len(flags), np.bool_)
    _mark(flags, breaks, found)
    return found


@jit("void(u4[::1], b1[::1], b1[::1])")
def _mark(flags: _Array, breaks: _Array, found: _Array) -> None:
    for token in range(len(flags)):
        if flags[token] & _NAME_LIKE:
            found[token] = (
                _follows_eponym_word(flags, breaks, token)
                or _precedes_eponym_word(flags, breaks, token + 1)
                or _has_value(flags, breaks, token + 1)
            )
