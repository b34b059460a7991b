"""`deid release`: what a receiver gets, that it never changes, and what becomes of withdrawn patients."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path
from unittest import mock

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("scipy", reason="needs the extra sign")
pytest.importorskip("cryptography", reason="needs the extra sign")

import pyarrow.parquet as pq
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from deltalake import DeltaTable, write_deltalake
from review_lake import CANARY, note_id, read_note, review_lake

from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.core.files import content_sha256, part_of
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ledger import read_ledger
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import LakeTable, Tables
from deid_core.policies.settings import load_policy

NOTES = 6
MOVED = date(2009, 7, 3)
"""What the letterhead of each note has after a policy."""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "signing.pem"
    made = Ed25519PrivateKey.generate()
    path.write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o400)
    return path


@pytest.fixture
def lake(tmp_path: Path, key: Path) -> Lake:
    """Notes whose names were removed, and a dossier of all of them in `dossier`."""
    lake = review_lake(tmp_path, NOTES)
    (tmp_path / "out").mkdir()
    sign(lake, key, tmp_path / "dossier")
    return lake


def sign(lake: Lake, key: Path, dossier: Path) -> None:
    plan = ["certify", "plan", "--lake", str(lake.root), "--again", "--seed", "s"]
    assert main(plan) == 0
    for number in range(NOTES):
        if f"{note_id(number)}" in (lake.sampling_plan / "plan.json").read_text():
            read_note(lake, number, "patient")
    arguments = ["--lake", str(lake.root), "--key", str(key), "--output", str(dossier)]
    assert main(["certify", "sign", *arguments]) == 0


def release(lake: Lake, name: str, *options: str, output: str = "out") -> int:
    folder = lake.root.parent
    arguments = ["--lake", str(lake.root), "--name", name, "--output", str(folder / output), *options]
    return main(["release", *arguments])


def with_dossier(lake: Lake) -> tuple[str, str]:
    return "--dossier", str(lake.root.parent / "dossier")


def rows(folder: Path) -> dict[str, dict[str, object]]:
    return {row["note_id"]: row for row in pq.read_table(folder / "data" / "notes.parquet").to_pylist()}


def changes(folder: Path) -> set[tuple[str, str]]:
    with (folder / "changes.csv").open(newline="") as file:
        return {(row["note_id"], row["change"]) for row in csv.DictReader(file)}


def test_what_is_in_a_release(lake: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release(lake, "2026.1", *with_dossier(lake), "--key", str(key), "--creator", "Klinik Musterstadt") == 0
    folder = tmp_path / "out" / "2026.1"
    assert f"{folder}: {NOTES} notes" in capsys.readouterr().out
    found = rows(folder)
    assert len(found) == NOTES and {row["year"] for row in found.values()} == {2010, 2011}
    assert "<PER> kam am" in str(found[note_id(0)]["text"])
    assert not {"batch", "run_id", "tokens"} & found[note_id(0)].keys()
    assert {path.name for path in folder.iterdir()} == {
        "data", "dossier", "README.md", "croissant.json", "changes.csv", "SHA256SUMS", "SHA256SUMS.sig",
        "public-key.pem",
    }  # fmt: skip
    assert changes(folder) == set()
    assert not [path for path in [folder, *folder.rglob("*")] if path.stat().st_mode & 0o222]
    capsys.readouterr()
    assert main(["certify", "verify", str(folder), "--public-key", str(folder / "public-key.pem")]) == 0
    assert f"and {NOTES} texts are as they were signed" in capsys.readouterr().out


def test_the_data_card(lake: Lake, tmp_path: Path) -> None:
    assert release(lake, "2026.1", *with_dossier(lake), "--licence", "by contract") == 0
    folder = tmp_path / "out" / "2026.1"
    card = json.loads((folder / "croissant.json").read_text())
    assert (card["@type"], card["conformsTo"]) == ("sc:Dataset", "http://mlcommons.org/croissant/1.0")
    assert (card["version"], card["license"]) == ("2026.1", "by contract")
    assert "6 de-identified German clinical letters. With 95% confidence at most 0 of 10,000" in card["description"]
    [file] = card["distribution"]
    assert content_sha256(folder / file["contentUrl"]) == file["sha256"]
    fields = {field["name"]: field for field in card["recordSet"][0]["field"]}
    assert list(fields) == pq.read_schema(folder / "data" / "notes.parquet").names
    assert fields["text"]["description"] == "The note with placeholders in place of identifying text."


def test_the_readme(lake: Lake, tmp_path: Path) -> None:
    assert release(lake, "2026.1", *with_dossier(lake)) == 0
    readme = (tmp_path / "out" / "2026.1" / "README.md").read_text()
    assert "Notes: 6. Patients: 1. Notes whose patient is not known: 6;" in readme
    assert "Notes without a note_date: 6." in readme
    assert "pipeline default. Policy: thesis." in readme and "deid 0.5.0," in readme
    assert "may still be readable.\nWith 95% confidence at most 0 of 10,000 notes show a patient's name" in readme
    assert "| text | text | no | The note with placeholders in place of identifying text. |" in readme
    assert "| year | whole number | no | " in readme and "| note_date | day, YYYY-MM-DD | yes | " in readme
    assert "| patient | PER | placeholder | `<LABEL>` |" in readme
    assert "**Gone" in readme and "**Exact" not in readme and "**Invented" not in readme


def test_the_readme_says_what_the_operators_of_a_policy_leave(lake: Lake, tmp_path: Path) -> None:
    key_id, policy = "i", load_policy("research-gdpr")
    output(lake, policy.name, {0: 2010}, policy.fingerprint(key_id))
    output(lake, "readable", {1: 2010})
    output(lake, "teaching", {2: 2010})
    for number, name in enumerate(("research-gdpr", "readable", "teaching")):
        assert release(lake, f"{number}", "--without-dossier", "--policy", name) == 0
    gdpr, readable, teaching = ((tmp_path / "out" / name / "README.md").read_text() for name in "012")
    assert "- **Exact.** country, salute, title." in gdpr and "no bound is known" in gdpr
    assert "- **Coarse (less than was written).** town (the state of a large town); birth_date (the year); " in gdpr
    assert "age (a band of 5 years)" in gdpr and "with other settings" not in gdpr
    assert "note_date is the first day of the month" in gdpr and "Equal tokens" in gdpr
    assert "between notes (note_date), are exact" in readable and "stayed and dates moved" in readable
    assert "1 notes were made with other settings of the policy" in readable
    assert "- **Moved by the same days in all notes of a patient.** birth_date, date." in readable
    assert "teaching is no policy that deid ships" in teaching and "| patient |" not in teaching
    assert all("2010" not in readme for readme in (gdpr, readable, teaching))


def test_the_data_card_is_valid_croissant(lake: Lake, tmp_path: Path) -> None:
    pytest.importorskip("mlcroissant")
    assert release(lake, "2026.1", "--without-dossier") == 0
    program = "import sys, mlcroissant; print(sum(1 for _ in mlcroissant.Dataset(sys.argv[1]).records('notes')))"
    card = str(tmp_path / "out" / "2026.1" / "croissant.json")
    done = subprocess.run([sys.executable, "-c", program, card], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(NOTES), done.stderr


def test_only_what_the_dossier_covers_is_released(lake: Lake, tmp_path: Path) -> None:
    """A text that changed after the signature stays out; so does one that came later."""
    change(lake, 0, "later")
    assert release(lake, "2026.1", *with_dossier(lake)) == 0
    assert set(rows(tmp_path / "out" / "2026.1")) == {note_id(number) for number in range(1, NOTES)}


def change(lake: Lake, number: int, text: str) -> None:
    DeltaTable(str(lake.deidentified)).update(predicate=f"note_id = '{note_id(number)}'", new_values={"text": text})


def remove(lake: Lake, number: int, state: str) -> None:
    """Do to a note what a run does if it is deleted, or its patient withdrawn."""
    ledger = Tables(lake).ledger
    row = read_ledger(lake)[note_id(number)]
    gone = row.withdrawn("0" * 64, run_id="r") if state == "withdrawn" else row.deleted(run_id="r")
    ledger.upsert([{name: getattr(gone, name) for name in ledger.columns.names}])
    for table in (lake.deidentified, lake.phi_audit):
        DeltaTable(str(table)).delete(f"note_id = '{note_id(number)}'")


def test_differences_and_withdrawn_patients(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release(lake, "2026.1", "--without-dossier") == 0
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    change(lake, 1, "changed")
    remove(lake, 2, "deleted")
    remove(lake, 3, "withdrawn")
    capsys.readouterr()
    assert release(lake, "2026.2", "--without-dossier") == 0
    told = capsys.readouterr().out
    assert "since 2026.1: 0 added, 1 changed, 1 removed" in told
    assert "1 notes of withdrawn patients were in earlier releases" in told
    second = {(note_id(1), "changed"), (note_id(2), "removed"), (note_id(3), "withdrawn")}
    assert changes(tmp_path / "out" / "2026.2") == second
    assert set(rows(tmp_path / "out" / "2026.2")) == {note_id(number) for number in (0, 1, 4, 5)}
    # Whoever skipped a release is listed as well.
    remove(lake, 4, "withdrawn")
    assert release(lake, "2026.3", "--without-dossier") == 0
    assert changes(tmp_path / "out" / "2026.3") == {(note_id(3), "withdrawn"), (note_id(4), "withdrawn")}
    # What was released stays as it was.
    assert {path: path.read_bytes() for path in before} == before


def test_a_name_is_used_once(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release(lake, "2026.1", "--without-dossier") == 0
    assert release(lake, "2026.1", "--without-dossier") == ExitCode.USAGE
    shutil.rmtree(tmp_path / "out" / "2026.1")
    assert release(lake, "2026.1", "--without-dossier") == ExitCode.USAGE
    assert "a name is used once" in capsys.readouterr().err


def test_a_release_that_was_killed_before_it_got_its_name_is_made_again(lake: Lake, tmp_path: Path) -> None:
    assert release(lake, "2026.1", "--without-dossier") == 0
    folder = tmp_path / "out" / "2026.1"
    before = rows(folder)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o700)
    folder.rename(part_of(folder))
    assert release(lake, "2026.1", "--without-dossier") == 0
    assert rows(folder) == before
    assert [path.name for path in folder.parent.iterdir()] == ["2026.1"]
    assert len((lake.releases / "releases.jsonl").read_text().splitlines()) == 1
    assert release(lake, "2026.2", "--without-dossier") == 0
    assert changes(tmp_path / "out" / "2026.2") == set()


def test_a_changed_byte_of_a_release_is_found(lake: Lake, key: Path, tmp_path: Path) -> None:
    assert release(lake, "2026.1", *with_dossier(lake), "--key", str(key)) == 0
    folder = tmp_path / "out" / "2026.1"
    verify = ["certify", "verify", str(folder)]
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = file.read_bytes()
        file.chmod(0o600)
        file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        assert main(verify) == ExitCode.QUARANTINE, file.name
        file.write_bytes(whole)
    assert main(verify) == 0


def test_texts_that_the_dossier_does_not_cover_are_found(lake: Lake, tmp_path: Path) -> None:
    """Even where somebody made the checksums anew."""
    assert release(lake, "2026.1", *with_dossier(lake)) == 0
    folder = tmp_path / "out" / "2026.1"
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o700)
    file = folder / "data" / "notes.parquet"
    table = pq.read_table(file)
    pq.write_table(table.set_column(table.column_names.index("text"), "text", [["other"] * len(table)]), file)
    sums = folder / "SHA256SUMS"
    lines = [line for line in sums.read_text().splitlines() if not line.endswith("data/notes.parquet")]
    sums.write_text("\n".join([*lines, f"{content_sha256(file)}  data/notes.parquet", ""]))
    assert main(["certify", "verify", str(folder)]) == ExitCode.QUARANTINE


def test_no_file_names_anybody_and_none_is_open_to_others(lake: Lake, key: Path, tmp_path: Path) -> None:
    assert release(lake, "2026.1", *with_dossier(lake), "--key", str(key)) == 0
    for file in (path for path in (tmp_path / "out").rglob("*") if path.is_file()):
        content = file.read_bytes()
        if file.suffix == ".parquet":
            content += repr(pq.read_table(file).to_pylist()).encode()
        assert CANARY.lower() not in content.decode("latin-1").lower(), file.name
        assert str(lake.root).encode() not in content, file.name
        assert not file.stat().st_mode & 0o077, file.name


def test_an_export_of_what_was_released_under_another_policy(
    lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output(lake, "readable", {0: 2010, 1: 2010})
    assert release(lake, "2026.1", *with_dossier(lake)) == 0
    export = ["export", "--lake", str(lake.root), "--output"]
    assert main([*export, str(tmp_path / "same")]) == 0 and capsys.readouterr().err == ""
    assert main([*export, str(tmp_path / "other"), "--policy", "readable"]) == 0
    assert "some of these notes were released with another policy (2026.1)" in capsys.readouterr().err
    assert "Not for whoever has 2026.1" in (tmp_path / "other" / "README.md").read_text()
    # An account that may read `clean` alone cannot know.
    closed = mock.Mock(side_effect=PermissionError)
    monkeypatch.setattr("deid_core.certify.earlier_releases.releases", closed)
    assert main([*export, str(tmp_path / "clean-only"), "--policy", "readable"]) == 0
    assert "could not read restricted/releases, so it was not checked" in capsys.readouterr().err


def test_an_output_of_a_policy(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output(lake, "readable", {0: 2010, 1: 2010, 2: 2010})
    assert release(lake, "2026.1", *with_dossier(lake), "--policy", "readable") == ExitCode.USAGE
    assert "is of clean/deidentified, not of clean/deidentified_readable" in capsys.readouterr().err
    assert release(lake, "2026.1", "--without-dossier", "--policy", "readable") == 0
    found = rows(tmp_path / "out" / "2026.1")
    assert len(found) == 3 and found[note_id(0)]["text"] == "Wagenknecht 0"
    assert found[note_id(0)]["note_date"] == MOVED
    assert '"sc:Date"' in (tmp_path / "out" / "2026.1" / "croissant.json").read_text()
    # Another table has differences of its own.
    assert release(lake, "2026.2", "--without-dossier", "--other-recipients") == 0
    assert changes(tmp_path / "out" / "2026.2") == set()


def test_notes_under_two_policies_need_a_switch(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Real months beside shifted dates tell the shift; placeholders beside surrogates tell what was missed."""
    output(lake, "readable", {0: 2010, 1: 2011})
    assert release(lake, "2026.1", "--without-dossier") == 0
    assert release(lake, "2026.2", "--without-dossier", "--policy", "readable") == ExitCode.USAGE
    assert "notes of 2026.1, which has another policy" in capsys.readouterr().err
    assert os.listdir(tmp_path / "out") == ["2026.1"]
    assert release(lake, "2026.2", "--without-dossier", "--policy", "readable", "--other-recipients") == 0
    assert "not for whoever has 2026.1" in capsys.readouterr().out
    cards = [json.loads((tmp_path / "out" / name / "croissant.json").read_text()) for name in ("2026.1", "2026.2")]
    assert "Policy thesis." in cards[0]["description"] and "Not for" not in cards[0]["description"]
    assert "Policy readable. Not for whoever has 2026.1" in cards[1]["description"]
    # The next release of either policy says it as well: its recipients may have the other one.
    assert release(lake, "2026.3", "--without-dossier") == ExitCode.USAGE


@pytest.mark.parametrize("policy", ["readable", "teaching"])
def test_no_real_year_goes_with_shifted_dates(lake: Lake, key: Path, tmp_path: Path, policy: str) -> None:
    """Neither as a column, nor by the order of the rows, nor in the dossier. A policy that is not shipped may shift."""
    output(lake, policy, {0: 2011, 1: 2010, 2: 2011})
    options = with_readable_dossier(lake, key) if policy == "readable" else ("--without-dossier",)
    assert release(lake, "2026.1", *options, "--policy", policy) == 0
    folder = tmp_path / "out" / "2026.1"
    table = pq.read_table(folder / "data" / "notes.parquet")
    assert "year" not in table.column_names and "tokens" not in table.column_names
    assert table["note_id"].to_pylist() == [note_id(number) for number in range(3)]
    assert '"name": "year"' not in (folder / "croissant.json").read_text()
    assert not any(year in (folder / "README.md").read_text() for year in ("2010", "2011", "| year |"))
    if policy == "readable":
        assert (folder / "dossier" / "corpus.csv").read_text().splitlines()[0] == "sha256"
        assert main(["certify", "verify", str(folder)]) == 0
    # Months and years that are real do not hide the note's year.
    output(lake, "research-gdpr", {3: 2011})
    assert release(lake, "2026.2", "--without-dossier", "--policy", "research-gdpr") == 0
    assert rows(tmp_path / "out" / "2026.2")[note_id(3)]["year"] == 2011


def with_readable_dossier(lake: Lake, key: Path) -> tuple[str, str]:
    dossier = lake.root.parent / "readable"
    arguments = ["--lake", str(lake.root), "--key", str(key), "--output", str(dossier), "--policy", "readable"]
    assert main(["certify", "sign", *arguments]) == 0
    return "--dossier", str(dossier)


def output(lake: Lake, policy: str, notes: dict[int, int], fingerprint: str = "p") -> None:
    """Give the lake the texts of a policy, of notes and their years. fingerprint: of the policy."""
    lake.output(policy).mkdir()
    table = LakeTable.of_output(lake, policy)
    table.create()
    row = {
        "patient_key": "k",
        "patient_key_id": "k",
        "patient_source": "note",
        "fingerprint": fingerprint,
        "key_id": "i",
    }
    row["run_id"] = "r"
    row["note_date"] = MOVED
    table.add(*(row | {"note_id": note_id(n), "year": notes[n], "text": f"Wagenknecht {n}"} for n in notes))


def test_texts_of_an_older_version(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = delta_reader.read(lake.deidentified, delta_reader.columns(lake.deidentified)).drop_columns("note_date")
    write_deltalake(str(lake.deidentified), texts, mode="overwrite", schema_mode="overwrite")
    assert release(lake, "2026.1", "--without-dossier") == ExitCode.USAGE
    assert "lacks the column note_date: the lake is of an older version" in capsys.readouterr().err
    assert os.listdir(tmp_path / "out") == []


def test_all_that_keeps_a_release_from_being_made_is_told_at_once(
    lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is that of what was told first when only one thing was."""
    output(lake, "readable", {0: 2010})
    assert release(lake, "2026.1", "--without-dossier") == 0
    wrong = ("--policy", "readable", "--key", str(tmp_path / "none.pem"))
    assert release(lake, "2026.1", "--without-dossier", *wrong, output="none") == ExitCode.SECRET
    told = capsys.readouterr().err
    for problem in (
        "the signing key cannot be read",
        "a name is used once",
        "there is no such folder",
        "of 2026.1, which",
    ):
        assert problem in told, problem
    (tmp_path / "dossier" / "corpus.csv").write_text("year,sha256\n")
    assert release(lake, "2026.1", *with_dossier(lake), output="none") == ExitCode.USAGE
    told = capsys.readouterr().err
    assert "there is no such folder" in told and "corpus.csv: is not what was signed" in told
    assert os.listdir(tmp_path / "out") == ["2026.1"] and not (tmp_path / "none").exists()


def test_mistakes_leave_nothing(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release(lake, "../x", "--without-dossier") == ExitCode.USAGE
    assert release(lake, "2026.1", "--without-dossier", output="none") == ExitCode.USAGE
    assert release(lake, "2026.1", "--without-dossier", output="lake/clean") == ExitCode.USAGE
    assert "lies in the lake" in capsys.readouterr().err
    assert release(lake, "2026.1", "--without-dossier", "--policy", "nosuch") == ExitCode.USAGE
    assert release(Lake.at(tmp_path / "none"), "2026.1", "--without-dossier") == ExitCode.USAGE
    (tmp_path / "dossier" / "corpus.csv").write_text("year,sha256\n")
    assert release(lake, "2026.1", *with_dossier(lake)) == ExitCode.QUARANTINE
    assert "the lake has no clean/deidentified_nosuch" in capsys.readouterr().err
    assert os.listdir(tmp_path / "out") == [] and not lake.releases.exists()
