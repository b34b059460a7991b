"""Wards: codes where somebody is moved or lies, named wards; vertebrae, doses and times are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deid_core.core.labels import PhiType

Find = Callable[[str], list[tuple[str, PhiType]]]


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
        ("Wohngruppe Knarz", "Wohngruppe Knarz"),
        ("auf der Station Hummel gespielt", "Station Hummel"),
        ("im Saal der Abteilung K 7 gelegen", "Abteilung K 7"),
        ("an Gyn 5, Schwester", "Gyn 5"),
        ("Chir. II, Dr.", "Chir. II"),
    ],
)
def test_wards(text: str, name: str, institutions: Find) -> None:
    assert institutions(text) == [(name, PhiType.DEPARTMENT)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("wird auf die D3 verlegt, zurück auf D3.", "D3"),
        ("am 3.4. Verlegung auf C5. Drain", "C5"),
        ("wieder auf 6 Nord.", "6 Nord"),
        ("bett auf der 4b ist frei", "4b"),
    ],
)
def test_codes_alone(text: str, name: str, institutions: Find) -> None:
    assert institutions(text)[-1] == (name, PhiType.DEPARTMENT)


def test_both_codes_of_a_move(institutions: Find) -> None:
    assert [name for name, _ in institutions("intern verlegt am 3.4. von A2 nach B7;")] == ["A2", "B7"]


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
def test_no_wards(text: str, institutions: Find) -> None:
    assert institutions(text) == []
