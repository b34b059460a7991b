"""Damaged files of a lake: what can be made again is, the rest is named with file, version and remedy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.compute as pc
import pytest
from lakes import MTIME, Archive, Crash, write

from deid_core.cli import main
from deid_core.core.errors import DamagedLakeError
from deid_core.lake.checks import integrity
from deid_core.lake.layout import Lake
from deid_core.lake.runs import maintenance
from deid_core.lake.tables import delta_reader

pytestmark = pytest.mark.spark

Harm = Callable[[Path], None]
OF_NOTES = [
    "clean/deidentified",
    "clean/phi_audit",
    "restricted/detections",
    "restricted/dropped",
    "restricted/patient_evidence",
]
NAMES = ("Müller", "Schmidt", "Krüger", "Hauptstr")


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 0xFF
    file.write_bytes(bytes(data))


def remove(file: Path) -> None:
    file.unlink()


def raw_notes(lake: Lake) -> Path:
    return next(file for folder in lake.note_folders() for file in sorted(folder.glob("*.parquet")))


def log_of(table: Path) -> Path:
    return max((table / "_delta_log").glob("*.json"))


def first_file(table: Path) -> Path:
    return delta_reader.data_files(table)[0]


def check(archive: Archive, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    """Return exit code and output of `deid check`, which must not quote a note or name a file of the input."""
    capsys.readouterr()
    code = main(["check", "--lake", str(archive.root), *more])
    out, err = capsys.readouterr()
    assert not [name for name in NAMES if name in out + err]
    return code, out + err


@pytest.mark.parametrize("harm", [flip, truncate, remove])
def test_raw_notes_are_read_again_when_they_are_needed(archive: Archive, first_run: Archive, harm: Harm) -> None:
    """Another pipeline reads them. Spark may fail on the file in the middle of the stage, and the run still ends."""
    harm(raw_notes(archive.lake))
    assert archive.run(pipeline="variants").counts["damaged_files"] == 1
    archive.run()
    assert archive.rows() == first_run.rows()


@pytest.mark.parametrize("table", ["deidentified", "phi_audit", "phi_counts"])
def test_a_night_makes_damaged_results_again(archive: Archive, first_run: Archive, table: str) -> None:
    [file, *_] = delta_reader.data_files(archive.lake.clean / table)
    truncate(file)
    run = archive.run()
    assert run.counts["damaged_files"] == 1
    assert run.counts["deidentified"] == (0 if table == "phi_counts" else notes_of(first_run, file))
    assert archive.rows() == first_run.rows()
    assert not archive.run().did_something


def test_a_flipped_bit_is_found_by_the_check_and_mended(
    archive: Archive, first_run: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(archive, capsys) == (0, "all files are as they were written, and ledger and tables agree\n")
    file = delta_reader.data_files(archive.lake.deidentified)[0]
    flip(file)
    code, out = check(archive, capsys)
    name, version = file.relative_to(archive.root), delta_reader.version(archive.lake.deidentified)
    assert code == 75
    assert f"damaged: clean/deidentified, version {version}: {name} is not what was written" in out
    assert f"`deid check --mend --lake {archive.root}`, then the next `deid run` on this lake mends this" in out
    assert check(archive, capsys)[0] == 75, "without --mend nothing is removed"
    assert check(archive, capsys, "--mend")[0] == 75
    code, out = check(archive, capsys)
    assert code == 75
    assert f"disagreement: {notes_of(first_run, file)} notes wait to be de-identified: a run mends it" in out
    archive.run()
    assert archive.rows() == first_run.rows()
    assert check(archive, capsys)[0] == 0


def test_each_file_is_read_on_one_of_thirty_days(archive: Archive) -> None:
    flip(delta_reader.data_files(archive.lake.phi_audit)[0])
    found = [integrity.damages(archive.lake, day=day) for day in range(739_000, 739_000 + integrity.DAYS)]
    assert sorted(map(len, found)) == [0] * (integrity.DAYS - 1) + [1]


@pytest.mark.parametrize("table", ["deidentified", "phi_audit", "notes"])
def test_a_damaged_file_is_not_rewritten(
    archive: Archive, first_run: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    """Its damage would be copied with its rows, and the copy would get a checksum."""
    monkeypatch.setattr(integrity, "DAYS", 10**9)
    whole = first_run.copy(tmp_path / "whole")
    file = raw_notes(archive.lake) if table == "notes" else delta_reader.data_files(archive.lake.clean / table)[0]
    flip(file)
    [year] = [part.removeprefix("year=") for part in file.parts if part.startswith("year=")]
    [path, *_] = sorted(path for path, row in archive.ledger().items() if str(row["year"]) == year and row["batch"])
    for changed in (archive, whole):
        write(changed.input / path, "Frau Krüger kommt am 3.4.2011 wieder.", seconds=MTIME + 60)
    assert archive.run().counts["damaged_files"] == 1
    whole.run()
    assert archive.rows() == whole.rows()


def test_damage_gets_no_checksum(
    archive: Archive, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that does not read the damaged file must not take it for a new one."""
    monkeypatch.setattr(integrity, "DAYS", 10**9)
    flip(delta_reader.data_files(archive.lake.phi_audit)[0])
    write(archive.input / "2019" / "Neu.txt", "Frau Krüger kommt am 3.4.2019 wieder.")
    assert "damaged_files" not in archive.run().counts
    assert check(archive, capsys)[0] == 75


@pytest.mark.parametrize("table", ["restricted/ledger", "clean/deidentified"])
def test_lost_commits_are_noticed(archive: Archive, first_run: Archive, table: str) -> None:
    newest = log_of(archive.root / table)
    for file in newest.parent.glob(f"*{newest.stem}*"):
        file.unlink()
    with pytest.raises(DamagedLakeError) as error:
        archive.run()
    [problem] = error.value.problems
    assert problem.startswith(f"{table}, version {int(newest.stem) - 1}: {table}/_delta_log lacks the commits up to")
    assert f"version {int(newest.stem)} " in problem
    archive.lake.checksums.unlink()
    archive.run()
    assert archive.rows() == first_run.rows()


@pytest.mark.parametrize(
    ("table", "file", "moved"),
    [
        ("restricted/ledger", first_file, ["restricted/ledger"]),
        ("restricted/ledger", log_of, ["restricted/ledger"]),
        (
            "clean/deidentified",
            log_of,
            OF_NOTES,
        ),
        ("clean/runs", first_file, ["clean/runs"]),
    ],
    ids=["ledger", "ledger-log", "texts-log", "runs"],
)
def test_what_a_person_must_restore_is_named_and_the_remedy_works(
    archive: Archive,
    first_run: Archive,
    capsys: pytest.CaptureFixture[str],
    table: str,
    file: Callable[[Path], Path],
    moved: list[str],
) -> None:
    damaged = file(archive.root / table)
    truncate(damaged)
    before = archive.files()
    with pytest.raises(DamagedLakeError) as error:
        archive.run()
    assert error.value.exit_code == 64
    [problem] = error.value.problems
    assert problem.startswith(table)
    assert f"{damaged.relative_to(archive.root)} has " in problem
    assert all(name in problem for name in moved)
    assert "away" in problem
    code, out = check(archive, capsys)
    assert code == 64
    assert problem in out
    changed = {entry for entry in archive.files() ^ before if not entry[0].startswith("restricted/lock")}
    assert not changed
    for name in moved:
        shutil.move(archive.root / name, archive.root.parent / name.replace("/", "-"))
    archive.run()
    assert archive.rows() == first_run.rows()
    assert check(archive, capsys)[0] == 0


@pytest.mark.parametrize(
    ("find", "harm"),
    [(log_of, truncate), (first_file, truncate), (first_file, remove)],
    ids=["log-truncated", "data-truncated", "data-removed"],
)
def test_commands_that_read_name_the_damaged_table(
    archive: Archive, capsys: pytest.CaptureFixture[str], find: Callable[[Path], Path], harm: Harm
) -> None:
    harm(find(archive.lake.phi_counts))
    capsys.readouterr()
    assert main(["report", "--lake", str(archive.root)]) == 64
    assert "clean/phi_counts: a file is damaged; `deid check" in capsys.readouterr().err


def test_half_written_commits_of_an_interrupted_run_are_taken_back(
    archive: Archive, first_run: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a power cut leaves them: of two tables the last commit is empty, of a third the last data file."""
    whole = first_run.copy(tmp_path / "whole")
    for changed in (archive, whole):
        write(changed.input / "2019" / "Neu.txt", "Frau Krüger kommt am 3.4.2019 wieder.")
    whole.run()
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(maintenance, "remove_dead_files", _crash)
        archive.run()
    max(delta_reader.data_files(archive.lake.deidentified), key=_written).write_bytes(b"")
    for table in (archive.lake.ledger, archive.lake.phi_audit):
        log_of(table).write_bytes(b"")
    assert archive.run().counts["damaged_files"] == 3
    assert archive.rows() == whole.rows()
    assert not archive.run().did_something


def _crash(*args: object) -> None:
    raise Crash


def _written(file: Path) -> int:
    return file.stat().st_mtime_ns


def half_with_wrong_bytes(data: bytes) -> bytes:
    return data[: len(data) // 2] + b"\xff\xfe"


def without_last_lines(data: bytes) -> bytes:
    """As a list that was cut short, at the end of a line."""
    return b"".join(data.splitlines(keepends=True)[:-3])


@pytest.mark.parametrize("harmed", [half_with_wrong_bytes, without_last_lines, lambda data: b""])
def test_a_damaged_list_of_checksums_is_made_anew(
    archive: Archive, capsys: pytest.CaptureFixture[str], harmed: Callable[[bytes], bytes]
) -> None:
    good = archive.lake.checksums.read_bytes()
    archive.lake.checksums.write_bytes(harmed(good))
    archive.run()
    assert archive.lake.checksums.read_bytes() == good
    assert check(archive, capsys)[0] == 0


def test_without_a_list_of_checksums_nothing_is_taken_back(archive: Archive) -> None:
    """An empty one would say that no run has ended yet; one that was lost does not."""
    archive.lake.checksums.write_bytes(b"")
    log_of(archive.lake.ledger).write_bytes(b"")
    with pytest.raises(DamagedLakeError, match="restore the folder restricted/ledger from a backup"):
        archive.run()
    assert archive.lake.ledger.is_dir()


def notes_of(archive: Archive, file: Path) -> int:
    """Return how many notes of the year of a data file have a text."""
    year = next(int(part.removeprefix("year=")) for part in file.parts if part.startswith("year="))
    return len(delta_reader.read(archive.lake.deidentified, ["note_id"], where=pc.field("year") == year))
