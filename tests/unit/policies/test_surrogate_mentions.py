"""Surrogates of a person: all mentions follow each other, whatever form a name has."""

from __future__ import annotations

import re

import pytest
from policy_notes import PATIENTS, outputs, redacted

from deid_core.policies.names.name_parts import given_names, surnames

SURNAMES = set(surnames(other=False))
WOMEN, MEN = (set(given_names(female=female, other=False)) for female in (True, False))


@pytest.mark.parametrize("patient", PATIENTS)
def test_all_forms_of_a_name_follow_each_other(patient: str) -> None:
    full, reversed_, title, capitals, plain, genitive, initial, initials, typo = outputs(
        "[patient Peter Xylander], [patient Xylander, Peter], Dr. [patient P. Xylander], [patient XYLANDER], "
        "[patient Xylander] und [patient Xylanders] Sohn, Hr. [patient X.], [patient P. X.], [patient Xylender]",
        patient=patient,
    )
    given, surname = full.split(" ")
    assert given in MEN and surname in SURNAMES and given != "Peter"
    assert reversed_ == f"{surname}, {given}"
    assert title == f"{given[0]}. {surname}"
    assert capitals == surname.upper()
    assert (plain, typo) == (surname, surname)
    assert genitive == (f"{surname}'" if surname[-1] in "sßxz" else f"{surname}s")
    assert (initial, initials) == (f"{surname[0]}.", f"{given[0]}. {surname[0]}.")


@pytest.mark.parametrize("patient", PATIENTS)
def test_umlauts_written_out_or_left_out_are_one_name(patient: str) -> None:
    plain, *others = outputs("[patient Müller] [patient MUELLER] [patient Muller] [patient Müllers]", patient=patient)
    assert [other.removesuffix("s").removesuffix("'").lower() for other in others[1:]] == [
        plain.lower().removesuffix("s") if other.endswith("s") else plain.lower() for other in others[1:]
    ]
    assert others[0] == plain.upper()


def test_sex_is_kept_by_list_or_salutation() -> None:
    for patient in PATIENTS:
        woman, man, unknown = outputs(
            "[relative Ursula Stein], [relative Günter Stein], Frau [patient Xylo Stein]", patient=patient
        )
        assert woman.split()[0] in WOMEN and man.split()[0] in MEN and unknown.split()[0] in WOMEN
        assert len({name.split()[1] for name in (woman, man, unknown)}) == 1


@pytest.mark.parametrize(
    ("marked", "women"),
    [
        ("[patient Xylo Muster]: Herr [patient Muster] kam.", False),
        ("[patient Xylor Muster]: Frau [patient Muster] kam.", True),
        ("[patient Xylor Muster]. Die Patientin kam.", True),
        ("[patient Xyla Muster]. Der Patient kam.", False),
    ],
)
def test_the_sex_of_a_name_that_no_list_has_is_told_by_the_note(marked: str, women: bool) -> None:
    for patient in PATIENTS:
        assert outputs(marked, patient=patient)[0].split()[0] in (WOMEN if women else MEN)


def test_fields_tell_given_names_from_surnames() -> None:
    for patient in PATIENTS:
        surname, given = outputs("Name: [patient Walter]\tVorname: [patient Xylo Götz]", patient=patient)
        assert surname in SURNAMES and set(given.split()) <= MEN
        reversed_ = outputs("[patient Muster Harald], [patient Harald Muster]", patient=patient)
        assert reversed_[0].split() == reversed_[1].split()[::-1]


@pytest.mark.parametrize("typo", ["Xylandr", "Xylandder", "Xyladner", "Xylanders"])
def test_typing_errors_follow_the_more_frequent_spelling(typo: str) -> None:
    for patient in PATIENTS:
        right, wrong, again = outputs(f"[patient Xylander], [patient {typo}], [patient Xylander]", patient=patient)
        assert right == again and wrong in (right, f"{right}s", f"{right}'")


def test_a_surname_with_s_is_the_genitive_where_the_note_has_the_name_without() -> None:
    for patient in PATIENTS:
        name, genitive = outputs("[patient Peter Heinrich], [patient Heinrichs] Sohn", patient=patient)
        assert genitive in (f"{name.split()[1]}s", f"{name.split()[1]}'")
        assert outputs("Dr. [clinician Peter Heinrichs]", patient=patient)[0].split()[1] in SURNAMES


def test_a_surname_with_s_is_no_genitive_where_nothing_can_follow_it() -> None:
    for patient in PATIENTS:
        alone, again, genitive = outputs(
            "EKG (Dr. [clinician Reuters]), gez. [clinician Reuters]\nFrau [relative Bauers] Sohn", patient=patient
        )
        assert alone == again and alone in SURNAMES
        assert genitive.removesuffix("s").removesuffix("'") in SURNAMES and genitive[-1] in "s'"


def test_a_function_word_with_a_capital_stays_only_where_a_sentence_begins() -> None:
    kept = "[patient Der] Patient kam nach Hause. [patient Aller] Voraussicht nach geht es ihm gut."
    assert redacted(kept) == "Der Patient kam nach Hause. Aller Voraussicht nach geht es ihm gut."
    assert "Aller" not in redacted(
        "Verden ([clinician Aller]), Dr. [clinician Aller] sah ihn.\n[clinician Aller]\tArzt"
    )


def test_three_capitals_are_a_name_if_the_note_has_it() -> None:
    for patient in PATIENTS:
        name, capitals = outputs("[patient Jutta Xäh] [patient XÄH]", patient=patient)
        assert capitals == name.split()[1].upper()


def test_a_relative_is_called_by_a_given_name_of_the_sex_that_the_text_tells() -> None:
    for patient in PATIENTS:
        woman, man = outputs("Ihre Schwester [relative Xylor], der Neffe [relative Xyla]", patient=patient)
        assert woman in WOMEN and man in MEN
        wife = outputs("Die Ehefrau des Patienten, [relative Xylor Muster], kam.", patient=patient)[0]
        assert wife.split()[0] in WOMEN


def test_a_name_after_a_title_is_a_surname() -> None:
    for patient in PATIENTS:
        full, doctor = outputs("[patient Walter Muster] und Frau Dr. [clinician Walter]", patient=patient)
        assert full.split()[0] in MEN and doctor in SURNAMES
        assert outputs("Herr [patient Walter]", patient=patient)[0] in SURNAMES


def test_a_short_name_is_no_sign() -> None:
    assert all(name in SURNAMES for name in outputs("Herr [patient Bum], Dr. [clinician Xyl]"))


def test_titles_particles_and_double_names_stay_what_they_are() -> None:
    for patient in PATIENTS:
        noble, double, given = outputs(
            "[patient Otto Graf von Xylander], [patient Xylander-Muster], [patient Hans-Jürgen Muster]", patient=patient
        )
        assert re.fullmatch(r"\w+ Graf von \w+", noble)
        capitals = outputs("[patient VAN DER XYLANDER, Otto]", patient=patient)[0]
        assert re.fullmatch(r"VAN DER [A-ZÄÖÜẞ]+, \w+", capitals)
        first, second = double.split("-")
        assert noble.endswith(first) and given.endswith(second) and "-" in given


def test_a_word_that_can_be_a_particle_is_replaced_where_it_is_the_name() -> None:
    assert "Graf" not in redacted("Herr [patient Graf] kam. [patient Ben Graf], [patient Graf, Ben]")
    assert "Ben" not in redacted("[patient Ben Muster]")


def test_no_surrogate_is_a_name_of_the_note() -> None:
    listed = sorted(SURNAMES)
    marked = " ".join(f"[patient {name}]" for name in listed[:300])
    assert not {o.casefold() for o in outputs(marked)} & {name.casefold() for name in listed[:300]}


@pytest.mark.parametrize("patient", PATIENTS)
def test_a_surrogate_is_no_other_spelling_of_its_original(patient: str) -> None:
    for name, others in (("Annalise", "Anneliese"), ("Mattias", "Matthias"), ("Philip", "Philipp Filip")):
        [new] = outputs(f"Liebe [relative {name}]", patient=patient)
        assert new not in others.split()
