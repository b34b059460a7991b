"""The positions of initials in the entries of a record: at the end of an entry, in brackets there, or after its date.

| position      | example                                 | initials are                                    |
|---------------|-----------------------------------------|-------------------------------------------------|
| ENTRY_END     | "Wunde reizlos. bk", "stabil     bk"    | at a line end, after a sentence, gap or cell    |
| BRACKET       | "gut geschlafen (bk)", "[Bk/OA Muster]" | alone in brackets at a line's or sentence's end |
| ENTRY_START   | "3.4. 14:00 bk", "3.4. Bk: stabil"      | at a line end or before a colon, after a date   |
| INNER_BRACKET | "Echo (bk) vom 3.4.", "Ruf (bk, Labor)" | alone, first or last in brackets elsewhere      |
| LINE_END      | "T 38,2     bk", "Visite bk"            | at a line end otherwise                         |

Several people can sign, with a slash between them: "bk/Wg". Cells of a table are columns. position_kernel.py finds the
positions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deid_core.recognisers.person_names.name_line import NameLine
from deid_core.recognisers.staff_initials.flags import InitialsFlag
from deid_core.text.document import Document

_DIGIT = InitialsFlag.DIGIT.value
_LETTER = InitialsFlag.LETTER.value
_DOTTED = InitialsFlag.DOTTED.value
_DATE_PART = InitialsFlag.DATE_PART.value

_MARKS = {
    **dict.fromkeys("([", InitialsFlag.OPENS_BRACKET.value),
    **dict.fromkeys(")]", (InitialsFlag.CLOSES_BRACKET | InitialsFlag.ENDS_SENTENCE).value),
    **dict.fromkeys("/+", InitialsFlag.JOINS_SIGNERS.value),
    **dict.fromkeys('!?"“”', InitialsFlag.ENDS_SENTENCE.value),
    ".": (InitialsFlag.FULL_STOP | InitialsFlag.ENDS_SENTENCE).value,
    ",": InitialsFlag.COMMA.value,
    ":": InitialsFlag.COLON.value,
}
_DATE_WORD = re.compile(r"\d.*|[.,:/()-]|uhr|h|um|den|mo|di|mi|do|fr|sa|so|[^\W\d_]{3,8}tag", re.IGNORECASE)


def position_flags(word: str) -> int:
    """Return the flags of a word that the search for positions uses."""
    flags = _MARKS.get(word, 0)
    if word[0].isdigit():
        flags |= _DIGIT
    elif word[0].isalpha():
        flags |= _LETTER
    if word[-1] == "." and "." in word[:-1]:
        flags |= _DOTTED
    return flags | _DATE_PART if _DATE_WORD.fullmatch(word) else flags


def positions(
    document: Document, flags: npt.NDArray[np.uint32], may_sign: npt.NDArray[np.bool_]
) -> Sequence[tuple[int, int]]:
    """Return (token, Position value) of all tokens in a position of initials, ascending.

    flags: position_flags of each token. may_sign: which tokens can be initials. Both have the shape (tokens,).
    """
    # Imported here, so that pipelines without this recogniser do not load numba for it.
    from deid_core.recognisers.staff_initials.position_kernel import find_positions

    tokens = document.tokens
    if len(tokens) < 2:
        return ()
    found = np.empty((len(tokens), 2), np.int32)
    codes = document.codes
    count = find_positions(codes, tokens.starts, tokens.ends, tokens.breaks, flags, may_sign, found)
    return [(index, position) for index, position in found[:count].tolist()]


def has_full_stop(line: NameLine, index: int) -> bool:
    """Whether a full stop that is a token of its own follows the token directly: "Mu."."""
    return line.word(index + 1) == "." and line.starts[index + 1] == line.ends[index]
