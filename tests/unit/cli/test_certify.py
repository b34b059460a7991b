"""`deid certify`: from a plan to a signed dossier, what stands in the way, and what verification finds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("scipy", reason="needs the extra sign")
pytest.importorskip("cryptography", reason="needs the extra sign")

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from deltalake import DeltaTable
from review_lake import CANARY, READER, note_id, raw_text, read_note, review_lake

from deid_core.certify.policy_rows import policy_rows
from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.lake.layout import Lake
from deid_core.lake.notes.reviews import ReviewRole
from deid_core.lake.tables.lake_table import LakeTable, Tables
from deid_core.policies.settings import load_policy
from deid_core.review.marks import ReaderName

NOTES = 20
SECOND, JUDGE = ReaderName("zqxother"), ReaderName("zqxjudge", ReviewRole.ADJUDICATOR)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Notes of which the first shows its patient's name, and a plan of all of them."""
    lake = review_lake(tmp_path, NOTES, leaking=[0])
    assert main(["certify", "plan", "--lake", str(lake.root), "--seed", "s"]) == 0
    return lake


@pytest.fixture
def read(lake: Lake) -> Lake:
    """The same, read by one reader who missed nothing."""
    for number in range(NOTES):
        read_note(lake, number, "patient")
    return lake


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return key_file(tmp_path / "signing.pem")


def key_file(path: Path) -> Path:
    made = Ed25519PrivateKey.generate()
    path.write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o400)
    return path


def sign(lake: Lake, key: Path, output: Path, *options: str) -> int:
    arguments = ["--lake", str(lake.root), "--key", str(key), "--output", str(output), *options]
    return main(["certify", "sign", *arguments])


def content(folder: Path) -> dict[str, object]:
    return dict(json.loads((folder / "dossier.json").read_text(encoding="utf-8")))


def shown(folder: Path) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", (folder / "dossier.html").read_text(encoding="utf-8")))


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


def test_verification(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, public = tmp_path / "d", tmp_path / "public.pem"
    assert sign(read, key, folder) == 0
    shutil.copy(folder / "public-key.pem", public)
    verify = ["certify", "verify", str(folder)]
    assert main([*verify, "--lake", str(read.root)]) == 0
    assert "4 files and 20 texts are as they were signed" in capsys.readouterr().out
    for file in sorted(folder.iterdir()):
        whole = file.read_bytes()
        for at in (0, len(whole) // 2, len(whole) - 1):
            file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            assert main([*verify, "--public-key", str(public)]) == ExitCode.QUARANTINE, (file.name, at)
        file.unlink()
        assert main([*verify, "--public-key", str(public)]) in (ExitCode.QUARANTINE, ExitCode.USAGE), file.name
        file.write_bytes(whole)
    (folder / "more.txt").write_text("added")
    assert main(verify) == ExitCode.QUARANTINE
    assert "more.txt: is not in SHA256SUMS" in capsys.readouterr().err
    (folder / "more.txt").unlink()
    assert main([*verify, "--public-key", str(public)]) == 0


def test_another_key_and_a_forged_folder(read: Lake, key: Path, tmp_path: Path) -> None:
    """Who signs again with a key of his own is found out by the key, not by the folder."""
    assert sign(read, key, tmp_path / "d") == 0
    assert sign(read, key_file(tmp_path / "forger.pem"), tmp_path / "forged") == 0
    assert main(["certify", "verify", str(tmp_path / "forged")]) == 0
    public = ["--public-key", str(tmp_path / "d" / "public-key.pem")]
    assert main(["certify", "verify", str(tmp_path / "forged"), *public]) == ExitCode.QUARANTINE
    (tmp_path / "d" / "SHA256SUMS.sig").unlink()
    assert main(["certify", "verify", str(tmp_path / "d"), *public]) == ExitCode.QUARANTINE


def test_a_changed_text_of_the_lake(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sign(read, key, tmp_path / "d") == 0
    DeltaTable(str(read.deidentified)).update(predicate=f"note_id = '{note_id(0)}'", new_values={"text": "mended"})
    assert main(["certify", "verify", str(tmp_path / "d"), "--lake", str(read.root)]) == ExitCode.QUARANTINE
    assert "1 texts of the manifest are not in clean/deidentified" in capsys.readouterr().err


def test_common_tools_verify_it_as_well(read: Lake, key: Path, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    assert sign(read, key, folder) == 0
    if not (shutil.which("sha256sum") and shutil.which("openssl")):
        pytest.skip("needs sha256sum and openssl")
    openssl = "openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig"
    for command in ("sha256sum --check --strict SHA256SUMS", openssl):
        assert subprocess.run(command.split(), cwd=folder, capture_output=True, check=False).returncode == 0, command


def test_nobody_signs_before_all_is_read(
    lake: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(1, NOTES):
        read_note(lake, number)
    assert sign(lake, key, tmp_path / "d") == ExitCode.USAGE
    assert "1 of 20 notes of the plan are not yet read" in capsys.readouterr().err
    read_note(lake, 0)
    read_note(lake, 0, "patient", reader=SECOND)
    assert sign(lake, key, tmp_path / "d") == ExitCode.USAGE
    assert "of 1 notes two readers say different things" in capsys.readouterr().err
    read_note(lake, 0, "patient", reader=JUDGE)
    assert sign(lake, key, tmp_path / "d") == 0
    found = content(tmp_path / "d")
    assert found["statement"] == {"confidence": 0.95, "of_10000": 500}
    review = found["review"]
    assert (review["readers"], review["notes"], review["read_twice"], review["adjudicated"]) == (2, 20, 1, 1)
    assert review["agreement"] == {"notes": 1, "kappa": 0.0, "f1": 0.0}


def test_a_lake_that_is_not_in_order(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    DeltaTable(str(read.phi_audit)).delete(f"note_id = '{note_id(3)}'")
    assert sign(read, key, tmp_path / "d") == ExitCode.USAGE
    assert "the lake is not in order (counts_disagree, 1)" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


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


def add_output(lake: Lake, policy: str, texts: dict[int, str]) -> None:
    """Make the texts of an output, by the number of the note."""
    lake.output(policy).mkdir()
    table = LakeTable.of_output(lake, policy)
    table.create()
    row = {"patient_key": "k", "patient_key_id": "k", "patient_source": "note", "fingerprint": "p", "key_id": "i"}
    rows = ({"note_id": note_id(n), "year": 2010 + n % 2, "text": text} for n, text in texts.items())
    table.add(*(row | {"run_id": "run"} | of_note for of_note in rows))


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


def test_the_sweep_is_in_it_if_the_lake_has_one(read: Lake, key: Path, tmp_path: Path) -> None:
    row = {"source": "header", "kind": "name", "outcome": "redacted", "recogniser": "crf", "notes": 1, "places": 2}
    Tables.from_lake(read).leak_sweep.add(row | {"year": 2011}, row | {"year": 2010})
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


def test_mistakes(lake: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none = Lake.at(tmp_path / "none")
    assert main(["certify", "plan", "--lake", str(none.root)]) == sign(none, key, tmp_path / "d") == ExitCode.USAGE
    assert sign(lake, key, tmp_path) == sign(lake, key, tmp_path / "no" / "d") == ExitCode.USAGE
    assert main(["certify", "plan", "--lake", str(lake.root), "--again", "--at-most", "0"]) == ExitCode.USAGE
    assert main(["certify", "verify", str(tmp_path)]) == ExitCode.USAGE
    assert sign(lake, tmp_path / "no.pem", tmp_path / "d") == ExitCode.SECRET
    (tmp_path / "rsa.pem").write_text("no key")
    (tmp_path / "rsa.pem").chmod(0o400)
    assert sign(lake, tmp_path / "rsa.pem", tmp_path / "d") == ExitCode.SECRET
    key.chmod(0o444)
    assert sign(lake, key, tmp_path / "d") == ExitCode.SECRET
    assert "others may read" in capsys.readouterr().err
    shutil.rmtree(lake.sampling_plan)
    key.chmod(0o400)
    assert sign(lake, key, tmp_path / "d") == ExitCode.USAGE
    assert "no sampling plan" in capsys.readouterr().err


def test_a_damaged_plan_says_so(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = read.sampling_plan / "corpus.csv"
    corpus.write_bytes(corpus.read_bytes()[:-1])
    assert sign(read, key, tmp_path / "d") == ExitCode.USAGE
    assert "deid certify plan --again" in capsys.readouterr().err
    assert main(["certify", "plan", "--lake", str(read.root), "--again"]) == 0
    assert sign(read, key, tmp_path / "d") == 0
