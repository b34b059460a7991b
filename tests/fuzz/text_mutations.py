"""Texts for the engine: generated notes, changed at random, and random Unicode."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from itertools import chain

RANGES = [
    (0x20, 0x7F), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x530), (0x590, 0x700), (0x2000, 0x2070), (0x20A0, 0x2C00),
    (0x4E00, 0x4F00), (0xFE00, 0xFE10), (0xFF00, 0xFFF0), (0x1F300, 0x1F700), (0xE0000, 0xE0200),
]  # fmt: skip
"""Code points that letters may have: scripts, marks, blanks and invisible characters, symbols, full width, tags."""
SNIPPETS = (
    "Dr. med. ", "Herr ", "Frau Prof. Dr. ", "geb. am ", "1.1.1.1", "12.03.2011", "(0)", "06221/56-1234", "a@b.de",
    "http://a.de/", "www.", "Hauptstr. 5a", "69120 ", "z.Hd. ", "Tochter ", "- ", "\n", "\t", "  ", "\u00ad", "\u200b",
    "\u0301", "\ufe0f", "\u202e", "...", "---", "((", "]]", "\"'", ",,", "ß", "ﬁ", "Ü", "İ", "\x85", "\u2028",
)  # fmt: skip
_MAX_CHARS = 60_000
"""Some fifteen times a letter; what is longer has a test of its own, tests/faults/test_hostile_text.py."""


def make_text(draw: random.Random, notes: Sequence[str]) -> str:
    """Return one of the notes with one to thirty changes; one time in eight random characters alone."""
    text = _characters(draw, draw.randrange(4_000)) if draw.random() < 1 / 8 else draw.choice(notes)
    for _ in range(draw.choice((1, 2, 4, 8, 30))):
        start = draw.randrange(len(text) + 1)
        end = min(len(text), start + draw.choice((0, 1, 3, 10, 100)))
        text = text[:start] + _replacement(draw, text, text[start:end], notes) + text[end:]
    return text[:_MAX_CHARS]


def _replacement(draw: random.Random, text: str, part: str, notes: Sequence[str]) -> str:
    """Return what stands in place of a part of the text."""
    match draw.randrange(9):
        case 0:
            return ""
        case 1:
            return part * draw.choice((2, 5, 50, 2_000))
        case 2:
            return draw.choice(SNIPPETS) * draw.choice((1, 1, 2, 20, 2_000))
        case 3:
            return _characters(draw, draw.choice((1, 1, 3, 30)))
        case 4:
            return draw.choice((part.upper(), part.lower(), part.swapcase(), part[::-1]))
        case 5:
            between = draw.choice((" ", "\n", "-", ".", "\u00ad", "\u200b", chr(draw.randrange(1, 0x300))))
            return between.join(part)
        case 6:
            other = draw.choice(notes)
            at = draw.randrange(len(other))
            return other[at : at + draw.choice((10, 100, 1_000))]
        case 7:
            at = draw.randrange(len(text) + 1)
            return text[at : at + draw.choice((1, 10, 300))]
        case _:
            return "".join(chain.from_iterable(zip(part, _characters(draw, len(part)), strict=True)))


def _characters(draw: random.Random, count: int) -> str:
    """Return characters of one range, of all ranges, or of all of Unicode, without surrogates."""
    ranges = draw.choice(([draw.choice(RANGES)], RANGES, [(1, 0xD800), (0xE000, sys.maxunicode + 1)]))
    return "".join(chr(draw.randrange(*draw.choice(ranges))) for _ in range(count))
