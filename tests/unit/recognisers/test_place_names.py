"""Places that are no town, and towns that capitals or lists do not tell; anatomy and ordinary places are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deid_core.core.labels import PhiType

Find = Callable[[str], list[tuple[str, PhiType]]]


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
def test_places(text: str, name: str, institutions: Find) -> None:
    assert institutions(text) == [(name, PhiType.PLACE)]


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
def test_no_places(text: str, institutions: Find) -> None:
    assert institutions(text) == []


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
def test_towns(text: str, name: str, institutions: Find) -> None:
    assert institutions(text) == [(name, PhiType.TOWN)]


FLAT = "der patient kommt heute wieder und ist der hand mit der pause für die visite auf dem weg an den anfang, "


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("wohnt in biberach und hat", [("biberach", PhiType.TOWN)]),
        ("urlaub in dänemark gestern", [("dänemark", PhiType.COUNTRY)]),
        ("dr. knarz (heidelberg) ruft", [("heidelberg", PhiType.TOWN)]),
        ("weg 4, 78224 singen", [("singen", PhiType.TOWN)]),
        ("er will in singen", []),
    ],
)
def test_towns_in_small_letters(text: str, names: list[tuple[str, PhiType]], institutions: Find) -> None:
    assert institutions(FLAT + text) == names


def test_a_country_behind_tells_a_town(institutions: Find) -> None:
    assert institutions("Eltern in Temirlan, Kasachstan, leben") == [("Temirlan", PhiType.TOWN)]


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
def test_no_towns(text: str, institutions: Find) -> None:
    assert institutions(text) == []
