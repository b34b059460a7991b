"""What the page says of a last night that differs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from night_rows import add_nights, add_profile, in_bins
from page_lake import NOON, page_lake

from deid_core.audit_page.export import to_csv
from deid_core.audit_page.figures import gather
from deid_core.audit_page.findings import Severity
from deid_core.audit_page.page import html_page
from deid_core.audit_page.page_language import LANGUAGES
from deid_core.lake.checks.night_profile import BOUNDS, Key, Measure
from deid_core.lake.layout import Lake

VALUES = {
    Measure.LABEL: "PHONE",
    Measure.TYPE: "PER.patient",
    Measure.RECOGNISER: "letterhead",
    Measure.NAMES: "PER",
    Measure.PATIENT_EVIDENCE: "name",
    Measure.DROPPED: "stacking.drop_above",
    Measure.QUARANTINE: "corrupt",
}


def drifting_lake(folder: Path) -> Lake:
    """Twelve usual nights, and one in which every measure has half of its notes in its highest bin."""
    lake = page_lake(folder)
    add_nights(lake, 13, fingerprint="n" * 16)
    last = "20200113T000000-0"
    keys: list[Key] = [(measure.value, VALUES.get(measure, "")) for measure in Measure]
    profile = {(m, v): in_bins(m, {0: 0.5, len(BOUNDS[m]) - 1: 0.5}, 200) for m, v in keys}
    profile["names", "PER"] = in_bins("names", {1: 0.15, 2: 0.35, 3: 0.5}, 200)
    profile["quarantine", "any"] = np.array([100, 100])
    from deltalake import DeltaTable

    DeltaTable(str(lake.run_profiles)).delete(f"run_id = '{last}'")
    add_profile(lake, last, profile)
    return lake


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_measure_is_said_in_words(tmp_path: Path, language: str) -> None:
    figures = gather(drifting_lake(tmp_path), NOON)
    assert {row["measure"] for row in figures.tables["drift"]} == set(Measure)
    [finding] = [finding for finding in figures.findings if finding.name == "drift"]
    assert (finding.severity, finding.values["n"]) == (Severity.LOOK, len(figures.tables["drift"]))
    text = re.sub(r"(<[^>]+>|\s)+", " ", html_page(figures, language))
    said = {
        "en": (
            "with those of the 12 nights before",
            "Names of persons fewer than 2 30 of 200 notes",
            "Quarantine at least one 100 of 200 notes",
            "Found by: letterhead 0.50 or more for each 1,000 tokens",
        ),
        "de": (
            "mit denen der 12 Nächte davor",
            "Namen von Personen weniger als 2 30 von 200 Briefen",
            "Quarantäne mindestens einem 100 von 200 Briefen",
            "Gefunden von: letterhead 0,50 oder mehr je 1.000 Tokens",
        ),
    }
    assert [words for words in said[language] if words not in text] == []
    assert to_csv(figures)["drift.csv"].startswith(
        "run_id,measure,value,bound,below,notes,of,expected,psi,p_value,runs\n"
    )


def test_nights_that_are_alike_and_too_few_nights(tmp_path: Path) -> None:
    lake = page_lake(tmp_path)
    assert "A comparison needs 10 earlier nights" in html_page(gather(lake, NOON), "en")
    add_nights(lake, 12, fingerprint="n" * 16)
    figures = gather(lake, NOON)
    assert figures.tables["drift"] == []
    assert "Nothing differs." in html_page(figures, "en")
    assert "drift" not in [finding.name for finding in figures.findings]
