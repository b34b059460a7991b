"""Recogniser `letterhead`: words of the header and their spelling variants, everywhere in the note.

Untyped (pipelines `variants`, `full`) it is step 1 of seed 000: every word of the header less a stop list is a search
term, and each word of the note with R = d / min(|n|, |w|) below the threshold is detected, without a label of its own.
The header is what looks like a letterhead (letterhead/parts.py). Its numbers, and whole names, addresses and
institutions, are detected where they stand. Numbers, single letters, stop words and common or medical words are no
search terms: an edit distance between numbers is no misspelling, and "rechts" or "Hypertonie" in a header is no reason
to remove it from the letter.
Typed (pipeline `default`) only words of the header's fields are search terms, and the fields give the label;
letterhead/name_forms.py finds their forms. Other header words are left to the other recognisers: in 110 training
letters they were form words and disciplines 600 times, and 3 times a name that nothing else found.
What is known of the note's people from elsewhere (`Document.known`) joins the search terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import numpy as np

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.letterhead.field_kinds import Field, FieldKind
from deid_core.letterhead.fields import header_fields
from deid_core.letterhead.fuzzy_match import MIN_VARIANT, closest
from deid_core.letterhead.name_forms import form_finder
from deid_core.letterhead.parts import Part, header_of, letterhead_parts
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.word_flags import COMMON, NAMEABLE, NAMEABLE_OR_STOP, word_flags
from deid_core.recognisers.settings import LetterheadSettings
from deid_core.text.document import Document
from deid_core.text.folding import folded, parts
from deid_core.text.header_end import INTRODUCING
from deid_core.text.token_ranges import detection_of, is_within, token_ranges, tokens_of_types
from deid_core.text.tokens import NUMBER, TOKEN, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_TERM_KINDS = (FieldKind.NAME, FieldKind.TOWN, FieldKind.STREET)
"""Fields whose words are search terms, names first; recogniser institution handles those of institutions."""
_WHOLE_KINDS = (*_TERM_KINDS, FieldKind.INSTITUTION)
"""Untyped, fields of these kinds are detected with all their tokens."""
FIELD_RULES = {kind: f"field.{kind}" for kind in FieldKind}
"""The rule of the detection of a whole field."""
_WORD, _VARIANT = "word", "variant"
FORM_RULES = frozenset((_WORD, _VARIANT))
"""The rules of the detections of a form of a field's word, somewhere in the note."""

_LONGEST_DEGREE = 3
"""Words in capitals up to this length are no search terms."""


def _introduces(word: str) -> bool:
    """Return whether the word may be in a sentence that introduces the patient."""
    lower = word.lower()
    return any([stem in lower for stem in INTRODUCING])


class LetterheadRecogniser:
    """Finds header words and their variants; see the module."""

    kind = "letterhead"

    def __init__(self, settings: LetterheadSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._max_ratio = settings.max_ratio
        self._typed = settings.typed
        self._bits = word_flags(gazetteer, vocabulary)
        self._forms = form_finder(gazetteer, vocabulary)
        self._numbers = TypeFeature(vocabulary, lambda word: token_kind(word) == NUMBER, bool)
        self._is_term = TypeFeature(vocabulary, self._is_untyped_term, bool)
        self._terms_of_type = cache(lambda number: self._terms_of(vocabulary.words[number]))
        self._introduces = TypeFeature(vocabulary, _introduces, bool)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Return detections of header words and, if typed, of the fields themselves.

        Raises NoteError if header and note have too many words to compare.
        """
        if not len(document.tokens):
            return []
        if self._typed:
            return self._with_fields(document, header_of(document))
        return list(self._untyped(document, letterhead_parts(document.note, document.header_end)))

    def _untyped(self, document: Document, header: Sequence[Part]) -> Iterator[Detection]:
        types = document.tokens.types
        fields = is_within(document, self._fields(document, header))
        in_header = is_within(document, [(part.start, part.end) for part in header])
        is_term = self._is_term.gather(types)
        words = document.vocabulary.words
        terms = [words[t] for t in np.unique(types[(in_header | fields) & is_term])]
        terms += [word for text, _ in document.known for word in TOKEN.findall(text) if self._is_untyped_term(word)]
        candidates = np.unique(types[is_term])
        found, ratio = closest(terms, [words[t] for t in candidates], self._max_ratio)
        scores = dict(zip(candidates[found >= 0].tolist(), (1 - ratio[found >= 0]).tolist(), strict=True))
        for index, word_type in tokens_of_types(document, candidates[found >= 0]):
            yield detection_of(document, index, index + 1, PhiType.OTHER, self.kind, _VARIANT, scores[word_type])
        for index in np.flatnonzero(fields | (in_header & self._numbers.gather(types))).tolist():
            if types[index] not in scores:
                rule = "field" if fields[index] else "number"
                yield detection_of(document, index, index + 1, PhiType.OTHER, self.kind, rule, 1.0)

    def _is_untyped_term(self, word: str) -> bool:
        """Return whether a word of the letterhead is searched for in the note."""
        return len(word.rstrip(".")) > 1 and self._bits.of(word) & (NAMEABLE_OR_STOP | COMMON) == NAMEABLE

    def _fields(self, document: Document, header: Sequence[Part]) -> list[tuple[int, int]]:
        """Return the ranges of names, addresses and institutions in the header and the introducing sentence."""
        found = header_fields(document.note, header, self._introductions(document))
        return [(field.start, field.end) for field in found if field.kind in _WHOLE_KINDS]

    def _with_fields(self, document: Document, header: Sequence[Part]) -> list[Detection]:
        fields = header_fields(document.note, header, self._introductions(document))
        institution = FieldKind.INSTITUTION
        # Recogniser institution decides which words are a name ("Klinik für Kardiologie" is none).
        found = [
            Detection(f.start, f.end, label_of(f.type), f.type, self.kind, FIELD_RULES[f.kind], 0.9)
            for f in fields
            if f.kind is not institution
        ]
        starts, ends = document.tokens.starts.data, document.tokens.ends.data
        for form in self._forms.find(document, self._terms(document, fields), self._max_ratio):
            index, ratio = form.index, form.ratio
            if not ratio or len(document.word(index)) >= MIN_VARIANT:
                rule, score = (_VARIANT, round(1 - ratio, 3)) if ratio else (_WORD, 1.0)
                found.append(
                    Detection(starts[index], ends[index], label_of(form.type), form.type, self.kind, rule, score)
                )
        return found

    def _terms(self, document: Document, fields: Sequence[Field]) -> dict[str, PhiType]:
        """Return the search terms of the fields, and of what is known of the note, with their types.

        The first type of a word counts.
        """
        terms: dict[str, PhiType] = {}
        searched = [f for kind in _TERM_KINDS for f in fields if f.kind is kind]
        ranges = token_ranges(document, [(f.start, f.end) for f in searched])
        # A view: few tokens are in fields.
        types = document.tokens.types.data
        for field, (start_token, end_token) in zip(searched, ranges, strict=True):
            for number in types[start_token:end_token].tolist():
                for term in self._terms_of_type(number):
                    terms.setdefault(term, field.type)
        for text, phi in document.known:
            for word in TOKEN.findall(text):
                for term in self._terms_of(word):
                    terms.setdefault(term, phi)
        return terms

    def _terms_of(self, word: str) -> tuple[str, ...]:
        """Return the folded search terms of a field's word, none if it is no name, as FMH and MBA after one."""
        nameable = self._bits.of(word) & NAMEABLE_OR_STOP == NAMEABLE
        is_degree = len(word) <= _LONGEST_DEGREE and word.isupper()
        return tuple(map(folded, parts(word))) if nameable and not is_degree else ()

    def _introductions(self, document: Document) -> list[tuple[int, int]]:
        """Return the ranges of the text in which a sentence that introduces the patient may begin.

        The introducing word is the sentence's first or second; three more words are enough to recognise it.
        """
        starts, ends = document.tokens.starts.data, document.tokens.ends.data
        places = np.flatnonzero(self._introduces.gather(document.tokens.types)).tolist()
        last = len(ends) - 1
        # One character more, so that the expression sees the end of the last word.
        return [(starts[max(0, at - 1)], ends[min(last, at + 3)] + 1) for at in places]
