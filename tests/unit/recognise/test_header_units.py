"""Departments that stand alone in a header's line, and words that a scan has spoilt."""

from __future__ import annotations

import pytest

from deid_core.config import InstitutionSettings
from deid_core.gazetteer.compiled import compile_lists
from deid_core.gazetteer.kinds import ListKind
from deid_core.labels import PhiType
from deid_core.note import Note
from deid_core.recognise.base import Document
from deid_core.recognise.institution import InstitutionRecogniser
from deid_core.recognise.institution.scanned import repaired
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


BODY = "\nSehr geehrte Frau Kollegin,\nwir berichten über Anna Kraus."


@pytest.mark.parametrize(
    "name",
    [
        "Kinderklinik mit Stroke Unit",
        "Zentrale Interdisziplinäre Notaufnahme",
        "Neurologische Klinik und Poliklinik",
        "Frauenklinik",
        "Patho1ogisch-zytologisches lnstitut",
    ],
)
def test_lines_of_a_header(name: str) -> None:
    assert (name, PhiType.DEPARTMENT) in found(f"Klinikum Biberach\n{name}\nChefarzt Dr. Kraus{BODY}")


@pytest.mark.parametrize("line", ["Ambulanz", "Isolierstation", "Klinik", "Bericht der Ambulanz an Frau Kraus"])
def test_lines_that_are_no_department(line: str) -> None:
    assert all(kind is not PhiType.DEPARTMENT for _, kind in found(f"Klinikum Biberach\n{line}\nDr. Kraus{BODY}"))


@pytest.mark.parametrize(
    ("scanned", "word"),
    [
        ("K1inikum", "Klinikum"),
        ("Abtei1ung", "Abteilung"),
        ("A0K", "AOK"),
        ("lnstitut", "Institut"),
        ("Klinikurn", "Klinikum"),
        ("H0CHWALD", "HOCHWALD"),
        ("Retourn", "Retourn"),
        ("C1", "C1"),
        ("HbA1c", "HbA1c"),
        ("Klinikum", "Klinikum"),
    ],
)
def test_repaired(scanned: str, word: str) -> None:
    assert repaired(scanned) == word
