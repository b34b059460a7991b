"""Places that are no town, and towns that capitals or lists do not tell; anatomy and ordinary places are none."""

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
        ("Senn auf der Alp Musterboden", "Alp Musterboden"),
        ("am Flughafen Biberach", "Flughafen Biberach"),
        ("in der Kapelle St. Anna", "Kapelle St. Anna"),
        ("Unfall am Lerchenjoch", "Lerchenjoch"),
        ("geht zum Grantelbach hinunter", "Grantelbach"),
        ("um den Biberacher Weiher", "Biberacher Weiher"),
        ("am Schwarzen Meer", "Schwarzen Meer"),
        ("lebt an der Elbe", "Elbe"),
        ("auf der B 27 verunglückt", "B 27"),
        ("Unfall auf der A7", "A7"),
        ("Semmelweisring 2, Haus 14\n", "Haus 14"),
        ("im Restaurant Zur Hummel", "Restaurant Zur Hummel"),
    ],
)
def test_places(text: str, name: str) -> None:
    assert found(text) == [(name, PhiType.PLACE)]


@pytest.mark.parametrize(
    "text",
    [
        "auf dem Bauernhof",
        "Am Grantelbach 7",
        "Biberach an der Elbe",
        "Frau von Grantelbach",
        "im Gallenstein",
        "im Innenmeniskushinterhorn",
        "Vitamin B 12",
        "auf der A3",
        "Wegen Besserung",
        "im Wald",
        "Haus 3 Tage",
        "RIVA gut Gefüllt",
    ],
)
def test_no_places(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("geboren in Temirlan.", "Temirlan"),
        ("aus Temirlan stammend", "Temirlan"),
        ("sie kam über Temirlan (dort", "Temirlan"),
        ("seit 1950 in Unterdorfen.", "Unterdorfen"),
        ("lebt in Grantelbach.", "Grantelbach"),
    ],
)
def test_towns(text: str, name: str) -> None:
    assert found(text) == [(name, PhiType.TOWN)]


FLAT = "der patient kommt heute wieder und ist der hand mit der pause für die visite auf dem weg an den anfang, "


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("wohnt in biberach und hat", [("biberach", PhiType.TOWN)]),
        ("urlaub in dänemark gestern", [("dänemark", PhiType.COUNTRY)]),
        ("dr. kraus (heidelberg) ruft", [("heidelberg", PhiType.TOWN)]),
        ("weg 4, 78224 singen", [("singen", PhiType.TOWN)]),
        ("er will in singen", []),
    ],
)
def test_towns_in_small_letters(text: str, names: list[tuple[str, PhiType]]) -> None:
    assert found(FLAT + text) == names


def test_a_country_behind_tells_a_town() -> None:
    assert found("Eltern in Temirlan, Kasachstan, leben") == [("Temirlan", PhiType.TOWN)]


@pytest.mark.parametrize(
    "text",
    [
        "in Kurzzeitpflege",
        "aus Trachealsekret",
        "in Lymph- und Blutgefäße",
        "in Begl. der Mutter",
        "aus Altakte",
    ],
)
def test_no_towns(text: str) -> None:
    assert found(text) == []
