"""Find forms of search terms in a note: inflected, in capitals, misspelt, in compounds.

Used for the header's fields and for names that are certain somewhere in the note. A form is a word whose R to a term
is below the threshold (fuzzy_match.py), both folded (lower case, umlauts written out), or a hyphenated word with such a
part. A word that is also a common word must equal the term and not follow an article or preposition ("im Sommer").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from deid_core.core.errors import NoteError, Reason
from deid_core.core.labels import PhiType
from deid_core.core.word_lists import word_set
from deid_core.lexicon.flags import COMMON, NAMEABLE, NAMEABLE_OR_STOP, STOP, word_flags
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.text.arrays import StringPool, code_points, with_room
from deid_core.text.document import Document
from deid_core.text.folding import folded, parts
from deid_core.text.vocabulary import Vocabulary

_MAX_PAIRS = 200_000_000
"""A note with more pairs of terms and words is no letter; comparing them would take minutes."""
_BEFORE_COMMON = word_set("letterhead/before-common-words")


@dataclass(slots=True)
class Form:
    """A token that is a form of a term, with the term's type and R."""

    index: int
    type: PhiType
    ratio: float


class FormFinder:
    """Finds forms of terms in documents of one vocabulary; each word type is folded and split once."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        # Imported here: pipelines that look for no forms need no numba for it.
        from deid_core.letterhead.fuzzy_match_kernel import closest_terms, letter_bits

        self._closest_terms, self._letter_bits = closest_terms, letter_bits
        self._vocabulary = vocabulary
        self._bits = word_flags(gazetteer, vocabulary)
        self._pieces = StringPool()
        self._bounds = np.zeros(1024, np.int64)
        """The pieces of word type t are bounds[t] to bounds[t + 1]."""
        self._letters = np.zeros(1024, np.uint64)
        self._exact = np.zeros(1024, np.bool_)
        self._seen = np.zeros(1024, np.int32)
        self._filled = 0

    def find(self, document: Document, terms: Mapping[str, PhiType], max_ratio: float) -> Iterator[Form]:
        """Yield each token that is a form of a term, ascending; terms are folded words; the first of equals counts.

        Raises NoteError if the note has too many words to compare.
        """
        if not terms:
            return
        types = document.tokens.types
        if len(types) * len(terms) > _MAX_PAIRS and len(np.unique(types)) * len(terms) > _MAX_PAIRS:
            raise NoteError(Reason.TOO_LARGE, f"{len(terms)} search terms for {len(types)} words")
        self._extend()
        bounds = np.array([0, *accumulate(map(len, terms))], np.int64)
        hits, found, ratios = np.empty(len(types), np.int32), np.empty(len(types), np.int32), np.empty(len(types))
        pieces = self._pieces
        count = self._closest_terms(
            types, self._bounds, pieces.bounds, pieces.codes, self._letters, self._exact,
            bounds, code_points("".join(terms)), max_ratio, self._seen, hits, found, ratios,
        )  # fmt: skip
        of_terms = list(terms.values())
        hits = hits[:count]
        common = (self._bits.gather(types[hits]) & COMMON).tolist()
        for index, term, ratio, doubtful in zip(
            hits.tolist(), found[hits].tolist(), ratios[hits].tolist(), common, strict=True
        ):
            if not (doubtful and index and document.word(index - 1) in _BEFORE_COMMON):
                yield Form(index, of_terms[term], ratio)

    def _extend(self) -> None:
        known = len(self._vocabulary)
        if known == self._filled:
            return
        start, words = self._filled, self._vocabulary.words[self._filled : known]
        self._bounds = with_room(self._bounds, known + 1)
        self._seen = with_room(self._seen, known)
        pieces: list[str] = []
        exact: list[bool] = []
        before = len(self._pieces)
        for number, word in enumerate(words, start=start):
            of_word = self._bits.of(word)
            for part in parts(word) if of_word & NAMEABLE_OR_STOP == NAMEABLE else ():
                of_part = self._bits.of(part)
                if part[0].isupper() and not of_part & STOP:
                    pieces.append(folded(part))
                    exact.append(bool((of_word | of_part) & COMMON))
            self._bounds[number + 1] = before + len(pieces)
        self._exact = with_room(self._exact, before + len(pieces))
        self._exact[before : before + len(pieces)] = exact
        self._pieces.extend(pieces)
        self._letters = with_room(self._letters, len(self._pieces))
        self._letter_bits(self._pieces.codes, self._pieces.bounds, before, self._letters[: len(self._pieces)])
        self._filled = known


def form_finder(gazetteer: Gazetteer, vocabulary: Vocabulary) -> FormFinder:
    """Return the finder of this vocabulary; the parts of an engine share it."""
    return vocabulary.shared((form_finder, gazetteer), lambda: FormFinder(gazetteer, vocabulary))
