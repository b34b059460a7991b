"""Practices by their subject, hospitals by letters, employers and clubs by kind; generic ones are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deid_core.core.labels import PhiType

Find = Callable[[str], list[tuple[str, PhiType]]]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Histologie (Pathologie Singenbach, Nr. 3)", "Pathologie Singenbach"),
        ("ausstehend (Labor Elbmarsch)", "Labor Elbmarsch"),
        ("Labor Dr. Knarz und Kollegen, Biberach, meldet", "Labor Dr. Knarz und Kollegen, Biberach"),
        ("Radiologie Heidelberg, Herr", "Radiologie Heidelberg"),
        ("Humangenetik Biberach", "Humangenetik Biberach"),
    ],
)
def test_senders(text: str, name: str, institutions: Find) -> None:
    assert institutions(text) == [(name, PhiType.HOSPITAL)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("im KS Biberach", "KS Biberach"),
        ("ans UKX verlegt", "UKX"),
        ("vom UMX übernommen", "UMX"),
    ],
)
def test_letters(text: str, name: str, institutions: Find) -> None:
    assert institutions(text) == [(name, PhiType.HOSPITAL)]


def test_letters_of_a_hospital_that_is_spelt_out(institutions: Find) -> None:
    text = "Universitätsklinikum Biberach\nseit Mai gelistet UKB, dort"
    assert [name for name, _ in institutions(text)] == ["Universitätsklinikum Biberach", "UKB"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Verkäuferin in der Drogerie Hummel.", "Drogerie Hummel"),
        ("(Holzbau Xylander)", "Holzbau Xylander"),
        ("Mitglied im Trachtenverein Biberach", "Trachtenverein Biberach"),
        ("durch die Polizei Biberach", "Polizei Biberach"),
        ("Kopie: KESB Biberach", "KESB Biberach"),
        ("besucht die Pestalozzischule", "Pestalozzischule"),
        ("die Kormoran-Grundschule", "Kormoran-Grundschule"),
        ("von der Holz-Berufsgenossenschaft", "Holz-Berufsgenossenschaft"),
        ("beim HC Biberach", "HC Biberach"),
        ("bei Pro Senectute", "Pro Senectute"),
        ("unter der SUVA-Nummer 3", "SUVA"),
        ("im DRK-Ortsverein", "DRK-Ortsverein"),
        ("die Hummel-Grundschule", "Hummel-Grundschule"),
    ],
)
def test_organisations(text: str, name: str, institutions: Find) -> None:
    assert institutions(text) == [(name, PhiType.ORGANISATION)]


@pytest.mark.parametrize(
    "text",
    [
        "Labor Kalium 4,1",
        "Labor Befund",
        "Facharzt für Radiologie Knarz",
        "in der Schule",
        "die Dorfschule",
        "in der Wäscherei",
        "Antikörper AK positiv",
        "ein EK Heparin",
        "das UKG zeigt",
        "im Verein",
    ],
)
def test_none_of_these(text: str, institutions: Find) -> None:
    assert institutions(text) == []
