"""What a note says about its patient."""

from __future__ import annotations

from pathlib import Path

import pytest
from policy_notes import note

from deid_core.policies.patient_evidence import IDENTIFYING, EvidenceKind, evidence_of

CASES = Path(__file__).resolve().parents[2] / "cases" / "patients" / "evidence.tsv"
LINES = [line.split("\t") for line in CASES.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


@pytest.mark.parametrize(("marked", "expected"), LINES)
def test_evidence(marked: str, expected: str) -> None:
    found = [f"{kind} {value}" for kind, value in evidence_of(*note(marked)) if kind in IDENTIFYING]
    assert (" | ".join(found) or "-") == expected


@pytest.mark.parametrize(
    ("marked", "names", "births"),
    [
        ("[patient Dr. Anna\nMüller], geb. [birth_date 1.2.50]. [patient Müllers]", ["Anna Müller"], ["1950-02-01"]),
        ("[patient Müller, Anna] und [patient Anna Meier-Müller]", ["Anna Meier-Müller", "Müller, Anna"], []),
        ("Name: [patient Müller] [patient Anna] geb. [birth_date 01.02.1950]", ["Müller Anna"], ["1950-02-01"]),
        (
            "Name: [patient Müller] [patient Anna] geb. [birth_date 1.2.50]. [patient Nitro]. Frau [patient Müller]",
            ["Müller Anna Müller"],
            ["1950-02-01"],
        ),
        (
            "Name: [patient Müller] Vorname: [patient Anna] geb. [birth_date 1.2.50]. Herr [patient Müller Haldol]",
            ["Müller Anna"],
            ["1950-02-01"],
        ),
        ("Frau [patient Müller] mit [relative Peter Müller], geb. [birth_date 03.04.1980]", [], []),
    ],
)  # fmt: skip
def test_names_and_birth_dates_that_other_notes_must_not_show(marked: str, names: list[str], births: list[str]) -> None:
    found = evidence_of(*note(marked))
    assert [item.value for item in found if item.kind is EvidenceKind.NAME] == names
    assert [item.value for item in found if item.kind is EvidenceKind.BIRTH_DATE] == births
