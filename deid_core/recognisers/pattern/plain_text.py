"""The plain text that patterns are matched on, and how its offsets map to the document's text.

Word writes U+2011 for a hyphen that must not break, U+00AD where a word may break and U+00A0 for a blank that must not;
other programs write letters as base and combining mark. Patterns see one dash, one blank, composed letters and no
format characters, the same characters as the word types (text/tokens.py). Most texts are plain already.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.text.arrays import characters_beyond
from deid_core.text.tokens import COMBINING, DASHES, FORMAT, ZERO_WIDTH_SPACE

_BLANKS = "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_LINE_ENDS = "\u0085\u2028\u2029"
_SINGLE = dict.fromkeys(DASHES, "-") | dict.fromkeys(_BLANKS, " ") | dict.fromkeys(_LINE_ENDS, "\n")
"""Characters that are replaced by one other, so that offsets do not change."""

_NOT_SINGLE = re.compile(rf"[{COMBINING}{FORMAT}{ZERO_WIDTH_SPACE}]")
_CLUSTER = re.compile(rf"(?:[^{COMBINING}])?[{COMBINING}]{{1,8}}|[{FORMAT}]+|{ZERO_WIDTH_SPACE}")

_ASCII = 0x7F

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PlainText:
    """The plain form of a text.

    starts, ends: shape (len(text),), the offsets where the source of each character starts and ends in the text;
        None if the plain text has the same offsets.
    """

    text: str
    starts: Offsets | None = None
    ends: Offsets | None = None

    def from_raw(self, raw: npt.NDArray[np.int32]) -> Offsets:
        """Return the offsets in the plain text of offsets in the text."""
        return raw.astype(np.int64) if self.starts is None else np.searchsorted(self.starts, raw)

    def to_raw(self, start: int, end: int) -> tuple[int, int]:
        """Return the raw [start, end) of a plain one, which must not be empty."""
        if self.starts is None or self.ends is None:
            return start, end
        return int(self.starts[start]), int(self.ends[end - 1])


def plain_text(text: str) -> PlainText:
    """Return the plain form of a text."""
    beyond = "" if text.isascii() else characters_beyond(text, _ASCII)
    for character in _SINGLE.keys() & set(beyond):
        text = text.replace(character, _SINGLE[character])
    if _NOT_SINGLE.search(beyond) is None:
        return PlainText(text)
    parts: list[str] = []
    starts: list[Offsets] = []
    ends: list[Offsets] = []
    done = 0
    for cluster in _CLUSTER.finditer(text):
        start, end = cluster.span()
        composed = _composed(cluster.group(), text[end : end + 1])
        parts += (text[done:start], composed)
        starts += (np.arange(done, start), np.full(len(composed), start))
        ends += (np.arange(done, start) + 1, np.full(len(composed), end))
        done = end
    parts.append(text[done:])
    starts.append(np.arange(done, len(text)))
    ends.append(np.arange(done, len(text)) + 1)
    return PlainText("".join(parts), np.concatenate(starts), np.concatenate(ends))


def _composed(cluster: str, following: str) -> str:
    """Compose a letter and its marks, drop format characters, make a zero-width space between words a blank."""
    if cluster == ZERO_WIDTH_SPACE:
        return " " if following.isupper() else ""
    return "" if cluster[0] in FORMAT else unicodedata.normalize("NFC", cluster)
