"""Nights: dry runs, moved files, exact counts, and tables that stay in few files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest
from lakes import LETTER, PIPELINE, Archive, Crash, write

from deid_core.cli import main
from deid_core.lake.inspection.show_note import before_and_after
from deid_core.lake.runs import maintenance
from deid_core.lake.tables import delta_reader
from deid_core.spark import run_lake
from deid_core.spark.forecasts import forecast_lake
from deid_core.spark.run_options import Options
from deid_core.spark.spark_run import SparkRun

pytestmark = pytest.mark.spark


def options(archive: Archive, **more: object) -> Options:
    return Options(input=archive.input, lake=archive.root, pipeline=PIPELINE, **more)  # type: ignore[arg-type]


def night(archive: Archive) -> None:
    """Change a note, add one, delete one, move one to another year, touch one, copy one."""
    write(archive.input / "2010/Müller, Anna 0.txt", LETTER.format(name="Altmann", number=5), seconds=1_600_000_000)
    write(archive.input / "2012/Neu.txt", LETTER.format(name="Neumann", number=6))
    (archive.input / "2011/Schmidt, Anna 1.txt").unlink()
    (archive.input / "2010/Weber, Anna 2.txt").rename(archive.input / "2011/Weber, Anna 2.txt")
    shutil.copy2(archive.input / "2010/Peters.docx", archive.input / "2011/Peters.docx")
    write(archive.input / "leer.txt", "", seconds=1_600_000_000)


def test_a_dry_run_predicts_the_run(archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    night(archive)
    before = archive.files()
    arguments = ["run", "--input", str(archive.input), "--lake", str(archive.root), "--pipeline", PIPELINE]
    assert main([*arguments, "--dry-run"]) == 0
    printed = capsys.readouterr()
    assert "moved from another path" in printed.out
    foreseen = forecast_lake(options(archive))
    assert archive.files() == before
    assert {name: count for name, count in foreseen.files.items() if count} == {
        "listed": 16, "new": 2, "moved": 1, "changed": 2, "deleted": 1, "unchanged": 11
    }  # fmt: skip
    assert (sum(foreseen.engine.values()), foreseen.in_quarantine) == (5, 1)
    run = archive.run()
    assert {name: run.counts[name] for name in foreseen.files} == foreseen.files
    # One of the five is empty.
    assert run.counts["deidentified"] == 4
    assert forecast_lake(options(archive)).nothing_to_do


def test_dry_run_of_another_pipeline_and_of_a_new_lake(archive: Archive, tmp_path: Path) -> None:
    before = archive.files()
    again = forecast_lake(Options(input=archive.input, lake=archive.root, pipeline="variants", retry=True))
    waiting = {name: count for name, count in again.engine.items() if count}
    assert waiting == {"read": 2, "another pipeline's": 13}
    assert again.files["retry"] == 2
    assert archive.files() == before
    fresh = forecast_lake(options(Archive(archive.input, tmp_path / "nowhere")))
    assert (fresh.files["new"], fresh.engine["read"], fresh.in_quarantine) == (15, 15, 0)
    assert not (tmp_path / "nowhere").exists()


def test_nights_end_like_a_fresh_run(archive: Archive, tmp_path: Path) -> None:
    """All tables, and so the counts of every year, equal those of one run over the present files."""
    night(archive)
    archive.run()
    (archive.input / "2013").mkdir()
    (archive.input / "2011/Weber, Anna 2.txt").rename(archive.input / "2013/Weber.txt")
    (archive.input / "2012/Neu.txt").unlink()
    assert archive.run().counts["moved"] == 1
    fresh = Archive(archive.input, tmp_path / "fresh")
    fresh.lake.prepare()
    fresh.lake.key.write_text(archive.lake.key.read_text())
    fresh.run()
    nights, once = archive.rows(), fresh.rows()
    assert [row for row in nights.pop("ledger") if row["state"] != "deleted"] == once.pop("ledger")
    assert nights == once


def test_files_stay_few(archive: Archive, tmp_path: Path) -> None:
    settings = tmp_path / "conf.yaml"
    settings.write_text("run: {compact_above_files: 2}\n")
    for number in range(3):
        write(archive.input / "2010" / f"Nacht {number}.txt", LETTER.format(name="Neumann", number=number))
        # Older raw notes are merged with the night's. Only the night's are redacted.
        assert archive.run(settings=settings).counts["deidentified"] == 1
    raw = [path.parent.parent.name for path in archive.lake.notes.rglob("*.parquet")]
    assert max(map(raw.count, raw)) <= 2
    batches = {row["note_id"]: row["batch"] for row in archive.ledger().values() if row["batch"]}
    texts = delta_reader.read(archive.lake.deidentified, ["note_id", "batch"]).to_pylist()
    assert {row["note_id"]: row["batch"] for row in texts} == batches
    for table in (archive.lake.deidentified, archive.lake.phi_audit):
        files = [path.parent.name for path in delta_reader.data_files(table)]
        assert max(map(files.count, files)) <= 2
        assert delta_reader.dead_files(table) == []
    assert len(delta_reader.data_files(archive.lake.runs)) <= 3
    assert len(delta_reader.data_files(archive.lake.ledger)) == 1
    assert not archive.run(settings=settings).did_something
    fresh = Archive(archive.input, tmp_path / "fresh")
    fresh.lake.prepare()
    fresh.lake.key.write_text(archive.lake.key.read_text())
    fresh.run()
    assert archive.rows() == fresh.rows()


def in_many_batches(archive: Archive) -> None:
    """Add two notes of a year, each in a batch of its own."""
    settings = archive.root.with_name("small-batches.yaml")
    settings.write_text("run: {batch_notes: 1}\n")
    for number in range(2):
        write(archive.input / "2010" / f"Nacht {number}.txt", LETTER.format(name="Neumann", number=number))
    archive.run(settings=settings)


def test_raw_notes_of_a_merged_batch_are_read_shown_and_erased(archive: Archive, tmp_path: Path) -> None:
    settings = tmp_path / "conf.yaml"
    settings.write_text("run: {compact_above_files: 2}\n")
    in_many_batches(archive)
    before = before_and_after(archive.lake, "2010/Müller, Anna 0.txt")
    archive.run(settings=settings)
    [folder] = (archive.lake.notes / "year=2010").iterdir()
    assert len(list(folder.iterdir())) == 1
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert archive.ledger()["2011/Schmidt, Anna 1.txt"]["batch"] != folder.name.removeprefix("batch=")
    assert before_and_after(archive.lake, "2010/Müller, Anna 0.txt") == before
    write(archive.input / "2010/Müller, Anna 0.txt", LETTER.format(name="Altmann", number=5), seconds=1_600_000_000)
    (archive.input / "2010/Weber, Anna 2.txt").unlink()
    archive.run()
    left = "".join(ds.dataset(archive.lake.notes, format="parquet").to_table(columns=["text"])["text"].to_pylist())
    assert "Altmann" in left
    assert not {name for name in ("Müller", "Weber") if name in left}
    archive.run(pipeline="variants")
    fresh = Archive(archive.input, tmp_path / "fresh")
    fresh.lake.prepare()
    fresh.lake.key.write_text(archive.lake.key.read_text())
    fresh.run(pipeline="variants")
    nights, once = archive.rows(), fresh.rows()
    assert [row for row in nights.pop("ledger") if row["state"] != "deleted"] == once.pop("ledger")
    assert nights == once


@pytest.mark.parametrize(
    ("owner", "step"),
    [
        (SparkRun, "write_ledger"),
        (maintenance, "_rename_batch_of_texts"),
        (maintenance, "remove_unnamed_batches"),
    ],
)
def test_merging_that_crashes(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, step: str
) -> None:
    """It crashes before it updates the ledger, before it updates the texts, and before it removes the old folders."""
    settings = tmp_path / "conf.yaml"
    settings.write_text("run: {compact_above_files: 2}\n")
    in_many_batches(archive)
    rows = archive.rows()
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(run_lake, "convert_notes", lambda *args, **kwargs: None)
        patched.setattr(owner, step, _crash)
        archive.run(settings=settings)
    assert len(list((archive.lake.notes / "year=2010").iterdir())) == 4
    archive.run(settings=settings)
    assert len(list((archive.lake.notes / "year=2010").iterdir())) == 1
    assert archive.rows() == rows
    assert not archive.run().did_something


def _crash(*args: object, **kwargs: object) -> None:
    raise Crash
