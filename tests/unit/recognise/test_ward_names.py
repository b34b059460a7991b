"""Wards: codes where somebody is moved or lies, named wards; vertebrae, doses and times are none."""

from __future__ import annotations

import pytest

from deid_core.config import InstitutionSettings
from deid_core.gazetteer.compiled import compile_lists
from deid_core.gazetteer.kinds import ListKind
from deid_core.labels import PhiType
from deid_core.note import Note
from deid_core.recognise.base import Document
from deid_core.recognise.institution import InstitutionRecogniser
from deid_core.tokens import Vocabulary

GAZETTEER = compile_lists(
    {
        ListKind.FIRST_NAME: ["Anna"],
        ListKind.SURNAME: ["Kraus"],
        ListKind.TOWN: ["Heidelberg", "Biberach", "Singen"],
        ListKind.REGION: ["Odenwald"],
        ListKind.COUNTRY: ["Kasachstan", "Dänemark"],
        ListKind.CLINIC_WORD: ["klinik", "kardiologie", "innere", "station", "praxis", "abteilung", "labor"],
        ListKind.MEDICAL_WORD: ["lunge", "herz", "kalium", "befund", "gallenstein"],
        ListKind.STOP_WORD: ["der", "die", "und", "für", "auf", "in", "aus", "war", "an"],
        ListKind.COMMON_WORD: [
            "medizin", "tage", "besserung", "hummel", "singen", "pause", "bauernhof", "markt", "visite", "weg",
            "heute", "gestern", "patient", "schule", "dorf", "wald", "hand", "wohnt", "urlaub", "wieder", "kommt",
        ],
    }
)  # fmt: skip


def found(text: str) -> list[tuple[str, PhiType]]:
    vocabulary = Vocabulary()
    recogniser = InstitutionRecogniser(InstitutionSettings(kind="institution"), GAZETTEER, vocabulary)
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    return [(text[d.start : d.end], d.type) for d in recogniser.recognise(document)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Übernahme auf die Intensivstation B2, dort", "Intensivstation B2"),
        ("danach Wachstation 1/2.", "Wachstation 1/2"),
        ("Stroke Unit D4, Telefon", "Stroke Unit D4"),
        ("auf Station C1 hat er", "Station C1"),
        ("Station 6/III, Herr", "Station 6/III"),
        ("STATION 2 LEE", "STATION 2 LEE"),
        ("Verlegt ITS 2, Bett", "ITS 2"),
        ("auf der KMT 3 betreut", "KMT 3"),
        ("auf Intensiv 2.", "Intensiv 2"),
        ("Wohngruppe Kraus", "Wohngruppe Kraus"),
        ("auf der Station Hummel gespielt", "Station Hummel"),
        ("im Saal der Abteilung K 7 gelegen", "Abteilung K 7"),
        ("an Gyn 5, Schwester", "Gyn 5"),
        ("Chir. II, Dr.", "Chir. II"),
    ],
)
def test_wards(text: str, name: str) -> None:
    assert found(text) == [(name, PhiType.DEPARTMENT)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("wird auf die D3 verlegt, zurück auf D3.", "D3"),
        ("am 3.4. Verlegung auf C5. Drain", "C5"),
        ("wieder auf 6 Nord.", "6 Nord"),
        ("bett auf der 4b ist frei", "4b"),
    ],
)
def test_codes_alone(text: str, name: str) -> None:
    assert found(text)[-1] == (name, PhiType.DEPARTMENT)


def test_both_codes_of_a_move() -> None:
    assert [name for name, _ in found("intern verlegt am 3.4. von A2 nach B7;")] == ["A2", "B7"]


@pytest.mark.parametrize(
    "text",
    [
        "Ausstrahlung von C5 nach C6",
        "Stadium IPS 3",
        "auf 3 Tage",
        "ITS 3 Tage",
        "Gyn 3 Monate",
        "auf Station Visite",
        "Station besprochen",
        "Manifestation 2010",
        "nach B12 Gabe",
    ],
)
def test_no_wards(text: str) -> None:
    assert found(text) == []
