"""Letters laid out otherwise: the same words and marks with other blanks and line ends.

Letters written one by one have a line for each paragraph, as Word files have. What is handed on as plain text often
has not: its lines are broken at a width or by hand, all of it is one line, marks stand apart from words as a tokeniser
left them, or blanks are missing. Of the letter only the text is left: cells are parted by tabs, blocks are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from deid_core.lab.corpora.letters import AnnotatedLetter
from deid_core.lab.synthetic.draw import Draw

Edit = tuple[int, int, str]
"""A range [start, end) of a text and what stands there instead; a text's edits ascend and are disjoint."""

_WIDTHS = (60, 72, 80, 100)
"""Characters of a line, at most."""
_RAGGED = 12
"""Characters by which lines that are broken by hand differ."""
_LINE_ENDS = re.compile(r"\n+")
_BEHIND_MARK = re.compile(r"(?<=[^\W\d]{2}[.,;:]) (?=\w)|(?<=\d[,;]) (?=[^\W\d])")
"""Not between initials: "i.A. M. Muster" would become one word."""
_AT_MARK = re.compile(r"(?<=\w)(?=[,:](?![\d/])|[;!?)\]\"])|(?<=[(\[\"])(?=\w)|(?<=[^\W\d]{3})(?=\.(?:\s|$))")
"""Not within a number, a time or an address: they are words to a tokeniser."""
_AT_FULL_STOP = re.compile(r"(?<=\w)(?=\.(?:\s|$))")
_BLANK = re.compile(r"(?<=\S) (?=\S)")
_DOUBLED = 0.1
"""Of the blanks."""


def laid_out(letter: AnnotatedLetter, layout: str, seed: str) -> AnnotatedLetter:
    """The letter in a layout of `LAYOUTS`; the same seed gives the same."""
    text = letter.note.text
    pieces: list[str] = []
    # Of each character its place in the new text.
    places: list[int] = []
    at = length = 0
    for start, end, instead in (*LAYOUTS[layout](text, Draw(seed)), (len(text), len(text), "")):
        places += range(length, length + start - at)
        places += [length + start - at] * (end - start)
        pieces += (text[at:start], instead)
        length += start - at + len(instead)
        at = end
    gold = tuple(replace(span, start=places[span.start], end=places[span.end - 1] + 1) for span in letter.gold)
    return replace(letter, note=replace(letter.note, text="".join(pieces), blocks=()), gold=gold)


def _wrapped(text: str, draw: Draw) -> Iterator[Edit]:
    width = draw.pick(_WIDTHS)
    return _broken(text, lambda: width)


def _ragged(text: str, draw: Draw) -> Iterator[Edit]:
    width = draw.pick(_WIDTHS)
    return _broken(text, lambda: width - draw.number(0, _RAGGED))


def _broken(text: str, width: Callable[[], int]) -> Iterator[Edit]:
    """Each line broken at the last blank before it is longer than the width, which is asked for anew each time."""
    at = 0
    for line in text.split("\n"):
        begin, longest, blank = 0, width(), -1
        for found in re.finditer(r" (?=\S)|$", line):
            if found.start() - begin > longest and blank > begin:
                yield at + blank, at + blank + 1, "\n"
                begin, longest = blank + 1, width()
            blank = found.start()
        at += len(line) + 1


def _flowing(text: str, draw: Draw) -> Iterator[Edit]:
    return ((found.start(), found.end(), " ") for found in _LINE_ENDS.finditer(text))


def _tight(text: str, draw: Draw) -> Iterator[Edit]:
    return ((found.start(), found.end(), "") for found in _BEHIND_MARK.finditer(text))


def _spaced(text: str, draw: Draw) -> Iterator[Edit]:
    places = {found.start() for found in _AT_MARK.finditer(text)}
    if draw.chance(0.5):
        places |= {found.start() for found in _AT_FULL_STOP.finditer(text)}
    return ((place, place, " ") for place in sorted(places))


def _doubled(text: str, draw: Draw) -> Iterator[Edit]:
    drawn = (found for found in _BLANK.finditer(text) if draw.chance(_DOUBLED))
    return ((found.start(), found.end(), draw.pick(["  ", "\n", " \n"])) for found in drawn)


LAYOUTS: dict[str, Callable[[str, Draw], Iterator[Edit]]] = {
    "wrapped": _wrapped,
    "ragged": _ragged,
    "flowing": _flowing,
    "tight": _tight,
    "spaced": _spaced,
    "doubled": _doubled,
}
"""Lines broken at a width; by hand; all in one line; no blanks behind marks; blanks before marks; blanks that are
doubled or line ends."""
