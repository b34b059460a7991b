"""Cuts from a span what is no part of it: "MTA Anna Muster", "Herr Muster vom", "JAN MUSTER WIRD", "Nr. 4711."

What finds names by their surroundings, the CRFs most of all, draws the edge a word too far where a role or a small
word of the sentence joins on. A word that is cut can be read, so it must be no name in any language: cut are the words
of the lists below alone, never one that a list has as a name, and from a name's front only where nothing before it
announces a name ("Frau Oa Muster" may be her name). Of an identifier the sentence's full stop is cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from deid_core.core.labels import Label
from deid_core.core.spans import Span
from deid_core.lexicon.cue_words import CueFlag, cue_flags
from deid_core.lexicon.flags import GIVEN_NAME, SURNAME, word_flags
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.text.document import Document
from deid_core.text.token_ranges import touched_tokens
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_SALUTATION = CueFlag.SALUTATION.value
_TITLE = CueFlag.TITLE.value
_ABBREVIATED_ROLES = frozenset("MTA MTAF MTRA MFA PJ KPJ OA OÄ AÄ FÄ KÄ DSA DGKP DGKS UAss Azubi Patho".split())
"""As they are written: "Ha", "Ata", "Pat", "Kok" are names as well, and not only in small letters."""
_ROLES = frozenset(
    """
    oberarzt oberärztin assistenzarzt assistenzärztin stationsarzt stationsärztin chefarzt chefärztin hausarzt
    hausärztin turnusarzt turnusärztin kollegen kollegin kolegin patientin patienten tochter ehefrau schwester hebamme
    heilgymnastin physiotherapeut physiotherapeutin ergotherapeut ergotherapeutin logopädin sozialarbeiter
    sozialarbeiterin psychologin diplompsychologe diplompsychologin praktikant praktikantin rechtsanwältin
    buergermeister bewohnerin versicherter versicherte versicherten betreuungssache versorgungssache patientenblatt
    stationsltg rueckruf rückruf benutzer benutzerin ausweis praxis diktat diktiert freigabe geschrieben
    """.split()
)
_SMALL_BEFORE = frozenset("dem die ihr ihre mit und oder durch für sowie".split())
_BEHIND = frozenset(
    """
    und oder ist wird wurde wurden haben hatte kommt nicht sich vom gegen wegen sowie wünscht wuenscht bittet besprochen
    berichtet geb geb.
    """.split()
)
_BEHIND_CAPITALISED = _BEHIND | frozenset(
    """
    in im am an auf aus bei mit nach von zu zum zur war hat kam für fuer über ueber durch ab als bis seit wie dass er
    sie es wir uns ihm ihr ihrem ihren seinem seine dann noch auch da so ohne um bringt holt ruft rief sagt gibt gab pj
    tel tel. telef telef. wg wg. info
    """.split()
)
"""Behind a word with a capital these are small words, in a letter without capitals they may be a name."""
_SIGNED_BEHIND = frozenset("e.h. i.A. i.V.".split())
_MOST_CUT = 3
"""Words at each end: who finds more of them there found no name."""
_ENDS_SENTENCE = re.compile(r"(?<=\d)\.\Z")


class BoundaryTrimmer:
    """Cuts the edges of spans in documents of one vocabulary."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._names = word_flags(gazetteer, vocabulary)
        self._before = TypeFeature(vocabulary, self._may_be_before, bool)
        self._behind = TypeFeature(vocabulary, self._may_be_behind, bool)

    def cut(self, document: Document, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The spans without what is none of theirs; each keeps a letter or digit."""
        result = list(spans)
        for at, span in enumerate(spans):
            if span.label is Label.ID and _ENDS_SENTENCE.search(document.text, span.start + 1, span.end):
                result[at] = span._replace(end=span.end - 1)
        names = [at for at, span in enumerate(spans) if span.label is Label.PER]
        starts, ends = (np.array([spans[at][edge] for at in names], np.int32) for edge in (0, 1))
        touched = touched_tokens(document, starts, ends)
        longer = np.flatnonzero(touched[:, 1] - touched[:, 0] > 1)
        types = document.tokens.types
        first, last = types[touched[longer, 0]], types[touched[longer, 1] - 1]
        for at in longer[self._before.gather(first) | self._behind.gather(last)].tolist():
            result[names[at]] = self._cut(document, result[names[at]], *touched[at].tolist())
        return tuple(result)

    def _cut(self, document: Document, span: Span, first: int, behind: int) -> Span:
        start, end, tokens = span.start, span.end, document.tokens
        if not self._is_announced(document, first):
            for _ in range(_MOST_CUT):
                if not (_has_name(document, first + 1, behind) and self._is_before(document, first)):
                    break
                first += 1
                start = int(tokens.starts[first])
        for _ in range(_MOST_CUT):
            if not (_has_name(document, first, behind - 1) and self._is_behind(document, behind - 1)):
                break
            behind -= 1
            end = int(tokens.ends[behind - 1])
        return span._replace(start=start, end=end)

    def _is_announced(self, document: Document, first: int) -> bool:
        """Whether what stands before announces a name: a salutation, a title or a field's colon."""
        if not first or document.tokens.breaks[first]:
            return False
        before = document.word(first - 1)
        return before == ":" or bool(cue_flags(before) & (_SALUTATION | _TITLE))

    def _is_before(self, document: Document, index: int) -> bool:
        return self._may_be_before(document.word(index)) and _is_parted(document, index + 1)

    def _may_be_before(self, word: str) -> bool:
        """Whether a word can be cut before another."""
        if word in _SMALL_BEFORE or word in _ABBREVIATED_ROLES:
            return not self._is_listed(word)
        return word.lower() in _ROLES and not self._is_listed(word)

    def _is_behind(self, document: Document, index: int) -> bool:
        word, before = document.word(index), document.word(index - 1)
        if not self._may_be_behind(word) or not _is_parted(document, index):
            return False
        if word.islower():
            return word in _BEHIND or (before[0].isupper() and not before.isupper())
        return word in _SIGNED_BEHIND or before.isupper()

    def _may_be_behind(self, word: str) -> bool:
        """Whether a word can be cut behind another; in capitals only one that is a name in no language."""
        if word in _SIGNED_BEHIND:
            return True
        known = word in _BEHIND_CAPITALISED if word.islower() else word.isupper() and word.lower() in _BEHIND
        return known and not self._is_listed(word)

    def _is_listed(self, word: str) -> bool:
        return bool(self._names.of(word.capitalize()) & (SURNAME | GIVEN_NAME))


def _is_parted(document: Document, index: int) -> bool:
    """Whether a blank alone parts the token at `index` from the one before."""
    tokens = document.tokens
    return document.text[tokens.ends[index - 1] : tokens.starts[index]].isspace()


def _has_name(document: Document, first: int, behind: int) -> bool:
    """Whether one of these tokens can be what the span is about; the first and the last few are asked."""
    asked = [*range(first, min(behind, first + _MOST_CUT + 1)), *range(max(first, behind - _MOST_CUT - 1), behind)]
    return any(len(word) > 1 and any(map(str.isalpha, word)) for word in map(document.word, asked))
