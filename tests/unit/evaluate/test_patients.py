"""What of patients' names stays readable."""

from __future__ import annotations

import pytest
from span_samples import at

from deid_core.corpora import LabelledSpan
from deid_core.evaluate.leaks import Share, covered_characters
from deid_core.evaluate.patients import PatientEvaluation, is_full_name_readable
from deid_core.labels import Label, PhiType
from deid_core.spans import GoldSpan

TEXT = "Name: von Beispiel, Erika. Frau Beispiels Mann. Erika kam. Dr. Muster"
NAME, GENITIVE, GIVEN = "von Beispiel, Erika", "Beispiels", "Erika kam"


def gold(*surfaces: str) -> list[LabelledSpan]:
    return [at(TEXT, surface, "PER") for surface in surfaces]


SPANS = [*gold(NAME, GENITIVE), LabelledSpan(TEXT.index(GIVEN), TEXT.index(GIVEN) + 5, "PER")]


@pytest.mark.parametrize(
    ("hidden", "readable"),
    [
        ((0, 1, 2), False),
        ((1, 2), True),  # the name itself stands there
        ((0, 1), False),  # the given name alone
        ((0, 2), False),  # the surname alone
        ((0,), True),  # the surname in the genitive here, the given name there
        ((), True),
    ],
)
def test_a_full_name_is_readable_if_its_words_are_wherever_they_stand(hidden: tuple[int, ...], readable: bool) -> None:
    covered = covered_characters(TEXT, [SPANS[number] for number in hidden])
    assert is_full_name_readable(TEXT, SPANS, covered) is readable


def test_names_that_only_stand_apart_are_one_name() -> None:
    apart = SPANS[1:]
    assert is_full_name_readable(TEXT, apart, covered_characters(TEXT, []))
    assert not is_full_name_readable(TEXT, apart[:1], covered_characters(TEXT, []))
    assert not is_full_name_readable(TEXT, [], covered_characters(TEXT, []))


def test_particles_may_stay_and_half_a_word_must_not_be_left() -> None:
    place = TEXT.index("Beispiel,")
    for covered, readable in ((slice(place, place + 4), False), (slice(place, place + 3), True)):
        open_but = covered_characters(TEXT, [LabelledSpan(covered.start, covered.stop, "PER")])
        assert is_full_name_readable(TEXT, SPANS[:1], open_but) is readable


def test_only_patients_count_and_letters_add_up() -> None:
    evaluation = PatientEvaluation()
    typed = [GoldSpan(span.start, span.end, Label.PER, PhiType.PATIENT) for span in SPANS]
    muster = at(TEXT, "Muster", "PER")
    typed.append(GoldSpan(muster.start, muster.end, Label.PER, PhiType.CLINICIAN))
    evaluation.add(TEXT, typed, SPANS)
    evaluation.add(TEXT, typed, SPANS[:1])
    assert evaluation.leaked == Share(2, 6)
    assert evaluation.per_letter == 1.0
    assert evaluation.letters == evaluation.full_names == Share(1, 2)


def test_without_letters_nothing_leaks() -> None:
    evaluation = PatientEvaluation()
    assert evaluation.per_letter == 0.0
    assert evaluation.full_names == Share(0, 0)
