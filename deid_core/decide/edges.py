"""Cuts from a span what is no part of it: "MTA Anna Muster", "Herr Muster vom", "JAN MUSTER HAT", "Nr. 4711."

What finds names by their surroundings, the CRFs most of all, draws the edge a word too far where a role or a small
word of the sentence joins on. Cut are words of closed lists alone, each parted by a blank from a name that is left, and
no word that a list has as a surname: "Vetter Anna" may be anybody's cousin, or Anna Vetter. Of an identifier the
sentence's full stop is cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from deid_core.gazetteer.compiled import Gazetteer
from deid_core.labels import Label
from deid_core.recognise.base import Document
from deid_core.recognise.context.triggers import (
    AGENT,
    ALSO_SURNAMES,
    CIVIL,
    DICTATED,
    FIELD,
    INITIAL,
    KIN,
    ROLE,
    SALUTE,
    SIGNED,
    trigger_bits,
)
from deid_core.recognise.terms import touched_tokens
from deid_core.recognise.wordlists import SURNAME, word_bits
from deid_core.spans import Span
from deid_core.tokens import Vocabulary
from deid_core.word_types import TypeColumn

_ANNOUNCE = ROLE | CIVIL | KIN | FIELD | SALUTE | SIGNED | DICTATED | AGENT
_SMALL_BEFORE = frozenset(
    "dem das die ihr ihre sein seine mit vom bei und oder an durch für fuer nach sowie als".split()
)
_ROLES_BEFORE = frozenset(
    """
    aä fä kä tä aae hf azubi hebi uass kpj mtaf praktikant praktikantin buergermeister diplompsychologe
    diplompsychologin versicherter versicherte versicherten betreuungssache versorgungssache rueckruf rückruf patho
    onko patientenblatt stationsltg benutzer benutzerin kollegen kolegin doku ausweis pass praxis heilgymnastin
    """.split()
)
"""Beside those that announce a name."""
_BEHIND = frozenset(
    """
    vom in im am an auf aus bei mit nach zu zum zur und oder ist war wird wurde wurden hat haben hatte kam kommt sowie
    für fuer über ueber durch ab als bis seit wie dass nicht sich er sie es wir uns ihm ihr ihrem ihren seinem seine
    dann noch auch da so gegen ohne um wg wg. geb geb. gb e.h. e.h eh. i.v. i.a. tel tel. telef telef. info von bringt
    holt ruft rief sagt bittet wünscht gibt gab
    """.split()
)
_ENDS_SENTENCE = re.compile(r"(?<=\d)\.\Z")
_SMALL, _CAPITALS = 1, 2
"""Bits of a word behind a name: it is written small, or so that it counts behind another word in capitals."""


class Edges:
    """Cuts the edges of spans in documents of one vocabulary."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._bits = word_bits(gazetteer, vocabulary)
        self._before = TypeColumn(vocabulary, self._is_before, bool)
        self._behind = TypeColumn(vocabulary, self._behind_bits, np.uint8)

    def cut(self, document: Document, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The spans without what is none of theirs; each keeps a letter or digit."""
        result = list(spans)
        for at, span in enumerate(spans):
            if span.label is Label.ID and _ENDS_SENTENCE.search(document.text, span.start, span.end):
                result[at] = span._replace(end=span.end - 1)
        names = [at for at, span in enumerate(spans) if span.label is Label.PER]
        if not names:
            return tuple(result)
        starts, ends = (np.array([spans[at][edge] for at in names], np.int32) for edge in (0, 1))
        touched = touched_tokens(document, starts, ends)
        types = document.tokens.types
        longer = touched[:, 1] - touched[:, 0] > 1
        last = types[touched[:, 1] - 1]
        doubtful = longer & (self._before.gather(types[touched[:, 0]]) | (self._behind.gather(last) > 0))
        for at in np.flatnonzero(doubtful).tolist():
            result[names[at]] = self._cut(document, result[names[at]], *touched[at].tolist())
        return tuple(result)

    def _cut(self, document: Document, span: Span, first: int, behind: int) -> Span:
        start, end, tokens = span.start, span.end, document.tokens
        words = [document.word(index) for index in range(first, behind)]
        while len(words) > 1 and self._is_before(words[0]) and _is_name(words[1:]):
            if not document.text[tokens.ends[first] : tokens.starts[first + 1]].isspace():
                break
            del words[0]
            first += 1
            start = int(tokens.starts[first])
        while len(words) > 1 and self._ends(words) and _is_name(words[:-1]):
            if not document.text[tokens.ends[behind - 2] : tokens.starts[behind - 1]].isspace():
                break
            del words[-1]
            behind -= 1
            end = int(tokens.ends[behind - 1])
        return span._replace(start=start, end=end)

    def _ends(self, words: Sequence[str]) -> bool:
        bits = self._behind_bits(words[-1])
        return bits == _SMALL or (bits == _CAPITALS and words[-2].isupper())

    def _is_before(self, word: str) -> bool:
        small = word.lower()
        if small in _SMALL_BEFORE:
            return word.islower() or word.isupper()
        if small not in _ROLES_BEFORE:
            bits = trigger_bits(word)
            if not bits & _ANNOUNCE or bits & INITIAL or small in ALSO_SURNAMES:
                return False
        return not self._bits.of(word.capitalize()) & SURNAME

    def _behind_bits(self, word: str) -> int:
        small = word.lower()
        if small in _BEHIND:
            return _SMALL if word.islower() else _CAPITALS if word.isupper() and len(word) > 1 else 0
        return _SMALL if word.islower() and trigger_bits(word) & ROLE and small not in ALSO_SURNAMES else 0


def _is_name(words: Sequence[str]) -> bool:
    """Whether one of these words can be what the span is about."""
    return any(len(word) > 1 and any(map(str.isalpha, word)) for word in words)
