"""`deid certify`: from a plan to a signed dossier, and what it says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("scipy", reason="needs the extra sign")
pytest.importorskip("cryptography", reason="needs the extra sign")

from deltalake import DeltaTable
from review_lake import CANARY, READER, note_id, read_note, review_lake
from signed_dossier import NOTES, SECOND, content, shown, sign

from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.lake.layout import Lake
from deid_core.lake.tables.lake_table import Tables


def test_the_sentence_and_what_it_rests_on(
    read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All notes were read, so the share is known: 1 of 20."""
    assert sign(read, key, tmp_path / "d") == 0
    printed = capsys.readouterr().out
    assert "With 95% confidence at most 500 of 10,000 notes show a patient's name." in printed
    page = shown(tmp_path / "d")
    assert "With 95 % confidence at most 500 of 10,000 notes show a patient&#39;s name." in page
    assert "Readers read 20 notes, drawn at random. They found a patient&#39;s name in 1 of them." in page
    for text in (printed, page):
        assert "The plan was made for at most 100 of 10,000. That is not met." in text
    found = content(tmp_path / "d")
    rows = {row["leak"]: (row["leaking"], row["at_most_of_10000"]) for row in found["results"]["leaks"]}
    assert (rows["patient"], rows["any"], rows["PER"], rows["LOC"]) == ((1, 500), (1, 500), (1, 500), (0, 0))
    assert [(row["first_year"], row["notes"], row["at_most_of_10000"]) for row in found["results"]["years"]] == [
        (2010, 10, 1000), (2011, 10, 0),
    ]  # fmt: skip
    assert found["corpus"]["pipelines"] == {"f" * 16: NOTES}
    assert found["policy"]["name"] == "thesis" and found["policy"]["assumptions"]
    assert found["sweep"] == []


def test_notes_that_nobody_can_have_read(lake: Lake, key: Path, tmp_path: Path) -> None:
    """A note has 9 words. Notes a second apart are 540 words a minute, notes of one second far more."""
    for number in range(NOTES):
        read_note(lake, number, "patient", seconds=number)
    assert sign(lake, key, tmp_path / "slow") == 0
    found = content(tmp_path / "slow")
    assert found["review"]["words_a_minute"] == 540
    assert "fast_reading" not in {row["name"] for row in found["exceptions"]}
    assert "the fastest reader read 540 words a minute" in shown(tmp_path / "slow")
    for number in range(NOTES):
        read_note(lake, number, "patient", seconds=0)
    assert sign(lake, key, tmp_path / "fast") == 0
    assert {"name": "fast_reading", "n": 19 * 9 * 60} in content(tmp_path / "fast")["exceptions"]
    assert "10,260 words were read in a minute" in shown(tmp_path / "fast")


def test_years_of_which_nothing_or_everything_was_read(tmp_path: Path, key: Path) -> None:
    """A plan of 3 notes, all of 2011; then one of all notes."""
    lake = review_lake(tmp_path, NOTES)
    plan = ["certify", "plan", "--lake", str(lake.root), "--seed", "b", "--simple", "--at-most", "9999"]
    assert main(plan) == 0
    sample = json.loads((lake.sampling_plan / "plan.json").read_text())["sample"]
    drawn = {note["note_id"] for note in sample}
    for number in range(NOTES):
        if note_id(number) in drawn:
            read_note(lake, number)
    assert sign(lake, key, tmp_path / "few") == 0
    assert "201010none was read" in shown(tmp_path / "few")
    assert "2011103" in shown(tmp_path / "few") and "all read" not in shown(tmp_path / "few")
    assert main([*plan[:-1], "100", "--again"]) == 0
    for number in range(NOTES):
        read_note(lake, number)
    assert sign(lake, key, tmp_path / "all") == 0
    page = shown(tmp_path / "all")
    for year in (2010, 2011):
        assert f"{year}1010000 (all read)" in page
    assert "none was read" not in page


def test_an_aim_that_is_met(tmp_path: Path, key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake = review_lake(tmp_path, 2)
    assert main(["certify", "plan", "--lake", str(lake.root), "--seed", "s"]) == 0
    for number in range(2):
        read_note(lake, number)
    assert sign(lake, key, tmp_path / "d") == 0
    assert "not met" not in capsys.readouterr().out + shown(tmp_path / "d")


def test_in_german(read: Lake, key: Path, tmp_path: Path) -> None:
    assert sign(read, key, tmp_path / "d", "--language", "de") == 0
    assert "Mit 95 % Sicherheit zeigen höchstens 500 von 10.000 Briefen den Namen eines Patienten." in shown(
        tmp_path / "d"
    )


def test_the_same_lake_gives_the_same_bytes(read: Lake, key: Path, tmp_path: Path) -> None:
    shutil.copytree(read.root, tmp_path / "copy")
    assert sign(read, key, tmp_path / "a") == sign(Lake.at(tmp_path / "copy"), key, tmp_path / "b") == 0
    names = sorted(file.name for file in (tmp_path / "a").iterdir())
    assert names == ["SHA256SUMS", "SHA256SUMS.sig", "corpus.csv", "dossier.html", "dossier.json", "public-key.pem"]
    assert all((tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes() for name in names)


def test_no_file_names_anybody(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Texts, paths and the redacted text of the leaking note hold the name; notes have ids, readers names."""
    read_note(read, 1, "patient", reader=SECOND)
    assert sign(read, key, tmp_path / "d") == 0
    printed = "".join(capsys.readouterr()).lower()
    secrets = [CANARY.lower(), READER.name, SECOND.name, note_id(1), note_id(0)]
    assert not [secret for secret in secrets if secret in printed]
    for file in (tmp_path / "d").iterdir():
        data = file.read_bytes().decode("latin-1").lower()
        assert not [secret for secret in [*secrets, str(read.root)] if secret in data], file.name


def test_notes_that_change_after_the_plan_are_not_covered_and_hide_nothing(
    lake: Lake, key: Path, tmp_path: Path
) -> None:
    """The leak was read and then mended; another note changed unread. As many as before may leak of those left."""
    for number in range(NOTES - 1):
        read_note(lake, number, "patient")
    for number in (0, NOTES - 1):
        DeltaTable(str(lake.deidentified)).update(
            predicate=f"note_id = '{note_id(number)}'", new_values={"text": "mended"}
        )
    assert sign(lake, key, tmp_path / "d") == 0
    found = content(tmp_path / "d")
    assert found["statement"]["of_10000"] == 1112  # 2 of the 18 that are left
    assert found["corpus"]["notes"] == 18
    assert found["corpus"]["not_covered"] == {"later_or_changed": 2, "without_output": 0}
    assert {"name": "lost", "n": 1} in found["exceptions"]
    assert "1 drawn note changed or went before it was read. It was counted as one that leaks." in shown(tmp_path / "d")


def test_a_leak_outside_of_the_sample_is_told(tmp_path: Path, key: Path) -> None:
    lake = review_lake(tmp_path, 60, leaking=range(60))
    plan = ["certify", "plan", "--lake", str(lake.root), "--seed", "s", "--at-most", "3000", "--simple"]
    assert main(plan) == 0
    drawn = {note["note_id"] for note in json.loads((lake.sampling_plan / "plan.json").read_text())["sample"]}
    assert len(drawn) == 10
    for number in range(60):
        if note_id(number) in drawn:
            read_note(lake, number)
    other = next(number for number in range(60) if note_id(number) not in drawn)
    read_note(lake, other, "patient")
    assert sign(lake, key, tmp_path / "d") == 0
    found = content(tmp_path / "d")
    assert {"name": "known_leaks", "n": 1} in found["exceptions"]
    assert found["statement"]["of_10000"] == 2589  # 1 - 0.05 ** (1 / 10)
    # Without strata each year has its own bound.
    years = found["results"]["years"]
    assert [(row["first_year"], row["notes"]) for row in years] == [(2010, 30), (2011, 30)]
    assert sum(row["read"] for row in years) == 10 and all(row["at_most_of_10000"] > 2589 for row in years)


def test_a_second_plan_is_told(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = ["certify", "plan", "--lake", str(read.root)]
    assert main(plan) == ExitCode.USAGE
    assert "--again" in capsys.readouterr().err
    assert main([*plan, "--again"]) == 0
    assert sign(read, key, tmp_path / "d") == 0
    assert {"name": "earlier_plans", "n": 1} in content(tmp_path / "d")["exceptions"]


def test_the_sweep_is_in_it_if_the_lake_has_one(read: Lake, key: Path, tmp_path: Path) -> None:
    row = {"source": "header", "kind": "name", "outcome": "redacted", "recogniser": "crf", "notes": 1, "places": 2}
    Tables(read).leak_sweep.add(row | {"year": 2011}, row | {"year": 2010})
    assert sign(read, key, tmp_path / "d") == 0
    assert [row["year"] for row in content(tmp_path / "d")["sweep"]] == [2010, 2011]
    assert "NameThe head of the notecrfRemoved24" in shown(tmp_path / "d")
    assert sign(read, key, tmp_path / "de", "--language", "de") == 0
    page = shown(tmp_path / "de")
    assert "Hätte finden sollen" in page and "Geblieben, gewöhnliches Wort" not in page
    for english in ("redacted", "outcome", "2026-", "Lake"):
        assert english not in page, english
    assert "01.03.2026, 02:00 UTC" in page
    assert 'lang="en">a placeholder with the label' in (tmp_path / "de" / "dossier.html").read_text(encoding="utf-8")
