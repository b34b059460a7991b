"""Finds the lines of a note that are not in German, by their frequent words and by their script.

A letter may quote a report from abroad or be written in another language as a whole. A line is in the language of which
it has most frequent words (gazetteers/lists/languages), if these are several and German has few in it. A line with
hardly any frequent word, as an address, is in the language of the line before.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.core.word_lists import lists_dir, word_set
from deid_core.text.document import Document
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_FOLDER = "languages"
_SCRIPTS = {"ARABIC": "ar", "CYRILLIC": "ru", "GREEK": "el", "HEBREW": "he"}
"""Scripts by the beginning of their letters' Unicode names, and the language that such a line is said to be in."""
_GERMAN = "de"
_LEAST_WORDS = 3
"""Least number of frequent words of a language that tell it."""
_LEAST_SHARE = 0.15
"""Least share of a line's words that are frequent words of the language."""


@dataclass(frozen=True, slots=True)
class ForeignLines:
    """The tokens in lines that are not in German, and these lines' languages as ISO 639-1 codes, ascending.

    tokens: bool (tokens,). frequent: bool (tokens,), frequent words of any of the languages.
    """

    tokens: npt.NDArray[np.bool_]
    frequent: npt.NDArray[np.bool_]
    languages: tuple[str, ...]


class LanguageFinder:
    """Finds foreign lines in documents of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        foreign = sorted(path.stem for path in (lists_dir() / _FOLDER).glob("??.txt"))
        self._codes = [_GERMAN, *foreign, *_SCRIPTS.values()]
        self._bits: dict[str, int] = {}
        german = word_set("stop-words")
        for number, code in enumerate(self._codes[: len(foreign) + 1]):
            for word in german if code == _GERMAN else word_set(f"{_FOLDER}/{code}"):
                self._bits[word.lower()] = self._bits.get(word.lower(), 0) | 1 << number
        self._first_script = len(foreign) + 1
        self._of_type = TypeFeature(vocabulary, self._languages)

    def find(self, document: Document) -> ForeignLines | None:
        """Return the foreign lines of a document, None if it is German throughout."""
        bits = self._of_type.gather(document.tokens.types)
        foreign = bits & ~np.uint32(1)
        if np.count_nonzero(foreign) < _LEAST_WORDS:
            return None
        lines = np.cumsum(document.tokens.breaks)
        count = int(lines[-1]) + 1
        words = np.bincount(lines, minlength=count)
        hits = np.array([np.bincount(lines, bits >> number & 1, minlength=count) for number in range(len(self._codes))])
        best = 1 + hits[1:].argmax(axis=0)
        most = hits[best, np.arange(count)]
        is_foreign = (most >= _LEAST_WORDS) & (most > 2 * hits[0]) & (most >= _LEAST_SHARE * words)
        if not is_foreign.any():
            return None
        is_german = (hits[0] >= _LEAST_WORDS - 1) & (hits[0] >= most)
        language = np.where(is_foreign, best, np.where(is_german, 0, -1))
        language = _filled(language)
        codes = sorted({self._codes[number] for number in np.unique(best[is_foreign]).tolist()})
        return ForeignLines((language > 0)[lines], foreign > 0, tuple(codes))

    def _languages(self, word: str) -> int:
        """Return a bit for each language that the word is a frequent word of, or whose script it has."""
        found = self._bits.get(word.lower(), 0)
        if not found and not word[0].isascii() and len(word) > 1:
            script = unicodedata.name(word[0], "").partition(" ")[0]
            if script in _SCRIPTS:
                found = 1 << self._first_script + list(_SCRIPTS).index(script)
        return found


def _filled(language: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the languages with -1 replaced by that of the line before, for the first lines by that of the next."""
    known = np.flatnonzero(language >= 0)
    before = known[np.maximum(np.searchsorted(known, np.arange(len(language)), side="right") - 1, 0)]
    filled: npt.NDArray[np.int64] = language[before]
    return filled
