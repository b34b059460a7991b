"""Replaces spans by placeholders: `<PER>`, `<DATE>`, … (seed 000, Figure 4). Text outside spans stays as it is.

A header word that no recogniser named has the label OTHER; seed 000 (section 5, step 1) writes it as `<O>`. So do all
pipelines unless `unlabelled_placeholder` says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from deid_core.core.labels import Label
from deid_core.core.spans import Span


class Redacted(NamedTuple):
    """A note's text after redaction.

    outputs: (start, end) of each span's placeholder in `text`, in the order of the spans.
    """

    text: str
    outputs: tuple[tuple[int, int], ...]


def redact(text: str, spans: Sequence[Span], *, unlabelled: str = "O") -> Redacted:
    """Replace each span by `<LABEL>`.

    spans: ascending and disjoint. unlabelled: the placeholder of the label OTHER.

    Raises ValueError if the spans overlap or leave the text.
    """
    parts: list[str] = []
    outputs: list[tuple[int, int]] = []
    at = length = 0
    for span in spans:
        if span.start < at or span.end > len(text):
            raise ValueError(f"span [{span.start}, {span.end}) overlaps the one before it or leaves the text")
        placeholder = f"<{unlabelled if span.label is Label.OTHER else span.label}>"
        length += span.start - at
        outputs.append((length, length + len(placeholder)))
        length += len(placeholder)
        parts += (text[at : span.start], placeholder)
        at = span.end
    parts.append(text[at:])
    return Redacted("".join(parts), tuple(outputs))
