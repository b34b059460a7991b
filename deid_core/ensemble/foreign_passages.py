"""Corrects the spans of lines in another language, by what holds in any language with capitals.

The models learned German, where every noun has a capital and an unknown word in small letters may be a name that was
written carelessly. In English, French, Italian or Turkish a word in small letters is no name, and a capital within a
sentence is one. So in such lines (text/language.py) a span of the models loses its words in small letters, a single
word that opens a sentence stays only if a list has it as a name, and in prose (a line of eight or more words, most of
them in small letters) a capital within a sentence becomes a name, unless the word is a common one. After a salutation
or title no word opens a sentence. Streets, and what a rule of recogniser `pattern` found, stay as they are. In a script
without capitals nothing is changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from deid_core.core.labels import LABELS, Label, PhiType
from deid_core.core.spans import Dropped, DropReason, Span
from deid_core.core.word_lists import word_set
from deid_core.lexicon.cue_words import CueFlag, cue_flags
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.name_regexes import PARTICLES
from deid_core.lexicon.word_flags import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME, word_flags
from deid_core.text.document import Document
from deid_core.text.language import ForeignLines, LanguageFinder
from deid_core.text.token_ranges import overlapping_tokens
from deid_core.text.vocabulary import Vocabulary

KIND = "foreign"
_RULE, _SCORE = "capitalised", 0.5
_BY_MODEL = frozenset({"stacking", "crf"})
"""Kinds whose spans may be a German model's misunderstanding."""
_ANNOUNCING = frozenset({Label.SALUTE, Label.TITLE})
_NOT_NAMES = word_set("languages/not-names")
_OPENS = frozenset('.:!?"„“”»«(-–•*/')
"""Marks after which a capital says nothing."""
_PROSE_WORDS, _PROSE_SHARE = 8, 0.7
"""Least number of words, and share of them in small letters, of a line that is no heading."""
_MIN_LETTERS = 3


class ForeignPassages:
    """Corrects spans in documents of one vocabulary; see the module."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._languages = LanguageFinder(vocabulary)
        self._flags = word_flags(gazetteer, vocabulary)
        self._towns = gazetteer.words("town")

    def find(self, document: Document) -> ForeignLines | None:
        """Return the foreign lines of a document, None if it is German throughout."""
        return self._languages.find(document)

    def correct(
        self, document: Document, spans: Sequence[Span], foreign: ForeignLines
    ) -> tuple[tuple[Span, ...], list[Dropped]]:
        """Return the spans with corrections, ascending, and what was left out of them."""
        bounds = (np.array([span[edge] for span in spans], np.int32) for edge in (0, 1))
        touched = overlapping_tokens(document, *bounds).tolist()
        announced = {end for span, (_, end) in zip(spans, touched, strict=True) if span.label in _ANNOUNCING}
        view = _View(document, foreign, self._flags.gather(document.tokens.types), self._towns, announced)
        kept: list[Span] = []
        dropped: list[Dropped] = []
        covered = np.zeros(len(document.tokens), np.bool_)
        for span, (start_token, end_token) in zip(spans, touched, strict=True):
            covered[start_token:end_token] = True
            if not view.is_doubtful(span, start_token, end_token):
                kept.append(span)
                continue
            names = list(view.names(span, start_token, end_token))
            kept += names
            at = span.start
            for name in (*names, None):
                end = name.start if name else span.end
                if any(map(str.isalnum, document.text[at:end])):
                    dropped.append(Dropped.from_detection(span._replace(start=at, end=end), DropReason.FOREIGN))
                at = name.end if name else at
        kept += view.capitalised(covered)
        return tuple(sorted(kept)), dropped


class _View:
    """A document with what is known of its words."""

    def __init__(
        self,
        document: Document,
        foreign: ForeignLines,
        flags: np.typing.NDArray[np.uint32],
        towns: frozenset[str],
        announced: Collection[int],
    ) -> None:
        """announced: the tokens that follow a salutation or title."""
        self._document, self._foreign, self._flags = document, foreign, flags
        self._towns, self._announced = towns, announced

    def is_doubtful(self, span: Span, start_token: int, end_token: int) -> bool:
        """Whether a model alone found the span in a foreign line; a street, which has small letters, is not."""
        if not self._foreign.tokens[start_token:end_token].all() or LABELS[span.label].has_form:
            return False
        return span.recogniser in _BY_MODEL and "pattern." not in span.rule and span.type is not PhiType.STREET

    def names(self, span: Span, start_token: int, end_token: int) -> Iterator[Span]:
        """Yield what may be names in a doubtful span: runs of capitalised words with particles between."""
        tokens = self._document.tokens
        at = start_token
        while at < end_token:
            if not self._may_be_name(at):
                at += 1
                continue
            first, last = at, at
            while at < end_token and (self._may_be_name(at) or self._joins(at)):
                last = at if self._may_be_name(at) else last
                at += 1
            if first == last and self._opens(first) and not self._is_listed(first):
                continue
            if (first, last) == (start_token, end_token - 1):
                yield span
            else:
                yield span._replace(start=int(tokens.starts[first]), end=int(tokens.ends[last]))

    def capitalised(self, covered: np.typing.NDArray[np.bool_]) -> Iterator[Span]:
        """Yield the words with a capital within the sentences of foreign prose that no span covers."""
        tokens, flags = self._document.tokens, self._flags
        lines = np.cumsum(tokens.breaks)
        is_word = flags & IS_WORD != 0
        words = np.bincount(lines, is_word)
        small = np.bincount(lines, is_word & (flags & CAPITALISED == 0))
        prose = (words >= _PROSE_WORDS) & (small >= _PROSE_SHARE * words)
        free = (flags & (CAPITALISED | COMMON | STOP) == CAPITALISED) & ~covered & self._foreign.tokens & prose[lines]
        for at in np.flatnonzero(free & ~self._foreign.frequent).tolist():
            word = self._document.word(at)
            if len(word) < _MIN_LETTERS or not word[1:].islower() or word in _NOT_NAMES or self._opens(at):
                continue
            if not cue_flags(word) & CueFlag.NEVER_IN_NAME.value:
                yield Span(int(tokens.starts[at]), int(tokens.ends[at]), Label.PER, PhiType.PERSON, KIND, _RULE, _SCORE)

    def _may_be_name(self, at: int) -> bool:
        word = self._document.word(at)
        if word[0].lower() == word[0].upper():
            # A letter of a script without capitals.
            return word[0].isalpha()
        return word[0].isupper() and not self._foreign.frequent[at] and word not in _NOT_NAMES

    def _joins(self, at: int) -> bool:
        """Whether a token may stand between the words of a name."""
        return self._document.word(at) in PARTICLES or self._document.word(at) in {"-", "'", "’", ".", ",", "di", "du"}

    def _opens(self, at: int) -> bool:
        if at in self._announced:
            return False
        if at == 0 or self._document.tokens.breaks[at]:
            return True
        before = self._document.word(at - 1)
        # The full stop of an abbreviation may end a sentence, that of an initial does not: "ng/l. The", "J. Muster".
        return before in _OPENS or (before[-1] == "." and not before[0].isupper())

    def _is_listed(self, at: int) -> bool:
        flags = int(self._flags[at])
        return bool(flags & (GIVEN_NAME | SURNAME) and not flags & COMMON) or self._document.word(at) in self._towns
