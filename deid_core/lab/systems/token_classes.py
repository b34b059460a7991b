"""The classes of the systems that classify tokens one by one, from gold spans to tokens and from tokens to spans.

Seed 001 (section 3) has seven classes: patients with their relatives, doctors, locations, hospitals, dates, phones and
IDs. Each further label of the project is a class of its own. A class is named by the type that stands for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import TYPES, Label, PhiType, general_type, label_of
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.corpora.annotated import LabelledSpan
from deid_core.lab.corpora.bio import spans_of as tagged_spans
from deid_core.lab.corpora.bio import tags
from deid_core.text.tokens import Tokens

_OF_TYPE = {
    PhiType.CLINICIAN: PhiType.CLINICIAN,
    PhiType.HOSPITAL: PhiType.HOSPITAL,
    PhiType.DEPARTMENT: PhiType.HOSPITAL,
}
_OF_LABEL = {Label.PER: PhiType.PATIENT, Label.LOC: PhiType.TOWN}
_CLASS_OF = {
    phi: _OF_TYPE.get(phi) or _OF_LABEL.get(entry.label) or general_type(entry.label) for phi, entry in TYPES.items()
}
CLASSES = tuple(dict.fromkeys(_CLASS_OF.values()))
"""The type that stands for each class; code n is the class CLASSES[n - 1]."""
OUTSIDE = 0
CODE_OF = {phi: CLASSES.index(standing) + 1 for phi, standing in _CLASS_OF.items()}
Codes = npt.NDArray[np.int64]


def token_codes(tokens: Tokens, gold: Iterable[GoldSpan]) -> Codes:
    """Return the class of each token, OUTSIDE for none. Of two spans that share a token, the first one counts."""
    codes = np.full(len(tokens), OUTSIDE, np.int64)
    for span in sorted(gold, key=lambda s: (s.start, s.end), reverse=True):
        start_token = int(np.searchsorted(tokens.ends, span.start, side="right"))
        codes[start_token : int(np.searchsorted(tokens.starts, span.end))] = CODE_OF[span.type]
    return codes


def spans_of(tokens: Tokens, codes: Codes, system: str, rule: str) -> tuple[Span, ...]:
    """Return a span for each longest sequence of tokens of one class within a line, ascending."""
    spans = []
    # Where a token is not of the class of the one before it, or begins a line.
    changes = np.flatnonzero((np.diff(codes, prepend=-1) != 0) | tokens.breaks)
    bounds = [*changes.tolist(), len(codes)]
    for start_token, end_token in pairwise(bounds):
        if codes[start_token] != OUTSIDE:
            phi = CLASSES[codes[start_token] - 1]
            start, end = int(tokens.starts[start_token]), int(tokens.ends[end_token - 1])
            spans.append(Span(start, end, label_of(phi), phi, system, rule))
    return tuple(spans)


def bio_tags(tokens: Tokens, gold: Iterable[GoldSpan]) -> list[str]:
    """Return a BIO2 tag of CLASSES for each token."""
    named = (LabelledSpan(span.start, span.end, CLASSES[CODE_OF[span.type] - 1]) for span in gold)
    return tags(tokens, named)


def spans_of_tags(tokens: Tokens, found: Sequence[str], system: str, rule: str) -> tuple[Span, ...]:
    """Return the spans of BIO2 tags; an I- that continues nothing begins a span (seed 003, section 4.4)."""
    return tuple(
        Span(span.start, span.end, label_of(PhiType(span.label)), PhiType(span.label), system, rule)
        for span in tagged_spans(tokens, found)
    )
