"""Patients: where they come from, that they follow what the lake knows, and that conflicts are listed without names."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from lakes import PATIENT_ID, PATIENT_LETTER, Archive, Crash, write

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError, SecretMissingError
from deid_core.lake.tables import delta_reader

pytestmark = pytest.mark.spark

NOTES = {
    "1.txt": (PATIENT_ID, "Frau Anna Müller", "01.02.1950"),
    "2.txt": ("", "Frau Dr. Anna MUELLER", "1.2.1950"),
    "3.txt": ("", "Herrn Jan Peters", "03.04.1962"),
    "4.txt": ("", "Herrn Jan Peters", "03.04.1962"),
    "5.txt": ("", "Frau Erika Weber", "05.06.1940"),
    "6.txt": ("Pat.-Nr.: 5511, Pat.-Nr.: 5522", "Frau Clara Koch", "07.08.1955"),
}


@pytest.fixture(scope="module")
def made(spark: object, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return a lake of six notes of four patients. Read only."""
    folder = tmp_path_factory.mktemp("patients")
    archive = Archive(folder / "input", folder / "lake")
    for number, (path, (id_line, name, birth)) in enumerate(NOTES.items()):
        text = PATIENT_LETTER.format(id=id_line, name=name, birth=birth, number=number)
        write(archive.input / str(2010 + number % 2) / path, text)
    run(archive)
    return archive


@pytest.fixture
def patients(made: Archive, tmp_path: Path) -> Archive:
    """Return a copy."""
    return made.copy(tmp_path)


def run(archive: Archive, **options: object) -> object:
    return archive.run(pipeline="default", **options)


def of(archive: Archive) -> dict[str, tuple[str, str]]:
    """Return patient_key and patient_source of each note, by the file's name."""
    names = {row["note_id"]: str(path).rpartition("/")[2] for path, row in archive.ledger().items()}
    rows = delta_reader.read(archive.lake.deidentified, ["note_id", "patient_key", "patient_source"]).to_pylist()
    return {names[row["note_id"]]: (row["patient_key"], row["patient_source"]) for row in rows}


def groups(archive: Archive) -> list[list[str]]:
    """Return the names of the files of each patient."""
    found = defaultdict(list)
    for name, (key, _) in sorted(of(archive).items()):
        found[key].append(name)
    return sorted(found.values())


def conflicts(archive: Archive) -> Counter[str]:
    """Return the notes listed, by reason."""
    rows = delta_reader.read(archive.lake.patient_conflicts, ["note_id", "reason"]).to_pylist()
    return Counter(reason for _, reason in {(row["note_id"], row["reason"]) for row in rows})


def test_patients_come_from_the_letters(made: Archive) -> None:
    assert groups(made) == [["1.txt", "2.txt"], ["3.txt", "4.txt"], ["5.txt"], ["6.txt"]]
    sources = {name: source for name, (_, source) in of(made).items()}
    assert sources == {
        "1.txt": "id",
        "2.txt": "name",
        "3.txt": "name",
        "4.txt": "name",
        "5.txt": "name",
        "6.txt": "note",
    }
    assert conflicts(made) == {"two_ids": 1}
    assert all(len(key) == 32 and set(key) <= set("0123456789abcdef") for key, _ in of(made).values())


def test_a_night_without_a_change_changes_nothing(patients: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    before = patients.files()
    capsys.readouterr()
    assert not run(patients).did_something  # type: ignore[attr-defined]
    assert patients.files() == before
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    [told] = [event for event in events if event["stage"] == "patients"]
    assert told["two_ids"] == 1


def test_a_later_note_changes_what_earlier_ones_are(made: Archive, patients: Archive, tmp_path: Path) -> None:
    """The same name with a birth date that one digit tells apart: nobody can say whose notes these are."""
    path = patients.input / "2012" / "7.txt"
    write(path, PATIENT_LETTER.format(id="", name="Herrn Jan Peters", birth="03.04.1963", number=7))
    assert run(patients).counts["deidentified"] == 1  # type: ignore[attr-defined]
    assert groups(patients) == [["1.txt", "2.txt"], ["3.txt"], ["4.txt"], ["5.txt"], ["6.txt"], ["7.txt"]]
    assert conflicts(patients) == {"two_ids": 1, "close_birth_dates": 3}
    # All at once gives the same as one after the other.
    whole = Archive(patients.input, tmp_path / "whole")
    whole.lake.prepare()
    whole.lake.key.write_text(patients.lake.key.read_text())
    small = tmp_path / "small.yaml"
    small.write_text("run: {batch_notes: 2}\n")
    run(whole, settings=small)
    assert of(whole) == of(patients)
    assert whole.rows() == patients.rows()
    # When it is gone, all is as before.
    path.unlink()
    run(patients)
    assert of(patients) == of(made)
    assert conflicts(patients) == {"two_ids": 1}


def test_the_hospitals_table_takes_precedence(made: Archive, patients: Archive, tmp_path: Path) -> None:
    table, settings = tmp_path / "patients.csv", tmp_path / "settings.yaml"
    settings.write_text(f"patient: {{table: {table}}}\n")
    with pytest.raises(ConfigurationError, match=r"patients\.csv: patient\.table cannot be read"):
        run(patients, settings=settings)
    table.write_text("path;patient\n*/6.txt;5511\n2010/5.txt;5511\n*/3.txt;1\n2011/*;2\n*/4.txt;2\n")
    done = run(patients, settings=settings)
    assert not done.uses_spark  # type: ignore[attr-defined]
    found = of(patients)
    assert found["5.txt"] == (found["5.txt"][0], "table")
    assert found["3.txt"][1] == "table"
    # 6.txt is in two rows of the table, and so are 2.txt and 4.txt; the latter rows agree.
    assert conflicts(patients) == {"two_patients_in_table": 1}
    assert found["2.txt"] == found["4.txt"] == (found["4.txt"][0], "table")
    assert not run(patients, settings=settings).did_something  # type: ignore[attr-defined]
    run(patients)
    assert of(patients) == of(made)


def test_the_notes_of_a_patient_share_surrogates_and_shift(patients: Archive, tmp_path: Path) -> None:
    """Also when a later note shows that two patients could be one: their notes alone are made again."""
    key = tmp_path / "policy.key"
    key.write_text("0123456789abcdef" * 2)
    key.chmod(0o400)
    options = {"outputs": ("readable",), "key": key}
    assert "engine" not in run(patients, **options).seconds  # type: ignore[attr-defined]
    said = re.compile(r"über (?:Frau|Herrn) (?:Dr\. )?(\w+) ([\w-]+), geb\. am ([\d.]+),")

    def introduced() -> dict[str, tuple[str, str, str]]:
        names = {row["note_id"]: str(path).rpartition("/")[2] for path, row in patients.ledger().items()}
        rows = delta_reader.read(patients.lake.output("readable"), ["note_id", "text"]).to_pylist()
        found = {names[row["note_id"]]: said.search(row["text"]) for row in rows}
        return {name: (match[1].lower(), match[2].lower(), _iso(match[3])) for name, match in found.items() if match}

    before = introduced()
    assert before.keys() == NOTES.keys()
    assert before["1.txt"] == before["2.txt"] != before["3.txt"] == before["4.txt"]
    assert not {"müller", "mueller", "peters", "1950-02-01", "1962-04-03"} & {
        part for all_ in before.values() for part in all_
    }
    close = PATIENT_LETTER.format(id="", name="Herrn Jan Peters", birth="03.04.1963", number=7)
    write(patients.input / "2012" / "7.txt", close)
    assert run(patients, **options).counts["output.readable"] == 3  # type: ignore[attr-defined]
    after = introduced()
    assert {name for name in before if after[name] != before[name]} == {"3.txt", "4.txt"}


def test_another_key_of_patients(
    made: Archive, patients: Archive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every patient_key changes, and no patient; what a crash leaves, a night completes."""
    key = patients.root.parent / "policy.key"
    key.write_text("0123456789abcdef" * 2)
    key.chmod(0o400)
    options = {"outputs": ("readable", "research-gdpr"), "key": key}
    run(patients, **options)
    clean, old = patients.lake.clean, {value for value, _ in of(patients).values()}

    def texts() -> list[str]:
        return sorted(delta_reader.read(patients.lake.output("readable"), ["text"])["text"].to_pylist())

    def key_ids() -> set[str]:
        tables = (patients.lake.deidentified, patients.lake.output("readable"))
        return set().union(*(delta_reader.distinct(table, "patient_key_id") for table in tables))

    before, files, first_id = texts(), patients.files(), key_ids()
    command = ["rekey", "--lake", str(patients.root), "--output-policy", "readable", "--key", str(key)]
    capsys.readouterr()
    assert main([*command, "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("4 patients get a new key.\n")
    assert re.search(r"^clean/deidentified_readable: made again +6$", told, re.MULTILINE)
    assert re.search(r"^clean/deidentified_research-gdpr: removed, .* +6$", told, re.MULTILINE)
    assert patients.files() == files

    assert main(command) == 0
    assert groups(patients) == groups(made)
    assert not old & {value for value, _ in of(patients).values()}
    assert not any(value.encode() in file.read_bytes() for file in clean.rglob("*") if file.is_file() for value in old)
    assert not set(texts()) & set(before)
    assert len(key_ids()) == 1
    assert not key_ids() & first_id
    assert patients.lake.outputs() == ["readable"]
    assert patients.lake.patient_secret.stat().st_mode & 0o777 == 0o400
    done = run(patients, **options)
    assert (done.counts["output.research-gdpr"], done.counts["output.readable"]) == (6, 0)  # type: ignore[attr-defined]

    def crash(*_: object) -> None:
        raise Crash

    second, second_id = texts(), key_ids()
    with monkeypatch.context() as patch, pytest.raises(Crash):
        patch.setattr("deid_core.lake.patients.matching.update", crash)
        main(command)
    run(patients, **options)
    assert groups(patients) == groups(made)
    assert not set(texts()) & {*before, *second}
    assert not key_ids() & (first_id | second_id)
    assert not run(patients, **options).did_something  # type: ignore[attr-defined]
    patients.lake.patient_secret.unlink()
    with pytest.raises(SecretMissingError, match="restore it from its backup"):
        run(patients, **options)


def _iso(date: str) -> str:
    day, month, year = date.split(".")
    return f"{year}-{int(month):02}-{int(day):02}"


def test_only_restricted_names_patients(made: Archive) -> None:
    rows = delta_reader.read(made.lake.patient_evidence, ["value"])["value"].to_pylist()
    assert {"4711223", "jan peters 1962-04-03"} <= set(rows)
    for table in (made.lake.deidentified, made.lake.phi_audit, made.lake.runs):
        clean = repr(delta_reader.read(table, delta_reader.columns(table)).to_pylist())
        assert not any(value in clean for value in rows)
    logs = b"".join(file.read_bytes() for file in made.root.rglob("_delta_log/*") if file.is_file())
    # Four digits may stand in the random name of a file.
    assert not any(value.encode() in logs for value in rows if len(value) > 4)
