"""`deid certify`: what the dossier says of the policy and of its texts."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("scipy", reason="needs the extra sign")
pytest.importorskip("cryptography", reason="needs the extra sign")

from review_lake import CANARY, raw_text, read_note
from signed_dossier import NOTES, add_output, content, shown, sign

from deid_core.certify.policy_rows import policy_rows
from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.lake.layout import Lake
from deid_core.policies.settings import load_policy


def test_what_a_policy_keeps_a_part_of_is_told_in_its_row(read: Lake, key: Path, tmp_path: Path) -> None:
    """All dates were found, so none was missed; but months and years leave the house."""
    add_output(read, "research-gdpr", {n: f"Herr <PER-1> kam im April 2010. {n}" for n in range(NOTES)})
    assert sign(read, key, tmp_path / "d", "--policy", "research-gdpr") == 0
    leaves = content(tmp_path / "d")["policy"]["leaves"]
    assert leaves["DATE"] == [
        {"what": "year", "n": 0, "types": ["birth_date"]}, {"what": "month", "n": 0, "types": ["date"]},
    ]  # fmt: skip
    assert leaves["LOC"] == [
        {"what": "state", "n": 0, "types": ["town"]}, {"what": "kept", "n": 0, "types": ["country"]},
    ]  # fmt: skip
    assert sorted(leaves) == ["AGE", "DATE", "LOC", "PLZ"]
    page = shown(tmp_path / "d")
    assert "Dates DATEThe policy keeps a part: the year (Date of birth); month and year (Other date).20" in page
    assert "A number counts only what was missed." in page
    assert sign(read, key, tmp_path / "thesis") == 0
    assert content(tmp_path / "thesis")["policy"]["leaves"] == {}
    assert "counts only what was missed" not in shown(tmp_path / "thesis")


def test_readers_of_placeholders_did_not_read_the_output(read: Lake, key: Path, tmp_path: Path) -> None:
    texts = {n: raw_text(n).replace(f"{CANARY}{n}", "<PER-1>") for n in range(NOTES)}
    add_output(read, "hipaa-safe-harbor", texts)
    options = ("--policy", "hipaa-safe-harbor")
    assert sign(read, key, tmp_path / "d", *options) == 0
    assert {"name": "as_placeholders", "n": 20} in content(tmp_path / "d")["exceptions"]
    assert "Of 20 drawn notes readers did not see the text of this output" in shown(tmp_path / "d")
    for number in range(NOTES - 1):
        read_note(read, number, "patient", output=texts[number])
    read_note(read, NOTES - 1, "patient", output="as it was before")
    assert sign(read, key, tmp_path / "again", *options) == 0
    assert {"name": "as_placeholders", "n": 1} in content(tmp_path / "again")["exceptions"]
    assert sign(read, key, tmp_path / "thesis") == 0
    assert "as_placeholders" not in {row["name"] for row in content(tmp_path / "thesis")["exceptions"]}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("{AGE: {operator: generalise, band_years: 1, top: 90}}", {"AGE": [("age", 90)]}),
        ("{AGE: {operator: generalise}, PLZ: {operator: generalise}}", {"AGE": [("band", 5)], "PLZ": [("digits", 2)]}),
        ("{DATE: {operator: shift, years: keep}}", {"DATE": [("shifted", 0), ("year_alone", 0)]}),
        ("{DATE: {operator: shift, years: shift}, PER: pseudonym, ID: typed}", {"DATE": [("shifted", 0)]}),
        ("{SALUTE: keep, AGE: keep, ORG: surrogate}", {"ORG": [("invented", 0)]}),
    ],
)
def test_what_each_operator_lets_stand(tmp_path: Path, labels: str, expected: dict[str, object]) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(f"name: own\ndescription: d\nbasis: [b]\nassumptions: [a]\nlabels: {labels}\n")
    leaves = policy_rows(load_policy(str(file)))["leaves"]
    assert {label: [(row["what"], row["n"]) for row in rows] for label, rows in leaves.items()} == expected


def test_texts_of_another_policy(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sign(read, key, tmp_path / "d", "--policy", "readable") == ExitCode.USAGE
    assert "the lake has no texts of it" in capsys.readouterr().err
    add_output(read, "readable", {n: f"Herr Wagenknecht {n}" for n in range(18)})
    assert sign(read, key, tmp_path / "d", "--policy", "readable") == 0
    found = content(tmp_path / "d")
    assert found["corpus"]["table"] == "deidentified_readable"
    assert (found["corpus"]["notes"], found["corpus"]["not_covered"]["without_output"]) == (18, 2)
    assert found["policy"]["keeps_all_of"] == ["SALUTE", "TITLE", "AGE"]
    assert "Ages AGEthe policy keeps it" in shown(tmp_path / "d")
    assert main(["certify", "verify", str(tmp_path / "d"), "--lake", str(read.root)]) == 0


def test_a_policy_that_keeps_names_cannot_be_certified(
    read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "names.yaml").write_text(
        "name: names\ndescription: names stay\nbasis: [b]\nassumptions: [a]\nlabels: {PER: keep}\n"
    )
    assert sign(read, key, tmp_path / "d", "--policy", str(tmp_path / "names.yaml")) == ExitCode.USAGE
    assert "keeps patients' names" in capsys.readouterr().err
