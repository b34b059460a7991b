"""Numbers and pseudonyms: one for all mentions of a person, two for two people."""

from __future__ import annotations

import re

import pytest
from policy_notes import outputs, policy


def test_persons_have_one_number_and_one_pseudonym() -> None:
    marked = (
        "[patient Peter Müller], [relative Anna Müller], Herr [patient Müller], [patient P. Müller], [relative Anna], "
        "Dr. [clinician Schmidt], [patient Müllers]"
    )
    assert outputs(marked, policy(labels={"PER": "numbered"})) == [
        "<PER-1>", "<PER-2>", "<PER-1>", "<PER-1>", "<PER-2>", "<PER-3>", "<PER-1>"
    ]  # fmt: skip
    tokens = outputs(marked, policy(labels={"PER": "pseudonym"}))
    assert [tokens.index(token) for token in tokens] == [0, 1, 0, 0, 1, 5, 0]
    assert all(re.fullmatch(r"<PER-[0-9a-f]{12}>", token) for token in tokens)


@pytest.mark.parametrize(
    "marked",
    [
        "Dr. [clinician Xymuster], [clinician P. Xymuster]",
        "[clinician P. Xymuster], Dr. [clinician Xymuster]",
        "[clinician Xymuster, P.], Dr. [clinician Xymuster]",
        "Dr. [clinician Xymuster], [clinician H.-P. Xymuster], [clinician H. Xymuster]",
        "Dr. [clinician Muster-Xylander], [clinician Eva Muster-Xylander], [clinician E. Muster-Xylander]",
        "Herr [patient X.], [patient Peter Xymuster], Hr. [patient P. X.]",
        "[relative Irmhild X.], [relative Irmhild Xymuster]",
        "Dr. [clinician Eva Xymuster], Visite [clinician xy]",
    ],
)
@pytest.mark.parametrize("operator", ["pseudonym", "numbered"])
def test_the_mentions_of_a_person_have_one_pseudonym(marked: str, operator: str) -> None:
    assert len(set(outputs(marked, policy(labels={"PER": operator})))) == 1


@pytest.mark.parametrize(
    "marked",
    [
        "[clinician P. Xymuster], [clinician M. Xymuster]",
        "[clinician P. Xymuster], [clinician Mia Xymuster]",
        "[clinician H.-P. Xymuster], [clinician H.-G. Xymuster]",
        "[patient Eva Xymuster], Visite [clinician xy]",
        "[patient Eva Xymuster], Visite [clinician EX]",
        "[relative Irmhild X.], [relative Irmhild Muster]",
    ],
)
def test_two_people_have_two_pseudonyms(marked: str) -> None:
    assert len(set(outputs(marked, policy(labels={"PER": "pseudonym"})))) == 2


def test_a_fuller_name_has_one_pseudonym_in_all_notes_of_a_patient() -> None:
    marked = "Dr. [clinician Xymuster], [clinician P. Xymuster]"
    [*_, first] = outputs(marked, "research-gdpr", note_id="a", patient="p")
    assert outputs("[clinician P. Xymuster]", "research-gdpr", note_id="b", patient="p") == [first]
    assert outputs("[clinician P. Xymuster]", "research-gdpr", note_id="b", patient="q") != [first]


def test_values_in_another_form_have_one_number() -> None:
    settings = policy(labels={"PHONE": "numbered", "ID": "numbered"})
    assert outputs("[phone 06221/56-12], [phone 06221 5612], [id A 1], [phone 1]", settings) == [
        "<PHONE-1>", "<PHONE-1>", "<ID-1>", "<PHONE-2>"
    ]  # fmt: skip
