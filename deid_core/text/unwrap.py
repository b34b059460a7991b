"""Join lines that were broken at a fixed width.

Plain text, and text pasted from it, is often broken every 70 or 80 characters, even within a name. Recognisers take a
line end for the end of an entity. So line ends that only the width forced are replaced by blanks. The text keeps its
length, and all offsets stay valid.

A width forces the end of a line if the line is not longer than the width, but would be with the first word of the next
line. Lines that end for other reasons seldom end at the same width. So the width of a note is the one that forces most
line ends. If many lines are longer, or few of the long lines end by it, the note has no width. Lines that are indented
by more than three blanks, quoted, or in columns keep their ends.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from deid_core.core.note import BlockKind, Note
from deid_core.text.tokens import DASHES, JOINED

_NARROWEST, _WIDEST = 45, 132
"""Bounds of a width in characters: a narrow column, a line printer."""
_SHORTEST = 25
"""Least characters of a line that a width may have broken; a long word may be missing to the narrowest width."""
_FEWEST = 4
"""Least number of line ends that a width must force."""
_SHARE = 0.3
"""Least share of the lines longer than half the width that must end by it."""
_LONGER = 0.1
"""Lines longer than the width that are allowed per line that ends by it."""
_NEARLY = 0.75
"""Least share of the width of a line that ends before it and continues in lower case."""
_RAGGED = 14
"""Characters before the width at which lines broken by hand may end, if no width forced the ends."""
_SMALL, _SMALL_BY_HAND = 0.1, 0.2
"""Least share of the lines after forced ends that begin in lower case: sentences that continue do, diagnoses do not."""
_GOES_ON = re.compile(r" {0,3}(?P<word>[\w(„\"'»]\S*)")
"""A line that may continue the one before: no list item with a mark, no ruler, not indented."""
_ENTRY = re.compile(r" *(?:\d{1,2}[.)](?:\s|$)|[^\W\d][\w./-]*(?: [^\W\d][\w./-]*)?:(?:\s|$))")
"""A line that begins a new item: "1. Hypertonie", "Vater: gesund", "Aktuelle Therapie:"."""
_HYPHEN = re.compile(rf"\S[-{DASHES}\u00ad]$")
"""Divides a word at the line end; recognisers join it and need the line end for that."""


class _End(NamedTuple):
    """A line end that a width may have forced: the line's index, its length, and its length with the next word."""

    line: int
    length: int
    with_next: int
    small: bool
    """Whether the next line begins in lower case."""


def unwrapped(note: Note) -> Note:
    """Return the note with blanks for the line ends that only a width forced; the text keeps its length.

    The blanks around such an end are replaced as well, all but the first by JOINED, so that they separate no columns.
    Only paragraphs are joined with each other. Returns the note itself if no end is forced.
    """
    text = note.text
    whole = text.split("\n")
    if len(whole) <= _FEWEST:
        return note
    # For each line the start of the next one, and the line without blanks or a carriage return at its end.
    next_starts = list(accumulate(len(line) + 1 for line in whole))
    lines = [line.rstrip() for line in whole]
    forced = _forced(lines, note, next_starts)
    if not forced:
        return note
    pieces: list[str] = []
    at = 0
    for number in forced:
        start = next_starts[number] - 1 - len(whole[number]) + len(lines[number])
        end = next_starts[number] + len(whole[number + 1]) - len(whole[number + 1].lstrip())
        pieces += (text[at:start], " ", JOINED * (end - start - 1))
        at = end
    return replace(note, text="".join((*pieces, text[at:])))


def _kept(note: Note, next_starts: Sequence[int]) -> Collection[int]:
    """Return the lines that end between blocks that are not both paragraphs; next_starts: start of each next line."""
    paragraph = BlockKind.PARAGRAPH
    separating = {
        block.end + 1 for block, after in pairwise(note.blocks) if not (block.kind is after.kind is paragraph)
    }
    return {number for number, place in enumerate(next_starts) if place in separating} if separating else ()


def _forced(lines: Sequence[str], note: Note, next_starts: Sequence[int]) -> list[int]:
    """Return the lines whose end the note's width forced, none if it has no width.

    next_starts: start of each next line in the note.
    """
    if not _may_have_width(lines):
        return []
    kept = _kept(note, next_starts)
    ends = [end for end in _ends(lines) if end.line not in kept]
    forced = _forced_by(0, _SMALL, ends, lines) or _forced_by(_RAGGED, _SMALL_BY_HAND, ends, lines)
    return [end.line for end in forced if not _HYPHEN.search(lines[end.line])]


def _may_have_width(lines: Sequence[str]) -> bool:
    """Return whether enough lines may end by a width beside those that are longer than any; quick to see."""
    lengths = list(map(len, lines))
    most = sum([_SHORTEST <= length <= _WIDEST and after > 0 for length, after in pairwise(lengths)])
    longer = sum([_is_longer(line) for line in lines if len(line) > _WIDEST])
    return most >= _FEWEST and longer <= _LONGER * most


def _is_longer(line: str) -> bool:
    """Return whether a line that is longer than the width counts: columns and single words do not."""
    return " " in line and not _has_columns(line)


def _forced_by(ragged: int, small: float, ends: Sequence[_End], lines: Sequence[str]) -> list[_End]:
    """Return the line ends that the width with most forced ends forced, at most `ragged` characters before it.

    Also those near the width after which a sentence continues. small: least share of lines after them that must begin
    in lower case.
    """
    changes = [0] * (_WIDEST + 2)
    for end in ends:
        if end.with_next > _NARROWEST:
            changes[max(end.length, _NARROWEST + ragged)] += 1
            changes[min(end.with_next + ragged, _WIDEST + 1)] -= 1
    counts = list(accumulate(changes))
    most = max(counts)
    if most < _FEWEST:
        return []
    width = counts.index(most)
    if not ragged:
        # Neighbouring widths force as many ends. A paragraph's last line may be longer than the narrowest of them.
        while counts[width + 1] == most:
            width += 1
    long = sum([2 * len(line) > width for line in lines])
    if most < _SHARE * long:
        return []
    longer = sum([_is_longer(line) for line in lines if len(line) > width])
    if longer > _LONGER * most:
        return []
    nearly = _NEARLY * width
    forced = [
        end
        for end in ends
        if end.length <= width and (end.with_next + ragged > width or (end.small and end.length >= nearly))
    ]
    return forced if sum(end.small for end in forced) >= small * len(forced) else []


def _ends(lines: Sequence[str]) -> list[_End]:
    ends = []
    has_columns = ["\t" in line or ("   " in line and "   " in line.lstrip()) for line in lines]
    for number, (line, after) in enumerate(pairwise(lines)):
        if _SHORTEST <= len(line) <= _WIDEST and not has_columns[number] and not has_columns[number + 1]:
            found = _GOES_ON.match(after)
            if found and not _ENTRY.match(after):
                word = found["word"]
                ends.append(_End(number, len(line), len(line) + 1 + len(word), word[0].islower()))
    return ends


def _has_columns(line: str) -> bool:
    return "\t" in line or "   " in line.lstrip()
