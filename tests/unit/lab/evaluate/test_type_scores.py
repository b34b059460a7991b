"""Scores of each subtype: a right label without the right type is de-identified all the same."""

from __future__ import annotations

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.evaluate.type_scores import TypeEvaluation, TypeScores

TEXT = "Frau Erika Beispiel, Ulm, sah Dr. Muster."


def place(surface: str) -> tuple[int, int]:
    start = TEXT.index(surface)
    return start, start + len(surface)


def found(surface: str, label: Label, kind: PhiType) -> Span:
    return Span(*place(surface), label, kind, "context", "any")


def test_words_and_entities_of_a_type_are_counted_by_how_they_were_found() -> None:
    evaluation = TypeEvaluation()
    gold = [
        GoldSpan(*place("Erika Beispiel,"), Label.PER, PhiType.PATIENT),
        GoldSpan(*place("Ulm"), Label.LOC, PhiType.TOWN),
        GoldSpan(*place("Muster"), Label.PER, PhiType.CLINICIAN),
    ]
    predicted = [
        found("Erika", Label.PER, PhiType.PATIENT),
        found("Beispiel", Label.PER, PhiType.PERSON),
        found("Ulm", Label.PER, PhiType.PATIENT),
        found("sah", Label.PER, PhiType.PATIENT),
        found("Muster", Label.PER, PhiType.PERSON),
    ]
    evaluation.add(TEXT, gold, predicted)
    by_type = {scores.type: scores for scores in evaluation.scores()}
    patient = TypeScores(PhiType.PATIENT, 2, 2, 2, 1, predicted=3, spurious=1, entities=1, exact_label=0)
    assert by_type[PhiType.PATIENT] == patient
    assert by_type[PhiType.CLINICIAN] == TypeScores(PhiType.CLINICIAN, 1, 1, 1, 0, 0, 0, 1, 1)
    assert by_type[PhiType.TOWN] == TypeScores(PhiType.TOWN, 1, 1, 0, 0, 0, 0, 1, 0)
    assert by_type[PhiType.PERSON] == TypeScores(PhiType.PERSON, 0, 0, 0, 0, 2, 0, 0, 0)


def test_what_stands_before_the_salutation_does_not_count_without_header() -> None:
    text = "Ulm\nSehr geehrte Kollegen,\nBonn"
    gold = [GoldSpan(0, 3, Label.LOC, PhiType.TOWN), GoldSpan(27, 31, Label.LOC, PhiType.TOWN)]
    for with_header, towns in ((True, 2), (False, 1)):
        evaluation = TypeEvaluation(with_header=with_header)
        evaluation.add(text, gold, [])
        (scores,) = evaluation.scores()
        assert (scores.words, scores.entities, scores.covered) == (towns, towns, 0)
