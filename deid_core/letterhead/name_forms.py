"""Find forms of search terms in a note: inflected, in capitals, misspelt, in compounds.

Used for the header's fields and for names that are certain somewhere in the note. A form is a word whose R to a term
is below the threshold (fuzzy_match.py), both folded (lower case, umlauts written out), a hyphenated word with such a
part, or an adjective of the term ("Mustersche"; not "Basedowsche"). A word that is also a common word must equal the
term and not follow an article or preposition ("im Sommer").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from deid_core.core.errors import NoteError, Reason
from deid_core.core.labels import PhiType
from deid_core.core.word_lists import word_set
from deid_core.letterhead.fuzzy_match import WordPieces
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.word_flags import COMMON, GIVEN_NAME, NAMEABLE, NAMEABLE_OR_STOP, STOP, SURNAME, word_flags
from deid_core.text.document import Document
from deid_core.text.folding import folded, parts, without_adjective_ending
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
    """Finds forms of terms in documents of one vocabulary; each word type is folded and split once.

    eponyms: the gazetteer's, folded.
    """

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._bits = word_flags(gazetteer, vocabulary)
        self._pieces = WordPieces()
        self.eponyms = {folded(word) for word in gazetteer.words("eponym")}

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
        hits, found, ratios = self._pieces.closest(types, tuple(terms), max_ratio)
        of_terms = list(terms.values())
        common = (self._bits.gather(types[hits]) & COMMON).tolist()
        for index, term, ratio, doubtful in zip(hits.tolist(), found.tolist(), ratios.tolist(), common, strict=True):
            if not (doubtful and index and document.word(index - 1) in _BEFORE_COMMON):
                yield Form(index, of_terms[term], ratio)

    def _extend(self) -> None:
        """Take the pieces of the word types that are new."""
        start, known = len(self._pieces), len(self._vocabulary)
        if start == known:
            return
        pieces: list[list[str]] = []
        exact: list[bool] = []
        flags = self._bits.gather(np.arange(start, known, dtype=np.int32)).tolist()
        for word, of_word in zip(self._vocabulary.words[start:known], flags, strict=True):
            pieces.append([])
            for part in parts(word) if of_word & NAMEABLE_OR_STOP == NAMEABLE else ():
                of_part = of_word if part is word else self._bits.of(part)
                if part[0].isupper() and not of_part & STOP:
                    pieces[-1].append(folded(part))
                    exact.append(bool((of_word | of_part) & COMMON))
            if pieces[-1] and not of_word & (COMMON | GIVEN_NAME | SURNAME):
                name = without_adjective_ending(word)
                if name and name not in self.eponyms:
                    pieces[-1].append(name)
                    exact.append(True)
        self._pieces.extend(pieces, exact)


def form_finder(gazetteer: Gazetteer, vocabulary: Vocabulary) -> FormFinder:
    """Return the finder of this vocabulary; the parts of an engine share it."""
    return vocabulary.shared((form_finder, gazetteer), lambda: FormFinder(gazetteer, vocabulary))
