"""Lines that were broken at a fixed width: where a line end stands for a blank.

Plain text, and what was pasted from it, is often broken every 70 or 80 characters, in the middle of a name as soon as
anywhere. To a recogniser a line's end means that something ends. So ends that only the width forced are read as
blanks; a character stays a character, and every offset stays what it was.

A width forces an end where the line is not longer than it, and would be with the first word of the next line. Lines
that end for another reason seldom do so at one and the same width: a note's width is that which forces the most ends,
and if many lines are longer, or few of the long ones end by it, the note was not broken at a width. What is set in by
more than three blanks, quoted or stands in columns keeps its line ends.
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
"""Characters of a width: a narrow column, a line printer's."""
_SHORTEST = 25
"""Characters of a line that a width may have broken: what lacks to the narrowest one is a long word's."""
_FEWEST = 4
"""Ends that a width must force."""
_SHARE = 0.3
"""Of the lines that are longer than half the width so many must end by it."""
_LONGER = 0.1
"""So many lines, for each that ends by the width, may be longer than it."""
_NEARLY = 0.75
"""Of the width: so long is a line that ends before it and goes on in small letters."""
_RAGGED = 14
"""Characters before the width at which a line ends that somebody broke by hand, if no width forced the ends."""
_SMALL, _SMALL_BY_HAND = 0.1, 0.2
"""Of the lines behind the ends so many begin in small letters, as sentences that go on do and diagnoses do not."""
_GOES_ON = re.compile(r" {0,3}(?P<word>[\w(„\"'»]\S*)")
"""A line that may go on where the last one was broken: no list's entry with a mark, no rule, not set in."""
_ENTRY = re.compile(r" *(?:\d{1,2}[.)](?:\s|$)|[^\W\d][\w./-]*(?: [^\W\d][\w./-]*)?:(?:\s|$))")
"""A line that begins something new: "1. Hypertonie", "Vater: gesund", "Aktuelle Therapie:"."""
_HYPHEN = re.compile(rf"\S[-{DASHES}\u00ad]$")
"""Parts a word at the line's end: recognisers put it together, and look for the line's end to do so."""


class _End(NamedTuple):
    """A line's end that a width may have forced: the line's place, its length, and that with the next word."""

    line: int
    length: int
    with_next: int
    small: bool
    """Whether the next line begins in small letters."""


def unwrapped(note: Note) -> Note:
    """The note with blanks for the line ends that only a width forced; its text is as long as it was.

    With the end the blanks around it are replaced: JOINED stands for all but the first, so that they are no column's.
    Of blocks only paragraphs go on in each other. The note itself if no end is forced.
    """
    text = note.text
    whole = text.split("\n")
    if len(whole) <= _FEWEST:
        return note
    # Of each line where the next one begins, and what it is without blanks, or a carriage return, at its end.
    behind = list(accumulate(len(line) + 1 for line in whole))
    lines = [line.rstrip() for line in whole]
    forced = _forced(lines, _kept(note, behind))
    if not forced:
        return note
    pieces: list[str] = []
    at = 0
    for number in forced:
        start = behind[number] - 1 - len(whole[number]) + len(lines[number])
        end = behind[number] + len(whole[number + 1]) - len(whole[number + 1].lstrip())
        pieces += (text[at:start], " ", JOINED * (end - start - 1))
        at = end
    return replace(note, text="".join((*pieces, text[at:])))


def _kept(note: Note, behind: Sequence[int]) -> Collection[int]:
    """The lines whose end parts two blocks that are not both paragraphs; behind: where the next line begins."""
    parting = {
        block.end + 1 for block, after in pairwise(note.blocks) if not block.kind == after.kind == BlockKind.PARAGRAPH
    }
    return {number for number, place in enumerate(behind) if place in parting} if parting else ()


def _forced(lines: Sequence[str], kept: Collection[int]) -> list[int]:
    """The lines whose end the note's width forced, none if it has no width."""
    ends = _ends(lines, kept)
    forced = _forced_by(0, _SMALL, ends, lines) or _forced_by(_RAGGED, _SMALL_BY_HAND, ends, lines)
    return [end.line for end in forced if not _HYPHEN.search(lines[end.line])]


def _forced_by(ragged: int, small: float, ends: Sequence[_End], lines: Sequence[str]) -> list[_End]:
    """The ends that the width forced which forces most, or would have forced so many characters before it.

    Also those nearly at the width behind which a sentence goes on. small: the share of lines behind them that must
    begin in small letters.
    """
    changes = [0] * (_WIDEST + 2)
    for end in ends:
        if end.with_next > _NARROWEST:
            changes[max(end.length, _NARROWEST + ragged)] += 1
            changes[min(end.with_next + ragged, _WIDEST + 1)] -= 1
    counts = list(accumulate(changes))
    most = max(counts)
    width = counts.index(most)
    long = sum(2 * len(line) > width for line in lines)
    if most < _FEWEST or most < _SHARE * long:
        return []
    # Columns and single words are as long as they are.
    longer = sum(len(line) > width and " " in line and not _has_columns(line) for line in lines)
    if longer > _LONGER * most:
        return []
    nearly = _NEARLY * width
    forced = [
        end
        for end in ends
        if end.length <= width and (end.with_next + ragged > width or (end.small and end.length >= nearly))
    ]
    return forced if sum(end.small for end in forced) >= small * len(forced) else []


def _ends(lines: Sequence[str], kept: Collection[int]) -> list[_End]:
    ends = []
    for number, (line, after) in enumerate(pairwise(lines)):
        if _SHORTEST <= len(line) <= _WIDEST and number not in kept and not _has_columns(line):
            found = _GOES_ON.match(after)
            if found and not _has_columns(after) and not _ENTRY.match(after):
                word = found["word"]
                ends.append(_End(number, len(line), len(line) + 1 + len(word), word[0].islower()))
    return ends


def _has_columns(line: str) -> bool:
    return "\t" in line or "   " in line.lstrip()
