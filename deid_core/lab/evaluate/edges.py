"""How many spans are a word too long or too short, by label.

A span is compared with the gold spans of its label that it overlaps: it is too long if it has a letter or digit before
the first or after the last of them, and too short if they have one before or after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deid_core.lab.evaluate.scores import LabelledRange


@dataclass(slots=True)
class EdgeCounts:
    """Numbers of spans of a label: all of them, those too long, and those too short."""

    spans: int = 0
    long: int = 0
    short: int = 0


class EdgeEvaluation:
    """Adds up notes; `by_label` has the counts of each label that was predicted."""

    def __init__(self) -> None:
        self.by_label: defaultdict[str, EdgeCounts] = defaultdict(EdgeCounts)

    def add(self, text: str, gold: Iterable[LabelledRange], predicted: Iterable[LabelledRange]) -> None:
        """Count one note."""
        by_label: defaultdict[str, list[LabelledRange]] = defaultdict(list)
        for span in gold:
            by_label[str(span.label)].append(span)
        for span in predicted:
            counts = self.by_label[str(span.label)]
            counts.spans += 1
            touched = [g for g in by_label[str(span.label)] if g.start < span.end and span.start < g.end]
            if touched:
                counts.long += _sticks_out(text, span, touched)
                counts.short += any(_sticks_out(text, g, [span]) for g in touched)

    @property
    def total(self) -> EdgeCounts:
        """The counts of all labels together."""
        counts = self.by_label.values()
        return EdgeCounts(sum(c.spans for c in counts), sum(c.long for c in counts), sum(c.short for c in counts))


def _sticks_out(text: str, span: LabelledRange, others: Sequence[LabelledRange]) -> bool:
    """Whether a letter or digit of the span is before all others or after them."""
    before, after = text[span.start : others[0].start], text[max(o.end for o in others) : span.end]
    return any(map(str.isalnum, before + after))
