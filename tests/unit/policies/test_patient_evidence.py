"""What a note says about its patient."""

from __future__ import annotations

from pathlib import Path

import pytest
from policy_notes import note

from deid_core.policies.patient_evidence import evidence_of

CASES = Path(__file__).resolve().parents[2] / "cases" / "patients" / "evidence.tsv"
LINES = [line.split("\t") for line in CASES.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


@pytest.mark.parametrize(("marked", "expected"), LINES)
def test_evidence(marked: str, expected: str) -> None:
    found = [f"{kind} {value}" for kind, value in evidence_of(*note(marked))]
    assert (" | ".join(found) or "-") == expected
