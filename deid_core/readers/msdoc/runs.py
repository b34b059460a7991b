"""Where which property list holds: runs of the stream, in pages of 512 bytes (MS-DOC 2.4.6.1, 2.4.6.2).

The same for paragraphs (PapxFkp: a run is a paragraph) and characters (ChpxFkp); what the lists mean is not said here.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from deid_core.readers.msdoc.budget import Budget
from deid_core.readers.msdoc.pieces import Piece
from deid_core.readers.msdoc.plc import plc
from deid_core.readers.msdoc.refused import DocRefused

_PAGE = 512
_PAGE_NUMBER = 0x3FFFFF
_MAX_RUNS = 1_000_000
_STYLE = 2
"""Bytes of the style's number before a paragraph's list."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Runs:
    """Run i covers bytes [bounds[i], bounds[i + 1]) of the stream and has the property list lists[i]."""

    bounds: Sequence[int]
    lists: Sequence[bytes]

    def over(
        self, pieces: Sequence[Piece], meaning: Callable[[bytes], _T | None], budget: Budget
    ) -> Iterator[tuple[int, int, _T]]:
        """Character ranges (start, end, meaning), ascending, for all runs whose list means something.

        The work is proportional to the text even if pieces overlap: each range holds a character of its own.
        """
        meanings = [meaning(prls) for prls in self.lists]
        if not any(piece.prls for piece in pieces) and not any(m is not None for m in meanings):
            return
        for piece in pieces:
            width, offset = piece.width, piece.offset
            piece_end = offset + (piece.end - piece.start) * width
            number = max(bisect_right(self.bounds, offset) - 1, 0)
            at = offset
            while at < piece_end and number < len(self.lists):
                end = min(self.bounds[number + 1], piece_end)
                if end > at:
                    budget.spend(len(piece.prls))
                    found = meaning(self.lists[number] + piece.prls) if piece.prls else meanings[number]
                    if found is not None:
                        # A limit in the middle of a character belongs to no sound file; it rounds down.
                        yield piece.start + (at - offset) // width, piece.start + (end - offset) // width, found
                    at = end
                number += 1


def character_runs(word: bytes, pages: bytes, relevant: re.Pattern[bytes]) -> Runs:
    """The runs of character properties from PlcBteChpx. Raises DocRefused for pages that contradict themselves.

    A page in which `relevant` finds nothing is one run without properties: most pages tell nothing of interest.
    """
    return _runs(word, pages, relevant, 1, _character_list)


def paragraph_runs(word: bytes, pages: bytes, relevant: re.Pattern[bytes]) -> Runs:
    """The runs of paragraph properties from PlcBtePapx, as `character_runs`."""
    return _runs(word, pages, relevant, 13, _paragraph_list)


def sprm_pattern(*sprms: int) -> re.Pattern[bytes]:
    """Finds pages with one of these modifiers; it may find what only looks like one."""
    return re.compile(b"|".join(re.escape(sprm.to_bytes(2, "little")) for sprm in sprms), re.DOTALL)


def _runs(
    word: bytes, pages: bytes, relevant: re.Pattern[bytes], step: int, list_at: Callable[[bytes, int], bytes]
) -> Runs:
    numbers = plc(pages, 4).items
    if len(numbers) > len(word) // _PAGE:
        raise DocRefused("property pages: more than the stream holds")
    bounds: list[int] = [0]
    lists: list[bytes] = []
    for item in numbers:
        at = (int.from_bytes(item, "little") & _PAGE_NUMBER) * _PAGE
        page = word[at : at + _PAGE]
        if len(lists) > _MAX_RUNS:
            raise DocRefused("property pages: too many runs")
        if len(page) < _PAGE:
            raise DocRefused("property pages: a page beyond the stream")
        count = page[-1]
        lists_at = 4 * (count + 1)
        if not count or lists_at + count * step > _PAGE - 1:
            raise DocRefused("property pages: a page with too many runs")
        starts = struct.unpack_from(f"<{count + 1}I", page)
        if starts[0] != bounds[-1]:
            lists.append(b"")
            bounds.append(starts[0])
        if relevant.search(page, lists_at):
            known = {0: b""}
            for half in page[lists_at : lists_at + count * step : step]:
                prls = known.get(half)
                if prls is None:
                    prls = known[half] = list_at(page, 2 * half)
                lists.append(prls)
            bounds += starts[1:]
        else:
            lists.append(b"")
            bounds.append(starts[-1])
    if any(a >= b for a, b in pairwise(bounds)):
        raise DocRefused("property pages: runs do not ascend")
    return Runs(bounds, lists)


def _character_list(page: bytes, at: int) -> bytes:
    size = page[at]
    return _cut(page, at + 1, size)


def _paragraph_list(page: bytes, at: int) -> bytes:
    """A list's size is in words: an odd number of bytes, or an even one with a zero before it (PapxInFkp)."""
    start, size = (at + 1, 2 * page[at] - 1) if page[at] else (at + 2, 2 * page[min(at + 1, _PAGE - 1)])
    return _cut(page, start, size)[_STYLE:]


def _cut(page: bytes, start: int, size: int) -> bytes:
    if start + size > _PAGE - 1:
        raise DocRefused("property pages: a list beyond its page")
    return page[start : start + size]
