"""Evidence of one place for the whole note: a name that is sure somewhere is looked for everywhere (seed 004).

"Herr Xylander kam. Xylander klagte": the second one is a name because the first one is. Sure are names behind a
salutation or title, before a birth date, signed, or in a field of the header; their words become search terms, and
recognise/forms.py finds their forms. Runs after the recognisers, before the decision; pipelines switch it on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deid_core.gazetteer.compiled import Gazetteer
from deid_core.labels import Label, PhiType, label_of
from deid_core.recognise.base import Document
from deid_core.recognise.forms import form_finder
from deid_core.recognise.terms import folded, parts, token_ranges
from deid_core.recognise.triggers import NOT_A_NAME
from deid_core.recognise.wordlists import NAMEABLE, NAMEABLE_OR_STOP, word_bits
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary

KIND = "whole_note"
_SURE_SCORE = 0.9
_MIN_LETTERS = 3
_MAX_RATIO = 0.2
"""Stricter than the header's: a body names more people than a header, and their names were not written for it."""


class WholeNote:
    """Finds the other places of names that are sure in one."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._bits = word_bits(gazetteer, vocabulary)
        self._forms = form_finder(gazetteer, vocabulary)

    def repeat(self, document: Document, detections: Iterable[Detection]) -> Iterator[Detection]:
        """Detections of forms of the sure names; `rule` is "repeat" or, misspelt, "variant".

        Raises NoteError if there are too many words to compare.
        """
        terms = self._terms(document, [d for d in detections if d.label is Label.PER and d.score >= _SURE_SCORE])
        for form in self._forms.find(document, terms, _MAX_RATIO):
            start, end = int(document.tokens.starts[form.index]), int(document.tokens.ends[form.index])
            rule = "variant" if form.ratio else "repeat"
            yield Detection(start, end, label_of(form.type), form.type, KIND, rule, round(0.9 - form.ratio, 3))

    def _terms(self, document: Document, sure: list[Detection]) -> dict[str, PhiType]:
        terms: dict[str, PhiType] = {}
        bits = self._bits.gather(document.tokens.types)
        usable = ((bits & NAMEABLE_OR_STOP) == NAMEABLE).tolist()
        sure = sorted(sure)
        ranges = token_ranges(document, [(detection.start, detection.end) for detection in sure])
        for detection, (first, behind) in zip(sure, ranges, strict=True):
            for index in range(first, behind):
                if not usable[index]:
                    continue
                for part in parts(document.word(index)):
                    if len(part) >= _MIN_LETTERS and part.lower() not in NOT_A_NAME:
                        terms.setdefault(folded(part), detection.type)
        return terms
