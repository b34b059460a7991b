"""Finds what is certain in one place elsewhere in the note: institutions, addresses, places and numbers.

"Seniorenheim Am Wehrturm" in the letterhead and "zurück ins Am Wehrturm" in the text; a case number with its word once
and alone later. The whole text is searched for, and of an institution each word that is no ordinary one: "Wehrturm".
propagation.py does the same for people.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.lexicon.word_flags import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP
from deid_core.text.document import Document
from deid_core.text.token_ranges import detection_of, token_ranges, tokens_of_types
from deid_core.text.vocabulary import TypeFeature

_MIN_SCORE = 0.85
_INSTITUTIONS = frozenset((PhiType.HOSPITAL, PhiType.ORGANISATION))
_TYPES = _INSTITUTIONS | {PhiType.STREET, PhiType.TOWN, PhiType.PLACE}
_NUMBERS = frozenset((Label.ID, Label.PHONE))
_MIN_DIGITS, _MIN_LETTERS = 5, 4
_MAX_TOKENS = 12
_MAX_PHRASES = 200
"""Most texts that are searched for; no letter has more."""
_PHRASE_SCORE, _WORD_SCORE = 0.85, 0.6
_Phrase = tuple[int, ...]
"""The word types of a text."""


class Repeats:
    """Finds repetitions in documents of one vocabulary."""

    def __init__(self, flags: TypeFeature) -> None:
        """flags: bits of lexicon/word_flags.py for each word type."""
        self._flags = flags

    def find(self, document: Document, detections: Iterable[Detection], kind: str) -> Iterator[Detection]:
        """Yield the other places of what the detections surely name; `kind` is their recogniser.

        `rule` is "phrase" for a whole text, "word" for a word of an institution.
        """
        text = document.text
        certain = sorted(
            {
                (start, end, phi)
                for start, end, label, phi, _, _, score in detections
                if score >= _MIN_SCORE
                # Most detections are names and dates.
                and (label in _NUMBERS or phi in _TYPES)
                and _is_searched(text[start:end], label)
            }
        )
        if not certain:
            return
        types = document.tokens.types
        ranges = token_ranges(document, [(start, end) for start, end, _ in certain])
        phrases: dict[_Phrase, PhiType] = {}
        words: dict[int, PhiType] = {}
        seen = set(ranges)
        for (_, _, phi), (first, end) in zip(certain, ranges, strict=True):
            phrase = tuple(types[first:end].tolist())
            if not 0 < len(phrase) <= _MAX_TOKENS:
                continue
            # Of "4131 2" in "O4131 2", read from a scan, only the token "2" is whole.
            if label_of(phi) in _NUMBERS and _digits(document, first, end) < _MIN_DIGITS:
                continue
            if len(phrase) > 1 or not self._flags.of(document.vocabulary.words[phrase[0]]) & COMMON:
                phrases.setdefault(phrase, phi)
            if phi in _INSTITUTIONS:
                for number in phrase:
                    if self._is_distinct(document.vocabulary.words[number]):
                        words.setdefault(number, phi)
        searched = list(phrases.items())[:_MAX_PHRASES]
        names = list(words.items())[:_MAX_PHRASES]
        places = _places(document, {phrase[0] for phrase, _ in searched} | {number for number, _ in names})
        for phrase, phi in searched:
            for at in places[phrase[0]]:
                place = (at, at + len(phrase))
                if place not in seen and tuple(types[at : place[1]].tolist()) == phrase:
                    seen.add(place)
                    yield detection_of(document, *place, phi, kind, "phrase", _PHRASE_SCORE)
        if not names:
            return
        covered = bytearray(len(types))
        for first, end in seen:
            covered[first:end] = b"\1" * (end - first)
        for number, phi in names:
            for at in places[number]:
                if not covered[at]:
                    yield detection_of(document, at, at + 1, phi, kind, "word", _WORD_SCORE)

    def _is_distinct(self, word: str) -> bool:
        flags = self._flags.of(word)
        distinct = flags & (IS_WORD | CAPITALISED | COMMON | STOP | GIVEN_NAME) == IS_WORD | CAPITALISED
        return distinct and len(word) > _MIN_LETTERS


def _places(document: Document, wanted: Collection[int]) -> dict[int, list[int]]:
    """Return the tokens of each of the wanted word types, ascending."""
    places: dict[int, list[int]] = {number: [] for number in wanted}
    for token, number in tokens_of_types(document, list(wanted)):
        places[number].append(token)
    return places


def _digits(document: Document, first: int, end: int) -> int:
    """Return the number of decimal digits in tokens first to end."""
    return sum(character.isdecimal() for at in range(first, end) for character in document.word(at))


def _is_searched(text: str, label: Label) -> bool:
    """Whether the text of a number, or of one of _TYPES, is distinct enough to be searched for."""
    return sum(map(str.isdecimal, text)) >= _MIN_DIGITS if label in _NUMBERS else len(text) >= _MIN_LETTERS
