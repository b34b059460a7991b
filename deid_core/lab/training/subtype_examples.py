"""Spans of letters with their features and true types: what the subtype model is trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.ensemble.subtype.classifier import SpanReader
from deid_core.ensemble.subtype.subtype_features import GROUP_OF, TYPES, SubtypeFeatures, Symbols
from deid_core.pipeline.engine import Engine
from deid_core.text.vocabulary import Vocabulary

_Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class SubtypeExample:
    """The spans of a letter whose type group has several types.

    letter: its number. facts, groups, forms: see SpanReader. types: columns of TYPES, -1 without an annotation.
    """

    letter: int
    facts: SubtypeFeatures
    groups: _Array
    forms: _Array
    types: _Array


def subtype_examples(
    engine: Engine, letters: Iterable[tuple[Note, Sequence[GoldSpan]]], number_of: Callable[[str], int]
) -> list[SubtypeExample]:
    """Return the letters that have such spans. engine: finds the spans. number_of: numbers symbols, see Symbols."""
    examples: list[SubtypeExample] = []
    vocabulary: Vocabulary | None = None
    for number, (note, annotated) in enumerate(letters):
        document = engine.document(note)
        if document.vocabulary is not vocabulary:
            vocabulary = document.vocabulary
            reader = SpanReader(Symbols(number_of, vocabulary), vocabulary)
        spans = engine.spans(document)
        chosen, found, groups, forms = reader.read(document, spans)
        if len(chosen):
            starts, ends = document.ranges([(gold.start, gold.end) for gold in annotated])
            gold = [
                replace(true, start=start, end=end)
                for true, start, end in zip(annotated, starts.tolist(), ends.tolist(), strict=True)
                if start < end
            ]
            types = _types([spans[n] for n in chosen.tolist()], gold)
            examples.append(SubtypeExample(number, found, groups, forms, np.array(types)))
    return examples


def _types(spans: Sequence[Span], gold: Sequence[GoldSpan]) -> list[int]:
    """Return, for each span, the type of the annotation of its group that it shares most characters with, else -1."""
    types = []
    for span in spans:
        shared = [
            (min(span.end, true.end) - max(span.start, true.start), TYPES.index(true.type))
            for true in gold
            if GROUP_OF.get(true.type) == GROUP_OF[span.type]
        ]
        most, phi = max(shared, default=(0, -1))
        types.append(phi if most > 0 else -1)
    return types
