"""The patient's surrogate: the same in all notes that write the name in some form, whatever else the notes say."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from policy_notes import outputs, policy

from deid_core.policies.names.name_parts import given_names, listed_sex, surnames
from deid_core.policies.normal_form import name_key
from deid_core.policies.settings import PolicySettings

PATIENTS = st.integers(0, 10_000).map(str)
GIVEN = st.sampled_from([name for female in (True, False) for name in given_names(female=female, other=False)])
LONG_GIVEN = GIVEN.filter(lambda name: len(name) >= 5 and "-" not in name)
UNLISTED = st.from_regex(r"\A[BDFGKLMNPRTWZ][aeiou][bdfgklmnprt]{1,2}[aeiou][bdfgklmnprt]{2}\Z")
SURNAMES = st.sampled_from(surnames(other=False)) | UNLISTED
OTHERS = ("clinician", "relative", "person")


@given(PATIENTS, LONG_GIVEN, SURNAMES)
def test_initials_alone_are_those_of_the_name_in_another_note(patient: str, first: str, last: str) -> None:
    [full] = outputs(f"[patient {first} {last}]", patient=patient)
    given_name, surname = full.split(" ")
    initial, both, capital = outputs(
        f"[patient {first[0]}. {last}], [patient {first[0]}.{last[0]}.], Hr. [patient {last[0]}.]", patient=patient
    )
    assert initial == f"{given_name[0]}. {surname}"
    assert both == f"{given_name[0]}.{surname[0]}."
    assert capital == f"{surname[0]}."


@example("0", "Adela", "Freund", [("clinician", "Adela", "Abegglen")])
@given(PATIENTS, GIVEN, SURNAMES, st.lists(st.tuples(st.sampled_from(OTHERS), GIVEN, SURNAMES), max_size=8))
def test_other_names_of_a_note_change_the_patients_surrogate_only_if_they_are_it(
    patient: str, first: str, last: str, others: list[tuple[str, str, str]]
) -> None:
    [alone] = outputs(f"[patient {first} {last}]", patient=patient)
    marked = " ".join(f"[{phi} {name} {surname}]" for phi, name, surname in others)
    found = outputs(f"[patient {first} {last}] {marked}", patient=patient)[0]
    words = {word for _, *name in others for part in name for word in part.split("-")}
    for one, other in zip(alone.split(" "), found.split(" "), strict=True):
        assert one == other or not words.isdisjoint(one.split("-"))


@given(PATIENTS, LONG_GIVEN, UNLISTED, st.data())
def test_a_word_like_the_patients_name_is_it_also_if_short_or_listed(
    patient: str, first: str, last: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(last) - 1))
    letter = data.draw(st.sampled_from("aeioubdfgk"))
    typo = data.draw(st.sampled_from([last[:at] + last[at + 1 :], last[:at] + letter + last[at:]]))
    assume(len(name_key(typo)) == len(typo))  # not "ae", which is "a"
    full, wrong, genitive = outputs(
        f"[patient {first} {last}], [patient {typo}], [patient {last}s] Sohn", patient=patient
    )
    surname = full.split(" ")[1]
    assert wrong in (surname, f"{surname}s", f"{surname}'")
    assert genitive in (f"{surname}s", f"{surname}'")


@pytest.mark.parametrize(("name", "typo"), [("Kern", "Ker"), ("Voß", "Vos"), ("Maier", "Meier"), ("Ott", "Otto")])
def test_a_short_or_listed_word_is_the_patients_only_where_it_is_said_of_the_patient(name: str, typo: str) -> None:
    for patient in map(str, range(10)):
        full, same = outputs(f"[patient Ilse {name}], Frau [patient {typo}]", patient=patient)
        assert same == full.split(" ")[1]
        full, doctor = outputs(f"[patient Ilse {name}], Dr. [clinician {typo}]", patient=patient)
        assert doctor != full.split(" ")[1]


def test_names_that_stand_together_are_two_names() -> None:
    for patient in map(str, range(10)):
        words = outputs("[patient Jan Jahn], [patient Jahn], [patient Jan]", patient=patient)
        assert words[0].split(" ") == [words[2], words[1]]
        assert words[1] != words[2]


def test_over_all_patients_initials_do_not_follow_each_other() -> None:
    """Else the commonest initial of surrogates would tell the commonest of the names."""
    settings = policy(consistency="corpus", labels={"PER": "surrogate"})
    listed = [name for name in surnames(other=False) if name[0] == "B"][:40]

    def initials(settings: PolicySettings | str) -> set[str]:
        found = (outputs(f"[patient Xylo {name}]", settings, patient="p")[0] for name in listed)
        return {name.split(" ")[1][0] for name in found}

    assert len(initials(settings)) > 5
    assert len(initials("readable")) == 1


@pytest.mark.parametrize("patient", "0123456789")
def test_a_signature_is_the_beginning_of_the_surname_that_it_begins(patient: str) -> None:
    signed, short, full = outputs("[clinician Mustr], [clinician Mu], Dr. [clinician Eva Mustrow]", patient=patient)
    assert short.lower() != "mu"
    signed, full = outputs("[clinician Must]/kr\nDr. [clinician Eva Mustrow]", patient=patient)
    assert full.split(" ")[1].startswith(signed) and len(signed) <= 4 and signed != "Must"


@pytest.mark.parametrize("patient", "0123456789")
def test_a_signature_follows_a_surname_that_stands_without_a_given_name(patient: str) -> None:
    full, short = outputs("Aufnahme ([clinician Xymustrow]), Visite [clinician Xy]", patient=patient)
    assert full.startswith(short) and len(short) == 2


def test_no_initial_of_the_patient_stays() -> None:
    for patient in range(40):
        [initials] = outputs("[patient F. W.]", patient=str(patient))
        assert initials[0] != "F" and initials[3] != "W"


def test_a_town_of_the_note_does_not_stay_in_a_phone_number() -> None:
    _, phone = outputs("[town Bad Xytown], Tel. [phone Xytown 2204, Durchwahl 17]")
    assert "Xytown" not in phone and "Durchwahl" in phone and "2204" not in phone


@pytest.mark.parametrize("patient", "0123456789")
def test_another_spelling_of_a_long_name_that_no_list_has_is_that_name(patient: str) -> None:
    first, second, third = outputs(
        "Dr. [clinician Xyzacobescu], Dr. [clinician Xyzakobesku], Dr. [clinician Xyzandowitz]", patient=patient
    )
    assert first == second != third


@pytest.mark.parametrize("patient", "0123456789")
def test_a_genitive_before_the_only_full_name_follows_it(patient: str) -> None:
    genitive, full, again = outputs("[patient Xyrugs] Bein, [patient Pawel Xyrug], [patient Xyrugs]", patient=patient)
    assert genitive == again and full.split(" ")[1] == genitive.rstrip("s'")


@pytest.mark.parametrize("patient", "0123456789")
def test_a_particle_before_a_surname_and_a_comma_stays_in_small_letters(patient: str) -> None:
    [name] = outputs("[patient v. xymuster, ruthild]", patient=patient)
    assert name.startswith("v. ")


@pytest.mark.parametrize("patient", "0123456789")
@pytest.mark.parametrize(
    ("marked", "is_female"),
    [
        ("Sohn [relative Anna]", False),
        ("Tochter [relative Peter]", True),
        ("[relative Muster Anna], Sohn, 20", False),
        ("[clinician Muster, Anna], Kardiologe, Musterstadt", False),
        ("[clinician Muster, Peter], Kardiologin, Musterstadt", True),
        ("die Ehe-\nfrau [relative Xyzanntevy]", True),
        ("[patient Luca-Isabella Muster]", True),
        ("[patient Karl-Maria Muster]", False),
        ("seine Frau, [relative Eva], Mutter\n[relative Peter Muster], Arzt", None),
    ],
)
def test_a_word_beside_a_name_tells_its_sex(marked: str, is_female: bool | None, patient: str) -> None:
    last = outputs(marked, patient=patient)[-1].replace(",", "").split()
    given = [word for word in last if name_key(word.split("-")[0]) in listed_sex()]
    sexes = {listed_sex()[name_key(word.split("-")[0])] for word in given}
    assert (is_female or False) in sexes
