"""The plain form of a text that patterns are matched on, and the way back to the raw text's places.

Word writes U+2011 for a hyphen that must not break, U+00AD where one may, U+00A0 for a blank that must not; other
programs write letters as base and mark. Patterns see one dash, one blank, composed letters and no format characters,
the same characters as the word types (deid_core/tokens.py). Most texts are plain already and are returned as they are.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.text.arrays import code_points
from deid_core.text.tokens import COMBINING, DASHES, FORMAT, ZERO_WIDTH_SPACE

_BLANKS = "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_LINE_ENDS = "\u0085\u2028\u2029"
_SINGLE = dict.fromkeys(DASHES, "-") | dict.fromkeys(_BLANKS, " ") | dict.fromkeys(_LINE_ENDS, "\n")
"""What is replaced one for one, so that places stay."""

_ANY_SINGLE = re.compile(f"[{''.join(_SINGLE)}]")
_NOT_SINGLE = re.compile(rf"[{COMBINING}{FORMAT}{ZERO_WIDTH_SPACE}]")
_ANY = re.compile(f"{_ANY_SINGLE.pattern}|{_NOT_SINGLE.pattern}")
_CLUSTER = re.compile(rf"(?:[^{COMBINING}])?[{COMBINING}]{{1,8}}|[{FORMAT}]+|{ZERO_WIDTH_SPACE}")

_ASCII = 0x80

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text's plain form.

    starts, ends: shape (len(text),), where in the raw text each character's source begins and ends; None where the
    plain text has the raw text's places.
    """

    text: str
    starts: Places | None = None
    ends: Places | None = None

    def places(self, raw: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """The places in the plain text of places in the raw text."""
        return raw.astype(np.int64) if self.starts is None else np.searchsorted(self.starts, raw)

    def raw(self, start: int, end: int) -> tuple[int, int]:
        """The raw text's [start, end) of a range of at least one character of the plain text."""
        if self.starts is None or self.ends is None:
            return start, end
        return int(self.starts[start]), int(self.ends[end - 1])


def plain_text(text: str) -> PlainText:
    """The plain form of a text."""
    if text.isascii() or _ANY.search(_foreign(text)) is None:
        return PlainText(text)
    for character in set(_ANY_SINGLE.findall(text)):
        text = text.replace(character, _SINGLE[character])
    if _NOT_SINGLE.search(text) is None:
        return PlainText(text)
    parts: list[str] = []
    starts: list[npt.NDArray[np.int64]] = []
    ends: list[npt.NDArray[np.int64]] = []
    at = 0
    for cluster in _CLUSTER.finditer(text):
        start, end = cluster.span()
        composed = _composed(cluster.group(), text[end : end + 1])
        parts += (text[at:start], composed)
        starts += (np.arange(at, start), np.full(len(composed), start))
        ends += (np.arange(at, start) + 1, np.full(len(composed), end))
        at = end
    parts.append(text[at:])
    starts.append(np.arange(at, len(text)))
    ends.append(np.arange(at, len(text)) + 1)
    return PlainText("".join(parts), np.concatenate(starts), np.concatenate(ends))


def _foreign(text: str) -> str:
    """The text's distinct characters beyond ASCII: a few, where an expression would look at each of thousands."""
    codes = code_points(text)
    return "".join(map(chr, set(codes[codes >= _ASCII].tolist())))


def _composed(cluster: str, following: str) -> str:
    """A letter with its marks composed; nothing for format characters; a blank where a zero-width space parts words."""
    if cluster == ZERO_WIDTH_SPACE:
        return " " if following.isupper() else ""
    return "" if cluster[0] in FORMAT else unicodedata.normalize("NFC", cluster)
