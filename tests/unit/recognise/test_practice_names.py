"""Practices by their subject, hospitals by letters, employers and clubs by kind; generic ones are none."""

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
        ("Histologie (Pathologie Singenbach, Nr. 3)", "Pathologie Singenbach"),
        ("ausstehend (Labor Elbmarsch)", "Labor Elbmarsch"),
        ("Labor Dr. Kraus und Kollegen, Biberach, meldet", "Labor Dr. Kraus und Kollegen, Biberach"),
        ("Radiologie Heidelberg, Herr", "Radiologie Heidelberg"),
        ("Humangenetik Biberach", "Humangenetik Biberach"),
    ],
)
def test_senders(text: str, name: str) -> None:
    assert found(text) == [(name, PhiType.HOSPITAL)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("im KS Biberach", "KS Biberach"),
        ("ans UKX verlegt", "UKX"),
        ("vom UMX übernommen", "UMX"),
    ],
)
def test_letters(text: str, name: str) -> None:
    assert found(text) == [(name, PhiType.HOSPITAL)]


def test_letters_of_a_hospital_that_is_spelt_out() -> None:
    text = "Universitätsklinikum Biberach\nseit Mai gelistet UKB, dort"
    assert [name for name, _ in found(text)] == ["Universitätsklinikum Biberach", "UKB"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Verkäuferin in der Drogerie Hummel.", "Drogerie Hummel"),
        ("(Holzbau Wendelin)", "Holzbau Wendelin"),
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
def test_organisations(text: str, name: str) -> None:
    assert found(text) == [(name, PhiType.ORGANISATION)]


@pytest.mark.parametrize(
    "text",
    [
        "Labor Kalium 4,1",
        "Labor Befund",
        "Facharzt für Radiologie Kraus",
        "in der Schule",
        "die Dorfschule",
        "in der Wäscherei",
        "Antikörper AK positiv",
        "ein EK Heparin",
        "das UKG zeigt",
        "im Verein",
    ],
)
def test_none_of_these(text: str) -> None:
    assert found(text) == []
