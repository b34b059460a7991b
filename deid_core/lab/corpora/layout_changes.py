"""Changes the layout of letters: the same words and annotations with other blanks and line breaks.

Letters have one line a paragraph, as Word files. Plain text from other sources often differs: lines are wrapped at a
width or by hand, the text is one line, punctuation is separated as by a tokeniser, or blanks are missing. The result
has no blocks: cells are separated by tabs. Of `FORMATS` one has the header in a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from deid_core.core.note import Block, BlockKind, Note
from deid_core.lab.corpora.letters import AnnotatedLetter
from deid_core.lab.corpora.writing_changes import WRITINGS, Edit
from deid_core.lab.synthetic.draw import Draw
from deid_core.text.header_end import header_end

_WIDTHS = (60, 72, 80, 100)
"""Maximal line lengths in characters."""
_RAGGED = 12
"""Maximal difference in length of lines wrapped by hand."""
_LINE_ENDS = re.compile(r"\n+")
_AFTER_PUNCTUATION = re.compile(r"(?<=[^\W\d]{2}[.,;:]) (?=\w)|(?<=\d[,;]) (?=[^\W\d])")
"""Not between initials: "i.A. M. Muster" would become one token."""
_AT_PUNCTUATION = re.compile(r"(?<=\w)(?=[,:](?![\d/])|[;!?)\]\"])|(?<=[(\[\"])(?=\w)|(?<=[^\W\d]{3})(?=\.(?:\s|$))")
"""Not within a number, a time or an address, which are single tokens."""
_AT_FULL_STOP = re.compile(r"(?<=\w)(?=\.(?:\s|$))")
_BLANK = re.compile(r"(?<=\S) (?=\S)")
_DOUBLED_SHARE = 0.1
"""Share of blanks that are doubled."""


def laid_out(letter: AnnotatedLetter, layout: str, seed: str) -> AnnotatedLetter:
    """Return the letter in a layout of `LAYOUTS`, a writing of `WRITINGS` or a format of `FORMATS`.

    The same seed gives the same result.
    """
    text, draw = letter.note.text, Draw(seed)
    groups = _header_groups(letter.note) if layout == HEADER_TABLE else []
    if layout == HEADER_TABLE and not groups:
        return letter
    if layout in FORMATS:
        edits = _in_two_columns(groups)
    else:
        edits = LAYOUTS[layout](text, draw) if layout in LAYOUTS else WRITINGS[layout](text, letter.gold, draw)
    pieces: list[str] = []
    # For each character where it begins and where it ends in the new text; a replacement ends with its last one.
    starts: list[int] = []
    ends: list[int] = []
    at = length = 0
    for start, end, instead in (*edits, (len(text), len(text), "")):
        kept, size = start - at, len(instead)
        starts += range(length, length + kept)
        ends += range(length + 1, length + kept + 1)
        length += kept
        starts += [length + min(place, max(size - 1, 0)) for place in range(end - start)]
        ends += [length + (size if place == end - 1 else min(place - start + 1, size)) for place in range(start, end)]
        pieces += (text[at:start], instead)
        length += size
        at = end
    gold = tuple(replace(span, start=starts[span.start], end=ends[span.end - 1]) for span in letter.gold)
    blocks = tuple(
        block._replace(start=starts[block.start], end=ends[block.end - 1])
        for block in _blocks_with_cells(letter.note, groups)
    )
    return replace(letter, note=replace(letter.note, text="".join(pieces), blocks=blocks), gold=gold)


def _wrapped(text: str, draw: Draw) -> Iterator[Edit]:
    width = draw.pick(_WIDTHS)
    return _broken(text, lambda: width)


def _ragged(text: str, draw: Draw) -> Iterator[Edit]:
    width = draw.pick(_WIDTHS)
    return _broken(text, lambda: width - draw.number(0, _RAGGED))


def _broken(text: str, width: Callable[[], int]) -> Iterator[Edit]:
    """Break each line at the last blank within the width; `width` is called for each line."""
    at = 0
    for line in text.split("\n"):
        start, max_length, blank = 0, width(), -1
        for found in re.finditer(r" (?=\S)|$", line):
            if found.start() - start > max_length and blank > start:
                yield at + blank, at + blank + 1, "\n"
                start, max_length = blank + 1, width()
            blank = found.start()
        at += len(line) + 1


def _flowing(text: str, draw: Draw) -> Iterator[Edit]:
    return ((found.start(), found.end(), " ") for found in _LINE_ENDS.finditer(text))


def _tight(text: str, draw: Draw) -> Iterator[Edit]:
    return ((found.start(), found.end(), "") for found in _AFTER_PUNCTUATION.finditer(text))


def _spaced(text: str, draw: Draw) -> Iterator[Edit]:
    places = {found.start() for found in _AT_PUNCTUATION.finditer(text)}
    if draw.chance(0.5):
        places |= {found.start() for found in _AT_FULL_STOP.finditer(text)}
    return ((place, place, " ") for place in sorted(places))


def _doubled(text: str, draw: Draw) -> Iterator[Edit]:
    drawn = (found for found in _BLANK.finditer(text) if draw.chance(_DOUBLED_SHARE))
    return ((found.start(), found.end(), draw.pick(["  ", "\n", " \n"])) for found in drawn)


LAYOUTS: dict[str, Callable[[str, Draw], Iterator[Edit]]] = {
    "wrapped": _wrapped,
    "ragged": _ragged,
    "flowing": _flowing,
    "tight": _tight,
    "spaced": _spaced,
    "doubled": _doubled,
}
"""Lines wrapped at a width; wrapped by hand; one line; no blanks after punctuation; blanks before punctuation; doubled
blanks and extra line breaks."""


HEADER_TABLE = "header-table"
FORMATS = ("text", HEADER_TABLE)
"""As of a .txt file; as of a Word file whose header is in a table of two columns. Training does not use them."""


def _header_groups(note: Note) -> list[tuple[int, int]]:
    """Return the ranges of the header's paragraphs that no empty paragraph divides; none if it has a table already."""
    end, groups, before = header_end(note), list[tuple[int, int]](), -1
    if any(block.table is not None and block.start < end for block in note.blocks):
        return []
    for number, block in enumerate(note.blocks):
        if block.kind is not BlockKind.PARAGRAPH or block.end > end or not note.block_text(block).strip():
            continue
        start = groups.pop()[0] if groups and before == number - 1 else block.start
        groups.append((start, block.end))
        before = number
    return groups


def _blocks_with_cells(note: Note, groups: Sequence[tuple[int, int]]) -> Iterator[Block]:
    """Yield the groups as cells, and the blocks after them that are not empty."""
    for number, (start, end) in enumerate(groups):
        yield Block(BlockKind.HEADER_CELL, start, end, 0, *divmod(number, 2))
    if groups:
        yield from (block for block in note.blocks if groups[-1][1] < block.start < block.end)


def _in_two_columns(groups: Sequence[tuple[int, int]]) -> Iterator[Edit]:
    """Set two neighbouring groups side by side, as cells of a row, without the empty lines between them."""
    for number, ((_, end), (start, _)) in enumerate(pairwise(groups)):
        yield end, start, "\n" if number % 2 else "\t"
