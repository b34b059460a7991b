"""Nothing leaks sideways: names from texts and files are in `restricted` and nowhere else, whatever goes wrong."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from lakes import Archive, tables_of_counts, write

from deid_core.cli import main
from deid_core.cli.run_summary import summary
from deid_core.lake.tables import delta_reader, task_schemas
from deid_core.lake.tables.lake_table import Tables
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.known_terms import KnownTerms
from deid_core.spark import engine_task, worker_engine
from deid_core.spark.task_base import TaskError
from deid_core.spark.worker_engine import EngineFile

pytestmark = pytest.mark.spark

CANARIES = tuple(f"Zqxkanari{chr(97 + n // 10)}{chr(97 + n % 10)}" for n in range(50))
"""Fifty names that no list has and that occur nowhere else."""


IN_TABLE = ("Zqxkanariya", "Zqxkanariyb")
"""Two that only the hospital's table of identities has."""


@pytest.fixture(scope="module")
def planted(
    spark: object, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Archive, str]:
    """Return a lake of notes with canaries after a run, a change, a run with identities, and all that was printed."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    folder = tmp_path_factory.mktemp("leaks")
    archive = Archive(folder / "input", folder / "lake")
    for name in CANARIES:
        write(archive.input / "2015" / f"{name}.txt", f"Sehr geehrter Herr {name},\nTel. 06221/56-1234.\n")
    write(archive.input / f"{CANARIES[0]}.docx", f"PK\x03\x04 {CANARIES[1]}")
    write(archive.input / f"{CANARIES[2]}" / "leer.txt", "")
    capture.read_global_capture()
    # The pipeline removes each name after a salutation, and repetitions of what it saw in the header.
    archive.run(pipeline="default")
    write(archive.input / "2015" / f"{CANARIES[3]}.txt", f"Herr {CANARIES[4]} kam.\n", seconds=1_600_000_000)
    (archive.input / "2015" / f"{CANARIES[5]}.txt").unlink()
    known = folder / "identities.csv"
    rows = [f"2015/{name}.txt,{IN_TABLE[n % 2]} {name},{n}\n" for n, name in enumerate(CANARIES)]
    known.write_text("".join(["path,name,number\n", *rows, f"{CANARIES[6]}/x.txt,{CANARIES[6]},7\n"]), encoding="utf-8")
    print(summary(archive.run(pipeline="default", identities=known)))
    out, err = capture.read_global_capture()
    return archive, out + err


def test_logs_name_nobody(planted: tuple[Archive, str]) -> None:
    _, printed = planted
    assert '"message": "done"' in printed
    assert "51 have a value that is too short" in printed
    assert _named_in(printed.encode()) == []


def test_event_log_names_nobody(planted: tuple[Archive, str], event_log: Path) -> None:
    logs = [path for path in event_log.rglob("*") if path.is_file()]
    data = b"".join(path.read_bytes() for path in logs)
    assert b"mapInArrow" in data.replace(b"MapInArrow", b"mapInArrow")
    assert _named_in(data) == []


def test_delta_logs_name_nobody(planted: tuple[Archive, str]) -> None:
    archive, _ = planted
    logs = [path for path in archive.root.rglob("_delta_log/**/*") if path.is_file()]
    assert {path.parent.parent.name for path in logs} == vars(Tables(archive.lake)).keys() - {"outputs"}
    assert _named_in(b"".join(path.read_bytes() for path in logs)) == []


def test_ledger_reasons_name_nobody(planted: tuple[Archive, str]) -> None:
    archive, _ = planted
    rows = delta_reader.read(
        archive.lake.ledger, ["state", "reason", "detail", "batch", "run_id", "note_id"]
    ).to_pylist()
    assert {row["reason"] for row in rows} == {None, "corrupt", "empty"}
    assert _named_in(repr(rows).encode()) == []


def test_clean_tables_name_nobody(planted: tuple[Archive, str]) -> None:
    archive, _ = planted
    lake = archive.lake
    for path in tables_of_counts(lake):
        assert _named_in(repr(delta_reader.read(path, delta_reader.columns(path)).to_pylist()).encode()) == []
    names = [str(path.relative_to(archive.root)) for path in archive.lake.clean.rglob("*")]
    assert _named_in("\n".join(names).encode()) == []


def test_published_tables_name_nobody_and_spark_reads_them(
    planted: tuple[Archive, str], spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither names nor bytes of their files do, nor what the command prints."""
    lake = planted[0].lake
    assert main(["publish", "--lake", str(lake.root), "--output", str(tmp_path / "out")]) == 0
    assert _named_in("".join(capsys.readouterr()).encode()) == []
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert {path.relative_to(tmp_path / "out").parts[0] for path in files} == {
        "deidentified", "phi_audit", "phi_counts", "runs",
    }  # fmt: skip
    assert _named_in("\n".join(map(str, files)).encode() + b"".join(path.read_bytes() for path in files)) == []
    for table in {path.relative_to(tmp_path / "out").parts[0] for path in files}:
        rows = delta_reader.read(lake.clean / table, delta_reader.columns(lake.clean / table)).to_pylist()
        assert _named_in(repr(rows).encode()) == []
        if table != "runs":
            found = spark.read.format("delta").load(str(tmp_path / "out" / table)).collect()
            assert sorted(map(repr, (row.asDict() for row in found))) == sorted(map(repr, rows))


def test_exports_name_nobody(planted: tuple[Archive, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither the texts nor README.md do, nor what the command prints."""
    folder = tmp_path / "out"
    assert main(["export", "--lake", str(planted[0].root), "--output", str(folder)]) == 0
    assert _named_in("".join(capsys.readouterr()).encode()) == []
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert files.keys() == {"README.md", "notes.jsonl"}
    assert {name for name, content in files.items() if _named_in(content)} == set()


def test_redacted_texts_name_nobody(planted: tuple[Archive, str]) -> None:
    """This holds for these notes, not for every note: each canary follows a salutation."""
    archive, _ = planted
    texts = delta_reader.read(archive.lake.deidentified, ["text"])["text"].to_pylist()
    assert len(texts) == len(CANARIES) - 1
    assert _named_in("".join(texts).encode()) == []


def test_no_temporary_file_stays(planted: tuple[Archive, str], event_log: Path) -> None:
    archive, _ = planted
    assert not archive.lake.staging.exists()
    folders = [event_log.parent / "scratch", *Path(tempfile.gettempdir()).glob("deid-*")]
    left = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert _named_in(b"".join(path.read_bytes() for path in left)) == []


def test_an_error_of_the_engine_is_recorded_without_its_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(self: Engine, note: object, known: object) -> None:
        raise ValueError(f"cannot handle {CANARIES[0]}")

    monkeypatch.setattr(Engine, "deidentify", fault)
    row = {"note_id": "n", "year": 2015, "batch": "b", "text": CANARIES[0], "blocks": []}
    engine = object.__new__(Engine)
    found = engine_task._deidentified(engine, row, KnownTerms({}, {}))
    assert found["reason"] == "internal"
    assert found["detail"].startswith("ValueError at test_jobs_leaks.py:")
    assert "text" not in found


def test_an_error_of_a_task_is_raised_without_its_message(tmp_path: Path) -> None:
    class Batch:
        def column(self, name: str) -> None:
            raise ValueError(f"cannot handle {CANARIES[0]}")

    listing = tmp_path / "listing.parquet"
    pq.write_table(task_schemas.RAW_NOTE.empty_table(), listing)
    task = engine_task.Deidentify(str(listing), str(tmp_path), EngineFile("", "d", "f"), None)  # type: ignore[arg-type]
    worker_engine._ENGINES["d"] = object()  # type: ignore[assignment]
    try:
        with pytest.raises(TaskError) as caught:
            list(task(iter([Batch()])))
    finally:
        worker_engine._ENGINES.clear()
    assert caught.value.__cause__ is None
    assert _named_in(str(caught.value).encode()) == []
    assert str(caught.value).startswith("ValueError at test_jobs_leaks.py:")


def _named_in(data: bytes) -> list[str]:
    """Return the canaries that occur in the data, in any case."""
    lower = data.lower()
    return [name for name in (*CANARIES, *IN_TABLE) if name.lower().encode() in lower]
