"""Spans that are a word too long or too short are counted by label."""

from __future__ import annotations

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.evaluate.edges import EdgeEvaluation

TEXT = "Herr Peter Müller kam aus Bad Nauheim (Hessen)."


def gold(words: str, phi: PhiType, label: Label) -> GoldSpan:
    start = TEXT.index(words)
    return GoldSpan(start, start + len(words), label, phi)


def found(words: str, phi: PhiType, label: Label) -> Span:
    start = TEXT.index(words)
    return Span(start, start + len(words), label, phi, "r", "r")


def counts(words: str, phi: PhiType = PhiType.PERSON, label: Label = Label.PER) -> tuple[int, int, int]:
    edges = EdgeEvaluation()
    edges.add(
        TEXT,
        [gold("Peter Müller", PhiType.PATIENT, Label.PER), gold("Bad Nauheim", PhiType.TOWN, Label.LOC)],
        [found(words, phi, label)],
    )
    total = edges.total
    assert edges.by_label[str(label)] == total
    return total.spans, total.long, total.short


def test_a_span_that_fits_is_neither() -> None:
    assert counts("Peter Müller") == (1, 0, 0)
    assert counts("Bad Nauheim (", PhiType.TOWN, Label.LOC) == (1, 0, 0)


def test_a_word_more_and_a_word_less() -> None:
    assert counts("Herr Peter Müller") == (1, 1, 0)
    assert counts("Müller kam") == (1, 1, 1)
    assert counts("Nauheim", PhiType.TOWN, Label.LOC) == (1, 0, 1)


def test_only_gold_of_the_same_label_counts() -> None:
    assert counts("Nauheim") == (1, 0, 0)
