"""Recogniser `header`: words of the header and their spelling variants, wherever they stand in the note.

Untyped (pipeline `variants`) it is seed 000's step 1: every word of the header less a stop list is a search term,
and each word of the note with R = d / min(|n|, |w|) below the threshold is detected, without a label of its own.
Typed (pipeline `default`) the header's fields give the label; words of the header that no field explains still
count, unlabelled, unless they are common words; a variant that is itself a common word is left alone.
Numbers are no search terms: an edit distance between numbers is no misspelling; patterns find them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.config import HeaderSettings
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.header.fields import Field, FieldKind, header_fields
from deid_core.header.locate import Role, locate
from deid_core.header.variants import closest
from deid_core.labels import Label, PhiType, label_of
from deid_core.recognise.base import Document
from deid_core.recognise.wordlists import CAPITALISED, COMMON, IS_WORD, STOP, word_bits
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary

_FOLD = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "á": "a", "ı": "i", "ş": "s", "ç": "c"}
)
_TERM_FIELDS = frozenset({FieldKind.NAME, FieldKind.STREET, FieldKind.TOWN, FieldKind.INSTITUTION})
_MIN_PART = 3
"""Shorter parts of a hyphenated word are no search terms of their own."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A search term: its string as it is compared and the type it gives; OTHER for none."""

    word: str
    type: PhiType


class HeaderRecogniser:
    """Header words and their variants; see the module."""

    kind = "header"

    def __init__(self, settings: HeaderSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._max_ratio = settings.max_ratio
        self._typed = settings.typed
        self._bits = word_bits(gazetteer, vocabulary)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Detections of header words, and in typed mode of the fields at their place."""
        if not len(document.tokens):
            return []
        return list(self._with_fields(document) if self._typed else self._untyped(document))

    def _untyped(self, document: Document) -> Iterator[Detection]:
        bits = self._bits.gather(document.tokens.types)
        in_header = _inside(document, [(p.start, p.end) for p in locate(document.note)])
        terms = np.unique(document.tokens.types[in_header & ((bits & (IS_WORD | STOP)) == IS_WORD)])
        if not len(terms):
            terms = self._introduced(document)
        words = document.vocabulary.words
        candidates = np.unique(document.tokens.types[(bits & (IS_WORD | STOP)) == IS_WORD])
        found, ratio = closest([words[t] for t in terms], [words[t] for t in candidates], self._max_ratio)
        scores = dict(zip(candidates[found >= 0].tolist(), (1 - ratio[found >= 0]).tolist(), strict=True))
        for index, word_type in _having(document, candidates[found >= 0]):
            yield self._detection(document, index, PhiType.OTHER, "variant", scores[word_type])

    def _introduced(self, document: Document) -> npt.NDArray[np.int32]:
        """Without header words: those of the fields that the introducing sentence gives."""
        ranges = [(f.start, f.end) for f in header_fields(document.note) if f.kind in _TERM_FIELDS]
        bits = self._bits.gather(document.tokens.types)
        return np.unique(document.tokens.types[_inside(document, ranges) & ((bits & (IS_WORD | STOP)) == IS_WORD)])

    def _with_fields(self, document: Document) -> Iterator[Detection]:
        fields = header_fields(document.note)
        for field in fields:
            if document.text[field.start : field.end].strip():
                yield Detection(
                    field.start, field.end, label_of(field.type), field.type, self.kind, f"field.{field.kind}", 0.9
                )
        bits = self._bits.gather(document.tokens.types)
        terms = self._terms(document, fields, bits)
        if not terms:
            return
        words = document.vocabulary.words
        candidates = np.unique(document.tokens.types[(bits & (IS_WORD | STOP)) == IS_WORD])
        parts = [(number, part) for number in candidates.tolist() for part in _parts(words[number])]
        found, ratio = closest([t.word for t in terms], [_folded(part) for _, part in parts], self._max_ratio)
        best: dict[int, tuple[float, PhiType]] = {}
        for at in np.flatnonzero(found >= 0).tolist():
            number, part = parts[at]
            term, r = terms[int(found[at])], float(ratio[at])
            if self._acceptable(words[number], part, term, r) and r < best.get(number, (np.inf, term.type))[0]:
                best[number] = (r, term.type)
        for index, number in _having(document, np.array(sorted(best), np.int32)):
            r, phi = best[number]
            yield self._detection(document, index, phi, "variant" if r else "word", 1 - r)

    def _terms(self, document: Document, fields: list[Field], bits: npt.NDArray[np.uint32]) -> list[_Term]:
        """Search terms of the fields, then of the header's other words; a word's first type stands."""
        terms: dict[str, PhiType] = {}
        usable = (bits & (IS_WORD | STOP | CAPITALISED)) == IS_WORD | CAPITALISED
        rare = usable & ((bits & COMMON) == 0)
        for field in sorted(fields, key=_precedence):
            if field.kind in _TERM_FIELDS:
                chosen = rare if field.kind is FieldKind.INSTITUTION else usable
                self._collect(document, chosen & _inside(document, [(field.start, field.end)]), field.type, terms)
        parts = [(p.start, p.end) for p in locate(document.note) if p.role is not Role.PROPERTY]
        properties = [(p.start, p.end) for p in locate(document.note) if p.role is Role.PROPERTY]
        self._collect(document, rare & _inside(document, parts + properties), PhiType.OTHER, terms)
        return [_Term(word, phi) for word, phi in terms.items()]

    def _collect(
        self, document: Document, mask: npt.NDArray[np.bool_], phi: PhiType, terms: dict[str, PhiType]
    ) -> None:
        for index in np.flatnonzero(mask).tolist():
            for part in _parts(document.word(index)):
                terms.setdefault(_folded(part), phi)

    def _acceptable(self, word: str, part: str, term: _Term, ratio: float) -> bool:
        """Whether the variant may stand: capitalised, and a common word only if it is the very word."""
        if not part[0].isupper():
            return False
        bits = int(self._bits.of(word)) | int(self._bits.of(part))
        if bits & STOP:
            return False
        return not ratio or not bits & COMMON

    def _detection(self, document: Document, index: int, phi: PhiType, rule: str, score: float) -> Detection:
        start, end = int(document.tokens.starts[index]), int(document.tokens.ends[index])
        label = label_of(phi) if phi is not PhiType.OTHER else Label.OTHER
        return Detection(start, end, label, phi, self.kind, rule, round(score, 3))


def _precedence(field: Field) -> tuple[int, int]:
    """Names before towns, streets and institutions: a person's word in a hospital's name stays a person's."""
    order = (FieldKind.NAME, FieldKind.TOWN, FieldKind.STREET, FieldKind.INSTITUTION)
    return (order.index(field.kind) if field.kind in order else len(order), field.start)


def _inside(document: Document, ranges: list[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    """Which tokens lie wholly in one of the ranges; shape (tokens,)."""
    mask = np.zeros(len(document.tokens), bool)
    for start, end in ranges:
        first = int(np.searchsorted(document.tokens.starts, start))
        last = int(np.searchsorted(document.tokens.ends, end, side="right"))
        mask[first:last] = True
    return mask


def _having(document: Document, types: npt.NDArray[np.int32]) -> Iterator[tuple[int, int]]:
    """(token index, type) of all tokens of these types, ascending."""
    hits = np.flatnonzero(np.isin(document.tokens.types, types))
    yield from zip(hits.tolist(), document.tokens.types[hits].tolist(), strict=True)


def _parts(word: str) -> list[str]:
    """The word and, if it is hyphenated, its parts of three letters and more."""
    if "-" not in word:
        return [word]
    return [word, *(part for part in word.split("-") if len(part) >= _MIN_PART and part[0].isalpha())]


def _folded(word: str) -> str:
    """Lower case, umlauts and accents written out: Müller and MUELLER are the same name."""
    return word.lower().translate(_FOLD)
