"""Trims words from the edges of names of people, places and organisations, and the full stop of a sentence from
identifiers.

Context-based recognisers, above all the CRFs, tend to include one word too many when a job title or function word is
adjacent: "MTA Anna Muster", "Herr Muster vom", "JAN MUSTER WIRD", "Nr. 4711.". A trimmed word becomes readable, so it
must not be a name in any language.

Lists say which words are trimmed: those of gazetteers/lists/ensemble, and after a name stop words of the gazetteer in
small letters; never a word that a gazetteer has as a name. Nothing is trimmed from the front of a name that is
announced, because in "Frau Oa Muster" the word may be her name. Before and after places and organisations only function
words are trimmed: "aus Musterstadt der". The label of a field (a list has it) before a colon, "=" or "]" is cut from
any name; a span that is nothing else goes: "MUSTER ANNA GEB:", "Str=".

Expressions of this module say the rest. A comma goes from the end of a person's name, and a full stop after a listed
one. Two names with "und" between and initials of two people ("Mu-kb") become two spans, a surname and the given name
after its comma ("Muster, Anna") become one. "i. A." and "i. V." before a signature are cut: they are no initials.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Detection, Dropped, DropReason, Span
from deid_core.core.word_lists import word_set
from deid_core.ensemble.settings import BoundaryTrimmingSettings
from deid_core.lexicon.cue_words import CueFlag, cue_flags
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.word_flags import GIVEN_NAME, SURNAME, word_flags
from deid_core.text.document import Document
from deid_core.text.token_ranges import overlapping_tokens
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_ANNOUNCES_NAME = (CueFlag.SALUTATION | CueFlag.TITLE).value
_EXACT_BEFORE = word_set("ensemble/role-abbreviations", "ensemble/function-words-before-names")
"""Compared as they are written: "Ha", "Ata", "Pat", "Kok" are also names, and not only in small letters."""
_ROLES = word_set("ensemble/role-words")
_AFTER = word_set("ensemble/words-after-names")
_AFTER_CAPITALISED = _AFTER | word_set("ensemble/words-after-capitalised-names")
_SIGNATURE_AFTER = word_set("ensemble/signature-abbreviations")
_BEFORE_PLACES = word_set("ensemble/function-words-before-places")
_PLACES = frozenset({Label.LOC, Label.ORG})
_MAY_CONTINUE = frozenset({Label.PER, Label.LOC})
"""Labels of spans that may be the rest of a name: "Cosima von der" and "Hellen", which the model takes for a place."""
_PARTICLES = word_set("pattern/name-particles")
_FIELDS = word_set("ensemble/field-labels")
_NAMED = _PLACES | {Label.PER}
_FIELD_ENDS = re.compile(r"\.?[ \t]?[]:=]")
_AND = re.compile(r"(?<=[^\W\d_]{2})[ \t]+(?P<word>und|u\.?|UND)[ \t]+(?!zu\b|ZU\b)(?=[^\W\d_](?:[^\W\d_]|\.))")
"""Between two names: "Kim und Ali", "Sahin u. Koch", but not in "von und zu Muster"."""
_SIGNS = re.compile(r"(?P<dictated>[^\W\d_]{1,3})-(?P<typed>[a-zäöüß]{1,3})")
"""Initials of who dictated a letter and of who typed it: "Mu-kb"."""
_SIGNED_FOR = re.compile(r"(?<!\w)(?P<mark>i\.[ \t]?[AV]\b\.?)[ \t]*")
"""Im Auftrag, in Vertretung."""
_COMMA = ", "
_INITIAL = re.compile(r"[^\W\d_]\.")
_ABBREVIATION = 3
"""So many letters before a full stop may shorten a longer name, though a list has them: "Max."."""
_FULL_STOP = re.compile(r"(?:(?<=\d)|(?<=[-/\d][^\W\d_]))\.\Z")
"""That of a sentence, also after a last letter ("20934-C."), but not after an abbreviation ("4 / Hd.")."""


class TrimResult(NamedTuple):
    """Spans after trimming, and the ranges that were trimmed."""

    spans: tuple[Span, ...]
    trimmed: list[Dropped]


class BoundaryTrimmer:
    """Trims spans in documents of one vocabulary."""

    def __init__(self, settings: BoundaryTrimmingSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._max_words = settings.max_words
        self._names = word_flags(gazetteer, vocabulary)
        self._trimmable_before = TypeFeature(vocabulary, self._is_trimmable_before, bool)
        self._trimmable_after = TypeFeature(vocabulary, self._is_trimmable_after, bool)
        self._stop_words = stop_words = gazetteer.lowered("stop_word")
        self._before_place = TypeFeature(vocabulary, lambda word: word in _BEFORE_PLACES, bool)
        self._after_place = TypeFeature(vocabulary, lambda word: word.islower() and word in stop_words, bool)

    def trim(self, document: Document, spans: Sequence[Span], own: Sequence[Detection] = ()) -> TrimResult:
        """Return the spans without the words that do not belong to them; each keeps at least one letter or digit.

        Spans that are nothing but the label of a field are left out. own: detections of own words; a span that holds
        one stays as it is, also where a name is joined to the word.
        """
        result = self._trim(document, spans)
        whole = [span for span in spans if any(span.start < d.end and d.start < span.end for d in own)] if own else []
        if not whole:
            return result

        def is_free(part: Span | Dropped) -> bool:
            return not any(part.start < span.end and span.start < part.end for span in whole)

        trimmed = sorted([*whole, *filter(is_free, result.spans)])
        return TrimResult(tuple(trimmed), list(filter(is_free, result.trimmed)))

    def _trim(self, document: Document, spans: Sequence[Span]) -> TrimResult:
        spans, trimmed = self._without_fields(document, spans)
        spans = self._of_one_name_each(document, spans, trimmed)
        result = list(spans)
        for at, span in enumerate(spans):
            if span.label is Label.ID and _FULL_STOP.search(document.text, span.start + 1, span.end):
                result[at] = span._replace(end=span.end - 1)
                trimmed.append(_trimmed(span, span.end - 1, span.end))
        continuing = {span.start for span in spans if span.label in _MAY_CONTINUE}
        people = [at for at, span in enumerate(spans) if span.label is Label.PER]
        places = [at for at, span in enumerate(spans) if span.label in _PLACES]
        for of_label, before, after, trim in (
            (people, self._trimmable_before, self._trimmable_after, self._trim_name),
            (places, self._before_place, self._after_place, self._trim_place),
        ):
            starts, ends = (np.array([spans[at][edge] for at in of_label], np.int32) for edge in (0, 1))
            touched = overlapping_tokens(document, starts, ends)
            of_several = np.flatnonzero(touched[:, 1] - touched[:, 0] > 1)
            types = document.tokens.types
            candidates = before.gather(types[touched[of_several, 0]]) | after.gather(types[touched[of_several, 1] - 1])
            for number in of_several[candidates].tolist():
                span = result[of_label[number]]
                shorter = trim(document, span, *touched[number].tolist())
                if span.label is Label.PER and span.end + 1 in continuing:
                    if _PARTICLES.issuperset(document.text[shorter.end : span.end].lower().split()):
                        shorter = shorter._replace(end=span.end)
                result[of_label[number]] = shorter
                if shorter.start > span.start:
                    cut = document.text[span.start : shorter.start]
                    trimmed.append(_trimmed(span, span.start, span.start + len(cut.rstrip())))
                if shorter.end < span.end:
                    cut = document.text[shorter.end : span.end]
                    trimmed.append(_trimmed(span, span.end - len(cut.lstrip()), span.end))
        return TrimResult(tuple(result), trimmed)

    def _without_fields(self, document: Document, spans: Sequence[Span]) -> tuple[list[Span], list[Dropped]]:
        """Return the spans without the label of the field that follows a name, and what was cut."""
        result: list[Span] = []
        trimmed: list[Dropped] = []
        for span in spans:
            if span.label in _NAMED and _FIELD_ENDS.match(document.text, span.end):
                before, label = _last_word(document.text[span.start : span.end])
                # The token that the span begins in.
                first = int(document.tokens.ends.searchsorted(span.start, side="right"))
                is_alone_and_announced = not before and self._is_announced(document, first)
                if label.lower() in _FIELDS and not (is_alone_and_announced or self._is_listed_name(label)):
                    trimmed.append(_trimmed(span, span.start + before, span.end))
                    name = document.text[span.start : span.start + before].rstrip(" \t.,;/|([")
                    if name:
                        result.append(span._replace(end=span.start + len(name)))
                    continue
            result.append(span)
        return result, trimmed

    def _of_one_name_each(self, document: Document, spans: Sequence[Span], trimmed: list[Dropped]) -> list[Span]:
        """Return the spans: two for "Kim und Ali" and "Mu-kb", one for "Muster, Anna"; none ends with a comma or a
        sentence's full stop.
        """
        result: list[Span] = []
        for span in spans:
            if span.label is not Label.PER:
                result.append(span)
                continue
            if signed_for := _SIGNED_FOR.search(document.text, max(span.start - 4, 0), span.end + 4):
                if signed_for.start() <= span.start < signed_for.end():
                    trimmed.append(_trimmed(span, span.start, min(span.end, signed_for.end("mark"))))
                    if signed_for.end() >= span.end:
                        continue
                    span = span._replace(start=signed_for.end())
            if result and self._is_name_in_two_parts(document.text, result, span):
                result[-1] = result[-1]._replace(end=span.end)
                continue
            names = [span]
            if signs := _SIGNS.fullmatch(document.text, span.start, span.end):
                names = [span._replace(end=signs.end("dictated")), span._replace(start=signs.start("typed"))]
            while pair := _AND.search(document.text, names[-1].start, names[-1].end):
                last = names.pop()
                names += [last._replace(end=pair.start()), last._replace(start=pair.end())]
                trimmed.append(_trimmed(last, pair.start("word"), pair.end("word")))
            last = names[-1]
            mark = document.text[last.end - 1]
            if last.start + 1 < last.end and (
                mark == "," or (mark == "." and self._is_whole_name(document.text[last.start : last.end - 1]))
            ):
                names[-1] = last._replace(end=last.end - 1)
                trimmed.append(_trimmed(last, last.end - 1, last.end))
            result += names
        return result

    def _is_name_in_two_parts(self, text: str, before: Sequence[Span], span: Span) -> bool:
        """Whether a surname ends the spans before, and this span is the given name or initial after its comma."""
        last = before[-1]
        if last.label is not Label.PER or text[last.end : span.start] != _COMMA:
            return False
        surname, given_names = _words(text[last.start : last.end])[-1:], _words(text[span.start : span.end])
        is_in_list = len(before) > 1 and text[before[-2].end : last.start] == _COMMA
        if is_in_list or not (surname and given_names) or _INITIAL.fullmatch(surname[0]):
            return False
        return not self._listed_as(surname[0]) & GIVEN_NAME and all(
            _INITIAL.fullmatch(word) or word in _PARTICLES or self._listed_as(word) & GIVEN_NAME for word in given_names
        )

    def _listed_as(self, word: str) -> int:
        """Return of which names a gazetteer has the word."""
        return self._names.of(word.capitalize()) & (SURNAME | GIVEN_NAME)

    def _is_whole_name(self, text: str) -> bool:
        """Whether the text ends with a listed name: after "Renate" a full stop ends the sentence, after "Ren" not."""
        word = _words(text)[-1:]
        return bool(word) and len(word[0]) > _ABBREVIATION and self._is_listed_name(word[0])

    def _trim_place(self, document: Document, span: Span, start_token: int, end_token: int) -> Span:
        tokens = document.tokens
        for _ in range(self._max_words):
            # "Am Markt 3" is a street, and in a text in small letters "am" may belong to any name.
            is_before = self._before_place.of(document.word(start_token)) and span.type is not PhiType.STREET
            if not (is_before and start_token + 1 < end_token and document.word(start_token + 1)[0].isupper()):
                break
            start_token += 1
            span = span._replace(start=int(tokens.starts[start_token]))
        for _ in range(self._max_words):
            if not (start_token + 1 < end_token and self._after_place.of(document.word(end_token - 1))):
                break
            end_token -= 1
            span = span._replace(end=int(tokens.ends[end_token - 1]))
        return span

    def _trim_name(self, document: Document, span: Span, start_token: int, end_token: int) -> Span:
        start, end, tokens = span.start, span.end, document.tokens
        if not self._is_announced(document, start_token):
            for _ in range(self._max_words):
                if not (
                    self._has_name(document, start_token + 1, end_token) and self._is_before(document, start_token)
                ):
                    break
                start_token += 1
                start = int(tokens.starts[start_token])
        for _ in range(self._max_words):
            if not (self._has_name(document, start_token, end_token - 1) and self._is_after(document, end_token - 1)):
                break
            end_token -= 1
            end = int(tokens.ends[end_token - 1])
        return span._replace(start=start, end=end)

    def _is_announced(self, document: Document, start_token: int) -> bool:
        """Whether a salutation, a title or the colon of a field comes before the name."""
        if not start_token or document.tokens.breaks[start_token]:
            return False
        before = document.word(start_token - 1)
        return before == ":" or bool(cue_flags(before) & _ANNOUNCES_NAME)

    def _is_before(self, document: Document, token: int) -> bool:
        return self._is_trimmable_before(document.word(token)) and _follows_blank(document, token + 1)

    def _is_trimmable_before(self, word: str) -> bool:
        """Whether a word may be trimmed before another."""
        return (word in _EXACT_BEFORE or word.lower() in _ROLES) and not self._is_listed_name(word)

    def _is_after(self, document: Document, token: int) -> bool:
        word, before = document.word(token), document.word(token - 1)
        if not self._is_trimmable_after(word) or not _follows_blank(document, token):
            return False
        if word.islower():
            return word in _AFTER or (before[0].isupper() and not before.isupper())
        return word in _SIGNATURE_AFTER or before.isupper()

    def _is_trimmable_after(self, word: str) -> bool:
        """Whether a word may be trimmed after another; in capitals, only one that is a name in no language."""
        if word in _SIGNATURE_AFTER:
            return True
        if word.islower():
            known = word in _AFTER_CAPITALISED or word in self._stop_words
        else:
            known = word.isupper() and word.lower() in _AFTER
        return known and not self._is_listed_name(word)

    def _is_listed_name(self, word: str) -> bool:
        return bool(self._listed_as(word))

    def _has_name(self, document: Document, start_token: int, end_token: int) -> bool:
        """Whether one of these tokens can be a name; only those that trimming can reach are examined."""
        reach = self._max_words + 1
        examined = [
            *range(start_token, min(end_token, start_token + reach)),
            *range(max(start_token, end_token - reach), end_token),
        ]
        return any(len(word) > 1 and any(map(str.isalpha, word)) for word in map(document.word, examined))


def _words(text: str) -> list[str]:
    """Return the words of a name; a double name has two."""
    return text.replace("-", " ").split()


def _last_word(text: str) -> tuple[int, str]:
    """Return where the last word begins, and the word without its full stop."""
    begin = max(text.rfind(mark) for mark in " \t\n[") + 1
    return begin, text[begin:].rstrip(".")


def _follows_blank(document: Document, token: int) -> bool:
    """Whether only blanks separate the token from the one before."""
    tokens = document.tokens
    return document.text[tokens.ends[token - 1] : tokens.starts[token]].isspace()


def _trimmed(span: Span, start: int, end: int) -> Dropped:
    return Dropped.from_detection(span._replace(start=start, end=end), DropReason.TRIMMED)
