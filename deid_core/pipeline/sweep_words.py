"""Words of names and addresses that the sweep looks for, and the words of a text that equal them or are misspelt.

A word is compared by its pieces: itself and its parts at hyphens, folded and in lower case. Common words (Herz, Lange)
are counted apart, since most of them are no name where they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from deid_core.core.errors import NoteError, Reason
from deid_core.letterhead.fuzzy_match import MIN_VARIANT, WordPieces
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.name_regexes import PARTICLES, ROLE_WORD
from deid_core.lexicon.word_flags import COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME, word_flags
from deid_core.pipeline.known_terms import Term, TermKind, TermSource
from deid_core.text.arrays import with_room
from deid_core.text.folding import folded, parts
from deid_core.text.tokens import TOKEN, Tokens, plain
from deid_core.text.vocabulary import Vocabulary

MAX_RATIO = 0.333
"""Seed 000, section 4.3: a misspelling has R below this."""
_MIN_TERM = 2
_LONGEST_ABBREVIATION = 4
"""Letters of a word with a full stop within a term, which is no search word: "Vord. Gasse"."""
_LONGEST_DEGREE = 3
"""Letters of a word in capitals that is no search word: FMH after a name."""
_MIN_COMPOUND_PART = 4
_MOST_PAIRS = 200_000_000
"""A text with more pairs of terms and words is no letter; comparing them would take minutes."""


class Hit(NamedTuple):
    """A word [start, end) of a text, and the piece of a search word that it is closest to.

    distance: that of Levenshtein. common: whether it is a common word. compound: whether it is made of two common words
    and no listed name.
    """

    start: int
    end: int
    word: str
    piece: str
    distance: int
    common: bool
    compound: bool


class SearchWords:
    """The words of names and addresses.

    pieces: kind and source of each piece, those of the first term that has it. terms: for each term its kind, and the
    word that a piece is of. initials: first letters of the words of names.
    """

    def __init__(self, terms: Iterable[Term], is_stop: Callable[[str], bool]) -> None:
        self.pieces: dict[str, tuple[TermKind, TermSource]] = {}
        self.terms: list[tuple[TermKind, dict[str, str]]] = []
        self.initials: set[str] = set()
        for term in terms:
            words: dict[str, str] = {}
            for word in _usable(term, is_stop):
                # The genitive of a short or common word is no misspelling, which must be long and uncommon.
                words |= {form: word for piece in _pieces(word) for form in (piece, f"{piece}s")}
                if term.kind is TermKind.NAME and word[0].isupper():
                    self.initials.add(word[0])
            self.terms.append((term.kind, words))
            self.pieces = dict.fromkeys(words, (term.kind, term.source)) | self.pieces


def _usable(term: Term, is_stop: Callable[[str], bool]) -> Iterator[str]:
    """Yield the words of a name, street or town: no initial, abbreviation, degree or role, nor "Am" of a street."""
    is_name = term.kind is TermKind.NAME
    for word in map(plain, TOKEN.findall(term.text)):
        if not word[0].isalpha() or (word[-1] == "." and len(word) <= _LONGEST_ABBREVIATION + 1):
            continue
        word = word.rstrip(".")
        if (len(word) <= _LONGEST_DEGREE and word.isupper()) or (is_name and ROLE_WORD.match(word)):
            continue
        if (word[0].isupper() and (is_name or not is_stop(word))) or (is_name and word in PARTICLES):
            yield word


class WordTypes:
    """The word types of a vocabulary: their pieces, and whether they are common words."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._flags = word_flags(gazetteer, vocabulary)
        self._common = np.zeros(1024, np.bool_)
        self._pieces = WordPieces()

    def closest(self, tokens: Tokens, pieces: Sequence[str]) -> Iterator[Hit]:
        """Yield the tokens that equal one of the pieces or are misspelt, ascending.

        Of common words only those with one other letter: most that are alike are other words.

        Raises NoteError if the text has too many words to compare.
        """
        types = tokens.types
        if len(types) * len(pieces) > _MOST_PAIRS:
            raise NoteError(Reason.TOO_LARGE, f"{len(pieces)} search terms for {len(types)} words")
        self._extend()
        hits, found, ratios = self._pieces.closest(types, pieces, MAX_RATIO)
        common = self._common.take(types[hits]).tolist()
        for at, term, ratio, is_common in zip(hits.tolist(), found.tolist(), ratios.tolist(), common, strict=True):
            word, piece = self._vocabulary.words[types[at]], pieces[term]
            distance = round(ratio * min(len(word), len(piece)))
            if not is_common or distance <= 1:
                compound = not is_common and self._is_compound(word)
                yield Hit(int(tokens.starts[at]), int(tokens.ends[at]), word, piece, distance, is_common, compound)

    def is_stop(self, word: str) -> bool:
        """Return whether a word is a function word, a salutation, a title, or a particle of names."""
        return bool(self._flags.of(word) & STOP) or word in PARTICLES

    def is_whole(self, words: Collection[str], kind: TermKind) -> bool:
        """Return whether words that stand together are surely the term: two of them, one a listed name if it is a name.

        words: as they are in the term.
        """
        content = [word for word in words if not self.is_stop(word)]
        if kind is TermKind.NAME:
            return len(content) >= 2 and any(self._flags.of(word) & (GIVEN_NAME | SURNAME) for word in content)
        return len(content) >= 2 or len(words) >= 3

    def _is_common(self, word: str) -> bool:
        """Return whether a word is a common one, in new spelling too: blaß, orthopaedisch; of "A-B" both parts."""
        if "-" in word:
            return all(self._is_common(part) for part in word.split("-") if part)
        # Most words have no other spelling.
        spelt = {word, word.replace("ß", "ss"), word.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü")}
        return any([self._flags.of(form) & (COMMON | STOP) for form in spelt])

    def _is_compound(self, word: str) -> bool:
        """Return whether a word is made of two common ones and is no listed name: Querfinger is no misspelt name.

        Of "A-B" each part: Hellwig-Konsil is made of "hell" and "wig-Konsil", but has a listed name.
        """
        if "-" in word:
            return all(self._is_common(part) or self._is_compound(part) for part in word.split("-") if part)
        if self._flags.of(word) & (GIVEN_NAME | SURNAME):
            return False
        word = word.lower()
        return any(
            self._is_common(word[:at].removesuffix("s")) and self._is_common(word[at:])
            for at in range(_MIN_COMPOUND_PART, len(word) - _MIN_COMPOUND_PART + 1)
        )

    def _extend(self) -> None:
        """Read the word types that are new."""
        known, start = len(self._vocabulary), len(self._pieces)
        if known == start:
            return
        words = self._vocabulary.words[start:known]
        # Other parts of the engine have computed these flags for most words.
        flags = self._flags.gather(np.arange(start, known, dtype=np.int32))
        self._common = with_room(self._common, known)
        self._common[start:known] = flags & (COMMON | STOP) != 0
        for number in np.flatnonzero(flags & (IS_WORD | COMMON | STOP) == IS_WORD).tolist():
            self._common[start + number] = self._is_common(words[number])
        is_word = (flags & IS_WORD).tolist()
        of_words = [_pieces(word) if pieced else () for word, pieced in zip(words, is_word, strict=True)]
        self._pieces.extend(of_words, [len(piece) < MIN_VARIANT for of_word in of_words for piece in of_word])


def _pieces(word: str) -> tuple[str, ...]:
    """Return the word and its parts at hyphens, folded and in lower case.

    Both, since a folded "ä" is two letters: one that is left out in "Häberle" would count as two.
    """
    usable = [part for part in parts(word) if len(part) >= _MIN_TERM]
    if len(usable) == 1:
        # So it is for most words.
        plain, lower = folded(usable[0]), usable[0].lower()
        return (plain,) if plain == lower else (plain, lower)
    return tuple(dict.fromkeys([form for part in usable for form in (folded(part), part.lower())]))
