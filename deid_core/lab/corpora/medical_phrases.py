"""Phrases of official medical texts, none of which identifies anybody: services, diagnoses, substances, materials.

Letters written for a project have the medical words of their writers. Fee schedules and lists of substances and
diseases have others. Each item and paragraph of such a text is a phrase, unless its words are those of a law or it
has a number of three digits, which may be that of a section.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import regex

from deid_core.core.word_lists import alternatives
from deid_core.lab.corpora.annotated import AnnotatedText

_HEAD = regex.compile(r"\A---\n.*?\n---\n", regex.DOTALL)
_ITEMS = regex.compile(r"\n\s*\n|\n(?=\s*(?:[*:|-]|\d+[.)])\s)")
_BULLET = regex.compile(r"^(?:[*:|-]|\(?\d+[a-z]?[.)]|[a-z]\))\s*")
_MARKUP = regex.compile(r"[\\*]")
_NO_PHRASE = regex.compile(rf"\d{{3}}|[§_#|]|://|\.\.\.|\b(?i:{alternatives('training/words-of-laws')})")
_WORDS = range(2, 41)
_HELD_OUT = 5
"""One phrase in so many is held out of training."""
_OF_TEXT = 30


def read_phrases(files: Iterable[Path], part: str) -> list[AnnotatedText]:
    """Return the phrases of Markdown files, each once, one a line, thirty a text; no spans.

    part: "train", or "dev" for the fifth that is held out. A phrase is held out by its own letters, so other files do
    not change it.
    """
    phrases = sorted({phrase for file in files for phrase in _phrases(file.read_text(encoding="utf-8"))})
    of_part = [phrase for phrase in phrases if (zlib.crc32(phrase.encode()) % _HELD_OUT == 0) == (part == "dev")]
    # Neighbours in the alphabet begin alike; by checksum, phrases of a text are of all files.
    of_part.sort(key=lambda phrase: zlib.crc32(phrase[::-1].encode()))
    return [
        AnnotatedText(f"phrases-{start // _OF_TEXT}", "\n".join(of_part[start : start + _OF_TEXT]), ())
        for start in range(0, len(of_part), _OF_TEXT)
    ]


def _phrases(text: str) -> Iterator[str]:
    for item in _ITEMS.split(_HEAD.sub("", text)):
        phrase = _MARKUP.sub("", _BULLET.sub("", " ".join(item.split()))).strip()
        if len(phrase.split()) in _WORDS and not _NO_PHRASE.search(phrase):
            yield phrase
