"""Writes names in letters as people, converters and scanners do: hidden characters, letter spacing, case, OCR errors.

Seen in documents that were pasted, scanned, or meant to fool a reader. Where no other text is named, only the words of
annotated persons' names are changed, and dates where digits are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from deid_core.core.labels import Label
from deid_core.core.spans import GoldSpan
from deid_core.lab.synthetic.draw import Draw

Edit = tuple[int, int, str]
"""A range [start, end) of a text and its replacement; edits of a text are ascending and disjoint."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_DIGITS = re.compile(r"\d+")
_INVISIBLE = "\u200c\u200d\u200e\u200f\u180e\u2060\u2062\ufe0f\ufeff"
_LOOK_ALIKES = {"a": "а", "c": "с", "e": "е", "i": "і", "o": "о", "p": "р", "x": "х", "H": "Н", "K": "К", "M": "М"}
_OCR = (("rn", "m"), ("m", "rn"), ("l", "1"), ("o", "0"), ("O", "0"), ("i", "l"))


def _words(text: str, gold: Sequence[GoldSpan]) -> Iterator[re.Match[str]]:
    for span in gold:
        if span.label is Label.PER:
            yield from _WORD.finditer(text, span.start, span.end)


def _each_word(change: Callable[[str, Draw], str]) -> Callable[[str, Sequence[GoldSpan], Draw], Iterator[Edit]]:
    def edits(text: str, gold: Sequence[GoldSpan], draw: Draw) -> Iterator[Edit]:
        return ((word.start(), word.end(), change(word.group(), draw)) for word in _words(text, gold))

    return edits


def _divided(word: str, draw: Draw, by: str) -> str:
    place = draw.number(1, len(word) - 1)
    return word[:place] + by + word[place:]


def _look_alike(word: str, draw: Draw) -> str:
    places = [place for place, letter in enumerate(word) if letter in _LOOK_ALIKES]
    if not places:
        return word
    place = draw.pick(places)
    return word[:place] + _LOOK_ALIKES[word[place]] + word[place + 1 :]


def _misread(word: str, draw: Draw) -> str:
    errors = [error for error in _OCR if error[0] in word]
    return word.replace(*draw.pick(errors), 1) if errors else word


def _full_width(text: str, gold: Sequence[GoldSpan], draw: Draw) -> Iterator[Edit]:
    for span in gold:
        if span.label in (Label.PER, Label.DATE):
            for found in (_WORD if span.label is Label.PER else _DIGITS).finditer(text, span.start, span.end):
                wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in found.group())
                yield found.start(), found.end(), wide


def _decomposed(text: str, gold: Sequence[GoldSpan], draw: Draw) -> Iterator[Edit]:
    """All of the text, as file systems and PDF files have it."""
    for found in re.finditer(r"[^\x00-\x7f]", text):
        yield found.start(), found.end(), unicodedata.normalize("NFD", found.group())


def _blanks(instead: str) -> Callable[[str, Sequence[GoldSpan], Draw], Iterator[Edit]]:
    def edits(text: str, gold: Sequence[GoldSpan], draw: Draw) -> Iterator[Edit]:
        """The blank before each name, and those in it."""
        for span in gold:
            if span.label is Label.PER:
                for found in re.finditer(" ", text[max(span.start - 1, 0) : span.end]):
                    place = max(span.start - 1, 0) + found.start()
                    yield place, place + 1, instead

    return edits


def _joined(text: str, gold: Sequence[GoldSpan], draw: Draw) -> Iterator[Edit]:
    """No blank between a name and a capital after it: "Herr MüllerDr. Weber"."""
    for span in gold:
        if span.label is Label.PER and re.match(" [A-ZÄÖÜ]", text[span.end : span.end + 2]):
            yield span.end, span.end + 1, ""


def _run_together(text: str, gold: Sequence[GoldSpan], draw: Draw) -> Iterator[Edit]:
    """No blank on either side of a name: "HerrMüllerDr.Weber". A word in small letters is not joined to it."""
    for span in gold:
        if span.label is Label.PER:
            before = re.search(r"(?:\.|Herrn?|Frau) $", text[max(span.start - 6, 0) : span.start])
            if before and text[span.start].isupper():
                yield span.start - 1, span.start, ""
            if re.match(" [A-ZÄÖÜ]", text[span.end : span.end + 2]):
                yield span.end, span.end + 1, ""


WRITINGS: dict[str, Callable[[str, Sequence[GoldSpan], Draw], Iterator[Edit]]] = {
    "soft-hyphens": _each_word(lambda word, draw: _divided(word, draw, "\u00ad")),
    "invisible": _each_word(lambda word, draw: _divided(word, draw, draw.pick(_INVISIBLE))),
    "no-break-blanks": _blanks("\u00a0"),
    "tabs": _blanks("\t"),
    "decomposed": _decomposed,
    "full-width": _full_width,
    "look-alikes": _each_word(_look_alike),
    "letter-spaced": _each_word(lambda word, draw: " ".join(word)),
    "letter-spaced-capitals": _each_word(lambda word, draw: " ".join(word.upper())),
    "hyphenated": _each_word(lambda word, draw: f"{word[:3]}-\n{word[3:]}" if len(word) > 5 else word),
    "capitals": _each_word(lambda word, draw: word.upper()),
    "small": _each_word(lambda word, draw: word.lower()),
    "misread": _each_word(_misread),
    "joined": _joined,
    "run-together": _run_together,
}
"""Writings of names by their name in `deid compare --layouts`."""
