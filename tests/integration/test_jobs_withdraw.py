"""`deid withdraw`: a patient's notes are in no byte of the lake afterwards, and no later run takes them in again."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from lakes import PATIENT_ID, PATIENT_LETTER, Archive, Crash, write

from deid_core.cli import main
from deid_core.lake.inspection.show_note import before_and_after
from deid_core.lake.notes.reviews import append_review, read_reviews
from deid_core.lake.patients import matching
from deid_core.lake.runs import maintenance, note_removal
from deid_core.lake.runs.context import Run
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import LakeTable
from deid_core.review.marks import ReaderName, make_review
from deid_core.spark.forecasts import forecast_lake
from deid_core.spark.run_options import Options

pytestmark = pytest.mark.spark

NOTES = {
    "2010/Quitzow 1.txt": (PATIENT_ID, "Frau Anna Quitzow", "01.02.1950"),
    "2011/Quitzow 2.txt": ("", "Frau Dr. Anna QUITZOW", "1.2.1950"),
    "2010/Mutter.txt": (f"{PATIENT_ID}, Pat.-Nr.: 5511", "Frau Clara Koch", "07.08.1955"),
    "2011/Peters.txt": ("", "Herrn Jan Peters", "03.04.1962"),
    "2010/Weber.txt": ("Pat.-Nr.: 7788991", "Frau Erika Weber", "05.06.1940"),
}
CANARIES = ("quitzow", "4711223", "01.02.1950", "1950-02-01", "clara", "mutter.txt")
OTHERS = ("peters", "7788991")
POLICIES = ("readable", "research-gdpr")


@pytest.fixture(scope="module")
def made(spark: object, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return a lake with two outputs. Read only."""
    folder = tmp_path_factory.mktemp("withdraw")
    archive = Archive(folder / "input", folder / "lake")
    for number, (path, (id_line, name, birth)) in enumerate(NOTES.items()):
        write(archive.input / path, PATIENT_LETTER.format(id=id_line, name=name, birth=birth, number=number))
    night(archive)
    return archive


@pytest.fixture
def lake(made: Archive, tmp_path: Path) -> Archive:
    """Return a copy."""
    return made.copy(tmp_path)


def night(archive: Archive) -> object:
    key = archive.root.parent / "policy.key"
    if not key.exists():
        key.write_text("0123456789abcdef" * 2)
        key.chmod(0o400)
    return archive.run(pipeline="default", outputs=POLICIES, key=key)


def command(archive: Archive, *arguments: str) -> int:
    return main(["withdraw", "--lake", str(archive.root), *arguments])


def readable(archive: Archive, words: tuple[str, ...] = CANARIES) -> set[tuple[str, str]]:
    """Return which of the words stand in which file of the lake, in its bytes or in the values of its rows."""
    found = set()
    for file in archive.root.rglob("*"):
        if not file.is_file():
            continue
        content = file.read_bytes()
        if content[:4] == b"PAR1":
            # The rows are compressed. With row groups that no reader would show, the bytes would still be there.
            content += repr(pq.read_table(io.BytesIO(content)).to_pylist()).encode()
        shown = f"{file.relative_to(archive.root)}\0{content.decode('utf-8', 'replace')}".lower()
        found |= {(file.relative_to(archive.root).parts[1], word) for word in words if word in shown}
    return found


def names(archive: Archive, table: Path) -> set[str]:
    """Return the names of the files that a table has rows of."""
    paths = {row["note_id"]: path for path, row in archive.ledger().items()}
    return {paths[note_id] for note_id in delta_reader.distinct(table, "note_id")}


def outputs(archive: Archive) -> list[Path]:
    return [archive.lake.deidentified, *(archive.lake.output(policy) for policy in POLICIES)]


def check_gone(archive: Archive) -> None:
    assert not readable(archive)
    assert {word for _, word in readable(archive, OTHERS)} == set(OTHERS)
    for table in outputs(archive):
        assert names(archive, table) == {"2011/Peters.txt", "2010/Weber.txt"}
    assert main(["check", "--lake", str(archive.root)]) == 0


def test_a_patient_is_gone_from_every_byte_and_stays_out(
    lake: Archive, made: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {word for _, word in readable(lake)} == set(CANARIES)
    before = lake.files()
    assert command(lake, "--patient", "0471-1223", "--dry-run") == 0
    foreseen = capsys.readouterr().out
    assert lake.files() == before
    assert command(lake, "--patient", "0471-1223") == 0
    told = capsys.readouterr().out
    assert told.splitlines()[1:-1] == foreseen.splitlines()[1:-1]
    rows = {line.rpartition("  ")[0].strip(): line.rpartition(" ")[2] for line in told.splitlines()}
    assert (rows["notes"], rows["restricted/notes"], rows["clean/deidentified_readable"]) == ("3", "3", "3")
    assert rows["of others, that say the patient's id or name and birth date"] == "1"
    check_gone(lake)
    capsys.readouterr()

    # The files still lie there: a night leaves them out, and what else comes of the patient.
    after = lake.files()
    assert not night(lake).did_something  # type: ignore[attr-defined]
    assert lake.files() == after
    shutil.copy2(lake.input / "2010/Mutter.txt", lake.input / "2010/Kopie Mutter.txt")
    shutil.copy2(lake.input / "2011/Quitzow 2.txt", lake.input / "2010/Kopie Quitzow.txt")
    write(
        lake.input / "2010/Quitzow 1.txt",
        PATIENT_LETTER.format(id=PATIENT_ID, name="Anna", birth="", number=8),
        seconds=1_600_000_000,
    )
    new = {"Neu 1.txt": (PATIENT_ID, "Frau A. Quitzow"), "Neu 2.txt": ("", "Frau Anna Quitzow")}
    for number, (path, (id_line, name)) in enumerate(new.items()):
        text = PATIENT_LETTER.format(id=id_line, name=name, birth="01.02.1950", number=50 + number)
        write(lake.input / "2012" / path, text)
    done = night(lake)
    assert done.counts["withdrawn"] == 4  # type: ignore[attr-defined]
    assert done.counts["deidentified"] == 0  # type: ignore[attr-defined]
    check_gone(lake)
    assert not night(lake).did_something  # type: ignore[attr-defined]
    forecast = forecast_lake(Options(lake.input, lake.root, "default"))
    assert (forecast.nothing_to_do, forecast.files["left_out"]) == (True, 7)
    # The others are as they were.
    kept = {row["note_id"]: row for row in lake.rows()["deidentified"]}
    assert kept == {row["note_id"]: row for row in made.rows()["deidentified"] if row["note_id"] in kept}
    # When the files are gone, nothing is left to do.
    for path in [*lake.input.rglob("*Quitzow*"), *lake.input.rglob("*Mutter*"), *lake.input.rglob("Neu*")]:
        path.unlink()
    assert not night(lake).did_something  # type: ignore[attr-defined]


def test_by_key(lake: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    """Also a patient of whom only the name is known."""
    rows = delta_reader.read(lake.lake.deidentified, ["note_id", "patient_key"]).to_pylist()
    [key] = [row["patient_key"] for row in rows if row["note_id"] == lake.ledger()["2011/Peters.txt"]["note_id"]]
    assert command(lake, "--patient-key", key) == 0
    assert not readable(lake, ("peters", "03.04.1962"))
    capsys.readouterr()
    # Again: there is nothing more to do, and no mistake.
    before = lake.files()
    assert command(lake, "--patient-key", key) == 0
    assert lake.files() == before
    assert "The lake has no note of this patient." in capsys.readouterr().out


def test_marks_of_readers_go_too(lake: Archive) -> None:
    for row in lake.ledger().values():
        append_review(lake.lake, make_review(before_and_after(lake.lake, str(row["note_id"])), [], ReaderName("anna")))
    assert command(lake, "--patient", "4711223") == 0
    assert {review.note_id for review in read_reviews(lake.lake)} == {
        lake.ledger()[path]["note_id"] for path in ("2011/Peters.txt", "2010/Weber.txt")
    }


def test_a_patient_who_comes_later(
    lake: Archive, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("0815\n"))
    assert command(lake, "--patient", "-") == 0
    assert "no note of this patient" in capsys.readouterr().out
    text = PATIENT_LETTER.format(id="Pat.-Nr.: 0815", name="Frau Berta Zyprian", birth="01.02.1970", number=1)
    write(lake.input / "2012/Neu.txt", text)
    assert night(lake).counts["withdrawn"] == 1  # type: ignore[attr-defined]
    assert not readable(lake, ("zyprian", "01.02.1970"))


def test_mistakes(lake: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    before = {table.name: delta_reader.version(table) for table in outputs(lake)}
    assert command(lake, "--patient-key", "0" * 32) == 64
    assert "no note of the lake has this patient_key" in capsys.readouterr().err
    assert command(lake, "--patient", "/") == 64
    assert command(Archive(lake.input, lake.root / "nosuch"), "--patient", "1") == 64
    assert {table.name: delta_reader.version(table) for table in outputs(lake)} == before


STEPS = [
    (note_removal, "remove_from_tables"),  # listed
    (LakeTable, "delete_notes"),  # the first table, see below
    (note_removal, "erase_raw"),  # all tables
    (Run, "write_ledger"),  # raw notes
    (matching, "update"),  # ledger
    (maintenance, "remove_dead_files"),  # conflicts
]


@pytest.mark.parametrize("finish", ["command", "night"])
def test_a_crash_anywhere(lake: Archive, finish: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call crashes one step later than the one before. The command, or a night, completes what is left."""
    peters = lake.ledger()["2011/Peters.txt"]["note_id"]
    for module, name in STEPS:
        real: Callable[..., object] = getattr(module, name)
        calls = 0

        def crash(*arguments: object, real: Callable[..., object] = real, name: str = name) -> object:
            nonlocal calls
            calls += 1
            if name == "delete_notes" and calls < 3:
                return real(*arguments)
            raise Crash

        with monkeypatch.context() as patched, pytest.raises(Crash):
            patched.setattr(module, name, crash)
            command(lake, "--patient", "4711223")
        assert readable(lake), name
    if finish == "command":
        assert command(lake, "--patient", "4711223") == 0
        assert not readable(lake)
    night(lake)
    check_gone(lake)
    assert peters in delta_reader.distinct(lake.lake.deidentified, "note_id")
