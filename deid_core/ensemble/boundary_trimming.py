"""Trims from spans what does not belong to them: names of people, places and organisations, and identifiers.

Context-based recognisers, above all the CRFs, tend to include one word too many when a job title or function word is
adjacent: "MTA Anna Muster", "Herr Muster vom", "Nr. 4711.". In this order:

1. The label of a field (a list has it) before a colon, "=" or "]" is cut from any name; a span that is nothing else
   goes: "MUSTER ANNA GEB:", "Str=".
2. Each span of a person becomes one name (name_splitting.py).
3. The full stop of a sentence goes from an identifier.
4. Words at the edges of names go (edge_words.py).

Before all that, spans that are a medical form go (medical_forms.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from deid_core.core.labels import Label
from deid_core.core.spans import Detection, Dropped, DropReason, Span
from deid_core.core.word_lists import word_set
from deid_core.ensemble.edge_words import EdgeWords, is_announced
from deid_core.ensemble.medical_forms import is_medical
from deid_core.ensemble.name_splitting import NameSplitter
from deid_core.ensemble.settings import BoundaryTrimmingSettings
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.word_flags import listed_names, word_flags
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

_FIELDS = word_set("ensemble/field-labels")
_NAMED = frozenset({Label.PER, Label.LOC, Label.ORG})
_FIELD_ENDS = re.compile(r"\.?[ \t]?[]:=]")
_FULL_STOP = re.compile(r"(?:(?<=\d)|(?<=[-/\d][^\W\d_]))\.\Z")
"""That of a sentence, also after a last letter ("20934-C."), but not after an abbreviation ("4 / Hd.")."""


class TrimResult(NamedTuple):
    """Spans after trimming, and the ranges that were trimmed."""

    spans: tuple[Span, ...]
    trimmed: list[Dropped]


class BoundaryTrimmer:
    """Trims spans in documents of one vocabulary."""

    def __init__(self, settings: BoundaryTrimmingSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._flags = word_flags(gazetteer, vocabulary)
        self._names = NameSplitter(gazetteer, vocabulary)
        self._edges = EdgeWords(settings, gazetteer, vocabulary)

    def trim(self, document: Document, spans: Sequence[Span], own: Sequence[Detection] = ()) -> TrimResult:
        """Return the spans without what does not belong to them; each keeps at least one letter or digit.

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
        cut: list[Span] = []
        left: list[Span] = []
        for span in spans:
            (cut if is_medical(document.text, span) else left).append(span)
        unlabelled = self._without_field_labels(document, left, cut)
        result = self._names.one_name_each(document.text, unlabelled, cut)
        for at, span in enumerate(result):
            if span.label is Label.ID and _FULL_STOP.search(document.text, span.start + 1, span.end):
                result[at] = span._replace(end=span.end - 1)
                cut.append(span._replace(start=span.end - 1))
        result = self._edges.trim(document, result, cut)
        return TrimResult(tuple(result), [Dropped.from_detection(span, DropReason.TRIMMED) for span in cut])

    def _without_field_labels(self, document: Document, spans: Sequence[Span], cut: list[Span]) -> list[Span]:
        """Return the spans without the label of the field that follows a name. cut: gets the labels."""
        result: list[Span] = []
        for span in spans:
            if span.label in _NAMED and _FIELD_ENDS.match(document.text, span.end):
                before, label = _last_word(document.text[span.start : span.end])
                # The token that the span begins in.
                first = int(document.tokens.ends.searchsorted(span.start, side="right"))
                is_alone_and_announced = not before and is_announced(document, first)
                if label.lower() in _FIELDS and not (is_alone_and_announced or listed_names(self._flags, label)):
                    cut.append(span._replace(start=span.start + before))
                    name = document.text[span.start : span.start + before].rstrip(" \t.,;/|([")
                    if name:
                        result.append(span._replace(end=span.start + len(name)))
                    continue
            result.append(span)
        return result


def _last_word(text: str) -> tuple[int, str]:
    """Return where the last word begins, and the word without its full stop."""
    begin = max(text.rfind(mark) for mark in " \t\n[") + 1
    return begin, text[begin:].rstrip(".")
