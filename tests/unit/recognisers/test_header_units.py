"""Departments that stand alone in a header's line, and words that a scan has spoilt."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deid_core.core.labels import PhiType
from deid_core.recognisers.institution.ocr import repaired

Find = Callable[[str], list[tuple[str, PhiType]]]

BODY = "\nSehr geehrte Frau Kollegin,\nwir berichten über Anna Knarz."


@pytest.mark.parametrize(
    "name",
    [
        "Anästhesiologische Klinik",
        "Kinderklinik mit Stroke Unit",
        "Zentrale Interdisziplinäre Notaufnahme",
        "Neurologische Klinik und Poliklinik",
        "Frauenklinik",
        "Patho1ogisch-zytologisches lnstitut",
    ],
)
def test_lines_of_a_header(name: str, institutions: Find) -> None:
    assert (name, PhiType.DEPARTMENT) in institutions(f"Klinikum Biberach\n{name}\nChefarzt Dr. Knarz{BODY}")


def test_several_rows_of_one_line(institutions: Find) -> None:
    """A cell too short to be read, and two units in one cell, hide none of the cells behind them."""
    line = "Abt.\tNeurologische Klinik und Poliklinik\tFrauenklinik"
    found = institutions(f"Klinikum Biberach\n{line}\nChefarzt Dr. Knarz{BODY}")
    assert ("Neurologische Klinik und Poliklinik", PhiType.DEPARTMENT) in found
    assert ("Frauenklinik", PhiType.DEPARTMENT) in found


@pytest.mark.parametrize("line", ["Ambulanz", "Isolierstation", "Klinik", "Bericht der Ambulanz an Frau Knarz"])
def test_lines_that_are_no_department(line: str, institutions: Find) -> None:
    assert all(
        kind is not PhiType.DEPARTMENT for _, kind in institutions(f"Klinikum Biberach\n{line}\nDr. Knarz{BODY}")
    )


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
