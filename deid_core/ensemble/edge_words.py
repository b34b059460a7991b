"""Trims words that are no part of a name from its edges: "MTA Anna Muster", "Herr Muster vom", "JAN MUSTER WIRD".

A trimmed word becomes readable, so it must not be a name in any language. Lists say which words are trimmed: those of
gazetteers/lists/ensemble, and after a name stop words of the gazetteer in small letters; never a word that a gazetteer
has as a name. In a family history a name ends before a disease: "Vater Hans Kolon-Ca.", "Mutter Anna Mamma Ca". Nothing
is trimmed from the front of a name that is announced, because in "Frau Oa Muster" the word may be her name, and nothing
is of a word that a line end divides ("XYLAN-" and "der"). Before and after places and organisations only function words
are trimmed: "aus Musterstadt der".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.core.word_lists import word_set
from deid_core.ensemble.name_splitting import PARTICLES
from deid_core.ensemble.settings import BoundaryTrimmingSettings
from deid_core.lexicon.cue_words import CueFlag, cue_flags
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.word_flags import listed_names, word_flags
from deid_core.text.divided_words import BETWEEN_PARTS
from deid_core.text.document import Document
from deid_core.text.token_ranges import overlapping_tokens
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_ANNOUNCES_NAME = (CueFlag.SALUTATION | CueFlag.TITLE).value
_EXACT_BEFORE = word_set("ensemble/role-abbreviations", "ensemble/function-words-before-names")
"""Compared as they are written: "Ha", "Ata", "Pat", "Kok" are also names, and not only in small letters."""
_SHORTEST_CUE = 6
"""Letters of a cue word that is cut: "Kok", "Oma", "Sani" and "Sohn" are names as well."""
_ROLES = word_set("ensemble/role-words") | {
    word
    for word in word_set("cue_words/kinship", "cue_words/clinical-roles", "cue_words/civil-roles")
    - word_set("cue_words/also-surnames", "ensemble/roles-that-are-names")
    if len(word) >= _SHORTEST_CUE
}
_AFTER = word_set("ensemble/words-after-names")
_AFTER_CAPITALISED = _AFTER | word_set("ensemble/words-after-capitalised-names")
_EXACT_AFTER = word_set("ensemble/exact-words-after-names")
_BEFORE_NUMBER = word_set("ensemble/abbreviations-before-numbers")
_NUMBER = re.compile(r"\.?[ \t]*\d{1,5}(?![\d./-])")
"""Of a room or an extension: no date and no whole telephone number."""
_BEFORE_PLACES = word_set("ensemble/function-words-before-places")
_DISEASES = tuple(word_set("ensemble/diseases-after-names"))
_ORGANS = word_set("ensemble/organs-before-tumours")
_CANCER = "ca"
_TUMOURS = frozenset({_CANCER, "karzinom", "carcinom", "tumor"})
_PLACES = frozenset({Label.LOC, Label.ORG})
_MAY_CONTINUE = frozenset({Label.PER, Label.LOC})
"""Labels of spans that may be the rest of a name: "Cosima von der" and "Hellen", which the model takes for a place."""


class EdgeWords:
    """Trims the edges of spans in documents of one vocabulary."""

    def __init__(self, settings: BoundaryTrimmingSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._max_words = settings.max_words
        self._flags = word_flags(gazetteer, vocabulary)
        self._stop_words = stop_words = gazetteer.lowered("stop_word")
        self._before_names = TypeFeature(vocabulary, self._is_no_name_before, bool)
        self._after_names = TypeFeature(vocabulary, self._is_no_name_after, bool)
        self._before_places = TypeFeature(vocabulary, lambda word: word in _BEFORE_PLACES, bool)
        self._after_places = TypeFeature(vocabulary, lambda word: word.islower() and word in stop_words, bool)

    def trim(self, document: Document, spans: Sequence[Span], cut: list[Span]) -> list[Span]:
        """Return the spans, as many and in the same order; each keeps a word. cut: gets what is cut."""
        result, text = list(spans), document.text
        continuing = {span.start for span in spans if span.label in _MAY_CONTINUE}
        people = [at for at, span in enumerate(spans) if span.label is Label.PER]
        places = [at for at, span in enumerate(spans) if span.label in _PLACES]
        for of_label, before, after, trim in (
            (people, self._before_names, self._after_names, self._trim_name),
            (places, self._before_places, self._after_places, self._trim_place),
        ):
            starts, ends = (np.array([spans[at][edge] for at in of_label], np.int32) for edge in (0, 1))
            touched = overlapping_tokens(document, starts, ends)
            of_several = np.flatnonzero(touched[:, 1] - touched[:, 0] > 1)
            types = document.tokens.types
            candidates = before.gather(types[touched[of_several, 0]]) | after.gather(types[touched[of_several, 1] - 1])
            for number in of_several[candidates].tolist():
                span = spans[of_label[number]]
                shorter = trim(document, span, *touched[number].tolist())
                if span.label is Label.PER and span.end + 1 in continuing:
                    if PARTICLES.issuperset(text[shorter.end : span.end].lower().split()):
                        shorter = shorter._replace(end=span.end)
                result[of_label[number]] = shorter
                if shorter.start > span.start:
                    cut.append(span._replace(end=span.start + len(text[span.start : shorter.start].rstrip())))
                if shorter.end < span.end:
                    cut.append(span._replace(start=span.end - len(text[shorter.end : span.end].lstrip())))
        return result

    def _trim_place(self, document: Document, span: Span, start_token: int, end_token: int) -> Span:
        tokens = document.tokens
        for _ in range(self._max_words):
            # "Am Markt 3" is a street, and in a text in small letters "am" may belong to any name.
            is_before = self._before_places.of(document.word(start_token)) and span.type is not PhiType.STREET
            if not (is_before and start_token + 1 < end_token and document.word(start_token + 1)[0].isupper()):
                break
            start_token += 1
            span = span._replace(start=int(tokens.starts[start_token]))
        for _ in range(self._max_words):
            is_after = start_token + 1 < end_token and self._after_places.of(document.word(end_token - 1))
            if not is_after or _ends_divided_word(document, end_token - 1):
                break
            end_token -= 1
            span = span._replace(end=int(tokens.ends[end_token - 1]))
        return span

    def _trim_name(self, document: Document, span: Span, start_token: int, end_token: int) -> Span:
        start, end, tokens = span.start, span.end, document.tokens
        if not is_announced(document, start_token):
            for _ in range(self._max_words):
                has_name = self._has_name(document, start_token + 1, end_token)
                if not (has_name and self._can_cut_first(document, start_token)):
                    break
                start_token += 1
                start = int(tokens.starts[start_token])
        for _ in range(self._max_words):
            has_name = self._has_name(document, start_token, end_token - 1)
            if not (has_name and self._can_cut_last(document, end_token - 1)):
                break
            end_token -= 1
            end = int(tokens.ends[end_token - 1])
        return span._replace(start=start, end=end)

    def _can_cut_first(self, document: Document, token: int) -> bool:
        """Whether the first word of a name is trimmed here."""
        return self._is_no_name_before(document.word(token)) and _follows_blank(document, token + 1)

    def _can_cut_last(self, document: Document, token: int) -> bool:
        """Whether the last word of a name is trimmed here."""
        word, before = document.word(token), document.word(token - 1)
        if not self._is_no_name_after(word) or not _follows_blank(document, token):
            return False
        if _ends_divided_word(document, token):
            return False
        if word in _BEFORE_NUMBER:
            return _NUMBER.match(document.text, int(document.tokens.ends[token])) is not None
        stem = _stem(word)
        if stem in _ORGANS:
            return token + 1 < len(document.tokens) and _stem(document.word(token + 1)) in _TUMOURS
        if stem == _CANCER:
            return _stem(before) in _ORGANS
        if _is_disease(stem):
            return True
        if word.islower():
            return word in _AFTER or (before[0].isupper() and not before.isupper())
        return word in _EXACT_AFTER or before.isupper()

    def _is_no_name_before(self, word: str) -> bool:
        """Whether a word before a name is a role or a function word, and no name itself."""
        return (word in _EXACT_BEFORE or _is_role(word)) and not listed_names(self._flags, word)

    def _is_no_name_after(self, word: str) -> bool:
        """Whether a word after a name is no name itself; in capitals, only one that is a name in no language."""
        stem = _stem(word)
        if word in _EXACT_AFTER or word in _BEFORE_NUMBER or _is_disease(stem) or stem in _ORGANS or stem == _CANCER:
            known = True
        elif word.islower():
            known = word in _AFTER_CAPITALISED or word in self._stop_words
        else:
            known = word.isupper() and word.lower() in _AFTER
        return known and not listed_names(self._flags, word)

    def _has_name(self, document: Document, start_token: int, end_token: int) -> bool:
        """Whether one of these tokens can be a name; only those that trimming can reach are examined."""
        reach = self._max_words + 1
        examined = [
            *range(start_token, min(end_token, start_token + reach)),
            *range(max(start_token, end_token - reach), end_token),
        ]
        return any(len(word) > 1 and any(map(str.isalpha, word)) for word in map(document.word, examined))


def _is_role(word: str) -> bool:
    """Whether the word is a role or a form word, also without umlauts: "Schwägerin", "STATIONSAERZTIN", "Brief"."""
    small = word.lower()
    return small in _ROLES or small.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü") in _ROLES


def is_announced(document: Document, start_token: int) -> bool:
    """Return whether a salutation, a title or the colon of a field comes before the name."""
    if not start_token or document.tokens.breaks[start_token]:
        return False
    before = document.word(start_token - 1)
    return before == ":" or bool(cue_flags(before) & _ANNOUNCES_NAME)


def _stem(word: str) -> str:
    """Return a word as lists of diseases have it."""
    return word.lower().rstrip(".")


def _is_disease(stem: str) -> bool:
    """Whether a word is a disease or a compound of one; after a hyphen only of an organ: "Müller-Karzinom" is none."""
    organ, hyphen, _ = stem.rpartition("-")
    return stem.endswith(_DISEASES) and (not hyphen or organ in _ORGANS)


def _follows_blank(document: Document, token: int) -> bool:
    """Whether only blanks separate the token from the one before."""
    tokens = document.tokens
    return document.text[tokens.ends[token - 1] : tokens.starts[token]].isspace()


def _ends_divided_word(document: Document, token: int) -> bool:
    """Whether the token is the second part of a word that a line end divides."""
    tokens = document.tokens
    return BETWEEN_PARTS.fullmatch(document.text, tokens.ends[token - 1], tokens.starts[token]) is not None
