"""Seed 000's algorithm in plain Python: what a thesis would write, and what `deid bench` sets beside `variants`.

ThesisLists are sets, patterns are searched for in the whole text, and each word is compared with each word of the
header, one call a pair (sections 4.3, 5 and 6.1). Nothing is compiled, cached or numbered by word type.

It differs from pipeline `variants`, which follows the seed too, in being simpler:
- list entries of several words ("Bad Muster") are left out, since a set looks up single words;
- patterns are one expression a label, without the exceptions for doses, measured values and units;
- the header is all before the salutation or, without one, its table's cells; page headers and properties count as text;
- numbers of the header, and names, addresses and institutions as a whole, are not removed by themselves;
- a suffix may stand anywhere in a word, as the seed says ("contained"): Wandbewegungsstörungen has "weg".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from deid_core.core.note import BlockKind, Note

MAX_RATIO = 0.333
"""R = d / min(|n|, |w|) of a spelling variant is below this (section 4.3, equation 1)."""

_WORD = re.compile(r"[^\W\d_]\w*(?:[-'’]\w+)*\.?|\d+(?:[-.,:/]\d+)*(?:[a-zA-Z]\b)?|\S")
_SALUTATION = re.compile(r"^Sehr geehrte|^Liebe", re.MULTILINE)
_STREET_ENDING = re.compile(r"[sS]tr(?:\.|a(?:ß|ss)e)?$")
_MONTH = r"(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-z]*\.?"
_PATTERNS = {
    "EMAIL": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "URI": re.compile(r"(?:https?://|www\.)[^\s,;]+"),
    "DATE": re.compile(
        rf"\b\d{{1,2}}\.\s?(?:\d{{1,2}}\.|{_MONTH})\s?(?:\d{{4}}|\d\d)?\b|\b{_MONTH}\s\d{{4}}\b|\b\d{{1,2}}/(?:19|20)\d\d\b"
        r"|\b(?:19|20)\d\d\b"
    ),
    "PHONE": re.compile(r"(?:\+49|\b0)[\d\s()/-]{5,}\d\b"),
    "PLZ": re.compile(r"\b\d{5}(?=\s+[A-ZÄÖÜ])"),
    "SALUTE": re.compile(r"\b(?:Herrn?|Frau|Hr\.|Fr\.)(?=\s+[A-ZÄÖÜ])"),
    "TITLE": re.compile(r"\b(?:Prof\.|PD|Priv\.-Doz\.|Dr\.)(?:\s?(?:Dr\.|med\.|rer\.|nat\.|h\.\s?c\.))*"),
}
_STOP_LISTS = ("stop_word", "clinic_word", "title", "salutation", "month", "common_word", "medical_word", "eponym")
_HOUSE_NUMBER = re.compile(r"\s\d{1,3}[a-zA-Z]?\b")


@dataclass(frozen=True, slots=True)
class ThesisLists:
    """The gazetteers of section 6.1 and the words that are no search terms; single words, as the lists write them."""

    persons: frozenset[str]
    towns: frozenset[str]
    streets: frozenset[str]
    suffixes: tuple[str, ...]
    stop_words: frozenset[str]

    @staticmethod
    def of(words: Callable[[str], Iterable[str]]) -> ThesisLists:
        """The lists by their names, as `Gazetteer.words` gives them."""
        return ThesisLists(
            frozenset(words("first_name")) | frozenset(words("surname")),
            frozenset(words("town")),
            frozenset(_street(word) for word in words("street")),
            tuple(words("street_suffix")) + tuple(words("town_suffix")),
            frozenset(word.lower() for name in _STOP_LISTS for word in words(name)),
        )


def annotate(note: Note, lists: ThesisLists) -> list[tuple[int, int, str]]:
    """(start, end, placeholder) of what is removed, ascending, word by word (section 5, steps 1 to 4)."""
    entities = _entities(note.text, lists)
    terms = _header_words(note, lists)
    removed = []
    for match in _WORD.finditer(note.text):
        word, entity = match.group(), entities.get(match.start())
        if _is_variant(word, terms):
            removed.append((*match.span(), entity or "O"))
        elif entity:
            removed.append((*match.span(), entity))
        elif any(suffix in word for suffix in lists.suffixes):
            removed.append((*match.span(), "LOC"))
    return removed


def _entities(text: str, lists: ThesisLists) -> dict[int, str]:
    """The label of each word that a pattern or a list has, by the word's start."""
    labels: dict[int, str] = {}
    for match in _WORD.finditer(text):
        word = match.group()
        if word in lists.persons:
            labels[match.start()] = "PER"
        elif word in lists.towns:
            labels[match.start()] = "LOC"
        elif _street(word) in lists.streets:
            labels[match.start()] = "LOC"
            if number := _HOUSE_NUMBER.match(text, match.end()):
                labels[number.start() + 1] = "LOC"
    for label, pattern in _PATTERNS.items():
        for found in pattern.finditer(text):
            for match in _WORD.finditer(text, *found.span()):
                labels[match.start()] = label
    return labels


def _header_words(note: Note, lists: ThesisLists) -> set[str]:
    """The search terms: words of the header that are no stop words."""
    salutation = _SALUTATION.search(note.text)
    cells = (note.block_text(block) for block in note.blocks_of(BlockKind.HEADER_CELL))
    header = note.text[: salutation.start()] if salutation else "\n".join(cells)
    return {word for word in _words(header) if word.lower().rstrip(".") not in lists.stop_words}


def _words(text: str) -> Iterator[str]:
    return (match.group() for match in _WORD.finditer(text) if match.group()[0].isalpha())


def _is_variant(word: str, terms: set[str]) -> bool:
    if not word[0].isalpha():
        return False
    return any(Levenshtein.distance(term, word) / min(len(term), len(word)) < MAX_RATIO for term in terms)


def _street(word: str) -> str:
    """The word with one spelling for its ending: Hauptstr., Hauptstrasse (the expression of section 6.1)."""
    return _STREET_ENDING.sub("straße", word)
