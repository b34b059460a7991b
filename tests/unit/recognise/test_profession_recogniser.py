"""Professions: sure words anywhere, staff's and families' words with evidence, and what only ends like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.config import ProfessionSettings
from deid_core.gazetteer.compiled import compile_lists
from deid_core.gazetteer.kinds import ListKind
from deid_core.labels import Label, PhiType
from deid_core.note import Note
from deid_core.recognise.base import Document
from deid_core.recognise.profession import ProfessionRecogniser
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary

GAZETTEER = compile_lists(
    {
        ListKind.PROFESSION: [
            "arbeiter", "arzt", "bankkaufmann", "bauer", "dachdecker", "fahrer", "koch", "krankenschwester", "lehrer",
            "polizeibeamter", "rentner", "schlosser", "schneider", "techniker", "trainer", "zeichner", "zimmermann",
        ]
    }
)  # fmt: skip


def detections(text: str) -> list[Detection]:
    vocabulary = Vocabulary()
    recogniser = ProfessionRecogniser(ProfessionSettings(kind="profession"), GAZETTEER, vocabulary)
    return list(recogniser.recognise(Document(Note("n", text), vocabulary.tokenise(text), vocabulary)))


def found(text: str) -> list[str]:
    return [text[d.start : d.end] for d in detections(text)]


@pytest.mark.parametrize(
    ("text", "profession"),
    [
        ("Er war Dachdecker.", "Dachdecker"),
        ("Rentnerin, lebt allein", "Rentnerin"),
        ("Witwe eines Waldarbeiters", "Waldarbeiters"),
        ("Grundschullehrerin in zweiter Ehe", "Grundschullehrerin"),
        ("die Tochter, Bankkauffrau, kommt", "Bankkauffrau"),
        ("ein Polizeibeamter kam", "Polizeibeamter"),
        ("EM-Rentner seit Mai", "EM-Rentner"),
        ("Altbaeuerin am Hof", "Altbaeuerin"),
        ("arbeitet als Koch", "Koch"),
        ("gelernter Zimmermann", "Zimmermann"),
        ("Lehre zum Schneider", "Schneider"),
        ("52-jähriger Koch, ein Glas Bier", "Koch"),
        ("der Ehemann (61, Bauer) raucht", "Bauer"),
        ("seit 1990 Koch im Gasthof", "Koch"),
        ("Tochter Olga, Krankenschwester in der Stadt", "Krankenschwester"),
        ("Beruf:\tSchlosser", "Schlosser"),
        ("Technische Zeichnerin", "Technische Zeichnerin"),
    ],
)
def test_professions(text: str, profession: str) -> None:
    assert found(text) == [profession]
    assert (detections(text)[0].label, detections(text)[0].type) == (Label.PROFESSION, PhiType.PROFESSION)


def test_what_is_joined_to_a_profession_has_its_evidence() -> None:
    assert found("früher Dachdecker und Koch, dann Schneider") == ["Dachdecker", "Koch", "Schneider"]


@pytest.mark.parametrize(
    "text",
    [
        "Herr Koch klagt",
        "Dr. Schneider, Oberarzt",
        "Frau Anna Bauer",
        "die Krankenschwester gab Insulin",
        "Ihr Hausarzt ist informiert",
        "Arzt für Allgemeinmedizin",
        "der Beifahrer blieb unverletzt",
        "Armtrainer und Stehtrainer, ein Heimtrainer",
        "die lehrer und rentner der Stadt Musterhausen sind heute alle",
        "Brief an Koch",
    ],
)
def test_names_staff_and_others_are_no_professions(text: str) -> None:
    assert found(text) == []


def test_a_text_in_small_letters_needs_no_capitals() -> None:
    text = "pat. kommt heute mit der tochter zur kontrolle, seit tagen husten und etwas fieber, kein auswurf, "
    assert found(text + "war früher dachdecker, jetzt rentner, raucht nicht mehr") == ["dachdecker", "rentner"]


@given(
    st.lists(st.sampled_from("Koch Herr als , . und Dachdecker ( ) Tochter Dr. ist \n Arzt 3".split(" ")), max_size=25)
)
def test_nothing_behind_a_salutation_or_title_is_a_profession_by_evidence(words: list[str]) -> None:
    text = " ".join(words)
    for detection in detections(text):
        before = text[: detection.start].split()
        if detection.rule == "evidence" and before:
            assert before[-1] not in ("Herr", "Dr.")
