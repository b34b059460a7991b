"""How well the spans of each subtype are found: what is covered at all, with the right label, with the right type.

Labels are what redaction writes, so that a type of gold counts as found by its label already: a clinician that a
pipeline calls a person is de-identified. The type matters to what is done per role, e.g. replacing names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.corpora.annotated import LabelledSpan
from deid_core.lab.evaluate.evaluation import body_spans
from deid_core.lab.evaluate.token_scores import OUTSIDE, TokenEvaluation


@dataclass(frozen=True, slots=True)
class TypeScores:
    """Of one type the words (tokens with a letter or digit) and entities of gold, and how many of them are found.

    covered: words in a span of any label; right_label, right_type: in one of theirs. exact_label: entities whose place
    and label were found. predicted: words that were predicted to be of the type, spurious: that are no PHI at all.
    """

    type: PhiType
    words: int
    covered: int
    right_label: int
    right_type: int
    predicted: int
    spurious: int
    entities: int
    exact_label: int


class TypeEvaluation:
    """Adds up notes."""

    def __init__(self, *, with_header: bool = True) -> None:
        self._with_header = with_header
        self._tokens = TokenEvaluation(with_header=with_header)
        self._entities: Counter[PhiType] = Counter()
        self._exact: Counter[PhiType] = Counter()

    def add(self, text: str, gold: Iterable[GoldSpan], predicted: Iterable[Span]) -> None:
        """Counts one note."""
        golden, found = list(gold), list(predicted)
        self._tokens.add(text, _by_type(golden), _by_type(found))
        places = {(span.start, span.end, span.label) for span in found}
        for span in golden if self._with_header else body_spans(text, golden):
            self._entities[span.type] += 1
            self._exact[span.type] += (span.start, span.end, span.label) in places

    def scores(self) -> list[TypeScores]:
        """Of each type that occurs, in the order of the label table."""
        words = self._tokens.words
        table, names = words.table, words.labels
        rows = []
        for kind in (kind for kind in PhiType if kind in names):
            at = names.index(kind)
            of_gold = table[at]
            same_label = [n != OUTSIDE and label_of(PhiType(n)) is label_of(kind) for n in names]
            rows.append(
                TypeScores(
                    kind,
                    words=int(of_gold.sum()),
                    covered=int(of_gold[1:].sum()),
                    right_label=int(of_gold[same_label].sum()),
                    right_type=int(of_gold[at]),
                    predicted=int(table[:, at].sum()),
                    spurious=int(table[0, at]),
                    entities=self._entities[kind],
                    exact_label=self._exact[kind],
                )
            )
        return rows


def _by_type(spans: Iterable[GoldSpan | Span]) -> list[LabelledSpan]:
    return [LabelledSpan(span.start, span.end, str(span.type)) for span in spans]
