"""Later runs: a run without work changes nothing, and only what changed is done again."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from lakes import LETTER, PIPELINE, Archive, Crash, write

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError
from deid_core.lake.notes.ledger import RUN_TIME, read_ledger
from deid_core.lake.runs import context
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables
from deid_core.spark import run_options
from deid_core.spark.forecasts import forecast_lake
from deid_core.spark.run_options import Options

pytestmark = pytest.mark.spark


def raw_ids(archive: Archive) -> list[str]:
    """The note ids of all raw texts."""
    return [n for f in archive.lake.notes.rglob("*.parquet") for n in pq.ParquetFile(f).read()["note_id"].to_pylist()]


def test_second_run_changes_nothing(archive: Archive) -> None:
    before, versions = archive.files(), archive.versions()
    run = archive.run()
    assert not run.did_something
    assert run.counts["unchanged"] == 15
    assert (archive.files(), archive.versions()) == (before, versions)


def test_a_lake_with_raw_places_in_the_audit_is_upgraded(archive: Archive, first_run: Archive) -> None:
    """As versions before 0.5 wrote them."""
    audit = delta_reader.read(archive.lake.phi_audit, delta_reader.columns(archive.lake.phi_audit))
    for name in ("start", "end"):
        audit = audit.append_column(name, audit["output_start"])
    write_deltalake(str(archive.lake.phi_audit), audit, mode="overwrite", schema_mode="overwrite")
    shutil.rmtree(archive.lake.detections)
    archive.lake.checksums.unlink()
    assert main(["check", "--lake", str(archive.root)]) == 75
    forecast_lake(Options(input=archive.input, lake=archive.root, pipeline=PIPELINE))
    with pytest.raises(ConfigurationError, match="unknown column start"):
        archive.run(stages=["convert"])
    assert archive.run().counts["deidentified"] == 13
    assert archive.rows() == first_run.rows()
    assert not archive.run().did_something
    assert main(["check", "--lake", str(archive.root)]) == 0


def test_a_lake_without_patients_is_upgraded(
    archive: Archive, first_run: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As versions before 0.5 wrote it. The first attempt dies when it has removed the first table."""

    def die(tables: Tables) -> None:
        shutil.rmtree(tables.deidentified.path)
        raise Crash

    texts = delta_reader.read(archive.lake.deidentified, delta_reader.columns(archive.lake.deidentified))
    texts = texts.drop_columns(["patient_key", "patient_key_id", "patient_source"])
    write_deltalake(str(archive.lake.deidentified), texts, mode="overwrite", schema_mode="overwrite")
    for table in (archive.lake.patient_evidence, archive.lake.patient_conflicts):
        shutil.rmtree(table)
    archive.lake.checksums.unlink()
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(Tables, "remove_results", die)
        archive.run()
    assert archive.run().counts["deidentified"] == 13
    assert archive.rows() == first_run.rows()
    assert not archive.run().did_something


def test_a_run_without_work_loads_no_engine(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(spec: object) -> None:
        raise AssertionError

    monkeypatch.setattr(context, "check_spec", load)
    monkeypatch.setattr(run_options, "check_spec", load)
    assert not archive.run().did_something
    options = Options(input=archive.input, lake=archive.root, pipeline="default")
    assert sum(forecast_lake(options).engine.values()) == 13
    with pytest.raises(AssertionError):
        archive.run(pipeline="variants")


def test_changed_deleted_added_touched(archive: Archive) -> None:
    before = archive.ledger()
    changed, deleted, touched, added = (
        "2010/Müller, Anna 0.txt", "2011/Schmidt, Anna 1.txt", "2010/Weber, Anna 2.txt", "2012/Neu.txt"
    )  # fmt: skip
    write(archive.input / changed, LETTER.format(name="Altmann", number=5), seconds=1_600_000_000)
    write(archive.input / added, LETTER.format(name="Neumann", number=6))
    (archive.input / deleted).unlink()
    os.utime(archive.input / touched, (1_600_000_000, 1_600_000_000))
    run = archive.run()

    after = archive.ledger()
    rewritten = {path for path in after if path not in before or after[path] != before[path]}
    assert rewritten == {changed, deleted, touched, added}
    assert (after[deleted]["state"], after[deleted]["batch"]) == ("deleted", None)
    assert after[touched]["batch"] == before[touched]["batch"]
    assert after[changed]["sha256"] != before[changed]["sha256"]
    assert run.counts["deidentified"] == 2
    converted = sorted(str(row["note_id"]) for row in after.values() if row["state"] == "converted")
    redacted = delta_reader.read(archive.lake.deidentified, ["note_id", "run_id"]).to_pylist()
    assert sorted(row["note_id"] for row in redacted) == converted == sorted(raw_ids(archive))
    made_now = {row["note_id"] for row in redacted if row["run_id"] == run.run_id}
    assert made_now == {after[changed]["note_id"], after[added]["note_id"]}
    audited = set(delta_reader.read(archive.lake.phi_audit, ["note_id"])["note_id"].to_pylist())
    assert audited == set(converted)
    assert not archive.run().did_something


def test_a_file_of_the_far_future(archive: Archive) -> None:
    """The run continues, the file is a note like others, and its date does not count as a change."""
    seconds = 11_000_000_000  # the year 2318
    write(archive.input / "ohne Jahr" / "Uhr.txt", "Frau Krüger kam.\n", seconds=seconds)
    if (archive.input / "ohne Jahr" / "Uhr.txt").stat().st_mtime != seconds:
        pytest.skip("needs a file system that holds such a date")
    assert archive.run().counts["converted"] == 1
    assert archive.ledger()["ohne Jahr/Uhr.txt"]["year"] == 2262
    assert not archive.run().did_something


def test_note_that_becomes_unreadable_leaves_the_clean_tables(archive: Archive) -> None:
    path = "2010/Müller, Anna 0.txt"
    note_id = archive.ledger()[path]["note_id"]
    write(archive.input / path, "", seconds=1_600_000_000)
    archive.run()
    assert archive.ledger()[path]["reason"] == "empty"
    for table in (archive.lake.deidentified, archive.lake.phi_audit):
        assert not delta_reader.read(table, ["note_id"], where=pc.field("note_id") == note_id).num_rows
    assert note_id not in raw_ids(archive)


def test_deleted_note_leaves_the_disk(archive: Archive) -> None:
    path = "2011/Schmidt, Anna 1.txt"
    note_id = archive.ledger()[path]["note_id"]
    assert {"notes", "deidentified", "phi_audit", "ledger"} <= {name for name, _ in _files_with(archive, note_id)}
    (archive.input / path).unlink()
    archive.run()
    # The ledger keeps one row, which says that the file existed.
    assert _files_with(archive, note_id) == [("ledger", 1)]
    for table in (archive.lake.deidentified, archive.lake.phi_audit, archive.lake.phi_counts, archive.lake.ledger):
        assert delta_reader.dead_files(table) == []


def _files_with(archive: Archive, note_id: object) -> list[tuple[str, int]]:
    """Return the Parquet files on disk, older versions included, that hold rows of a note: table and number of rows."""
    found = []
    for file in sorted(archive.root.rglob("*.parquet")):
        content = pq.ParquetFile(file).read()
        if "_delta_log" not in file.parts and "note_id" in content.column_names:
            rows = content["note_id"].to_pylist().count(note_id)
            found += [(file.relative_to(archive.root).parts[1], rows)] if rows else []
    return found


def test_lost_raw_texts_are_read_again(archive: Archive, first_run: Archive) -> None:
    shutil.rmtree(archive.lake.notes)
    run = archive.run()
    assert run.counts["converted"] == run.counts["deidentified"] == 13
    assert archive.rows() == first_run.rows()
    assert sorted(raw_ids(archive)) == sorted(raw_ids(first_run))


def test_lost_raw_texts_without_the_input(archive: Archive, first_run: Archive) -> None:
    shutil.rmtree(archive.lake.notes)
    archive.run(pipeline="variants", stages=("deidentify",))
    assert {row["reason"] for row in archive.ledger().values()} == {"vanished", "empty", "corrupt"}
    assert not delta_reader.distinct(archive.lake.phi_audit, "note_id")
    archive.run()
    assert archive.rows() == first_run.rows()


def test_file_that_stays_unreadable_is_nothing_to_do(archive: Archive) -> None:
    (archive.input / "2010" / "Verweis.txt").symlink_to(archive.input / "fort.txt")
    assert archive.run().counts["quarantined"] == 1
    assert not archive.run().did_something
    write(archive.input / "fort.txt", LETTER.format(name="Neumann", number=6))
    assert archive.run().counts["converted"] == 2


def test_a_night_with_unreadable_files_only(archive: Archive) -> None:
    """They say nothing about the folder, however large a share of the night's files they are."""
    for name in ("eins.txt", "zwei.txt"):
        (archive.input / name).symlink_to(archive.input / "fort.txt")
    run = archive.run()
    assert (run.counts["quarantined"], run.reasons) == (2, {"vanished": 2})
    assert {row["reason"] for path, row in archive.ledger().items() if path in ("eins.txt", "zwei.txt")} == {"vanished"}


@pytest.mark.parametrize(("failed_days_ago", "again"), [(0, True), (30, False)])
def test_a_note_that_timed_out_is_retried(archive: Archive, failed_days_ago: int, again: bool) -> None:
    """For some nights, without --retry, since the machine may have been busy."""
    row = next(row for row in read_ledger(archive.lake).values() if row.path == "2010/Peters.docx")
    failed = datetime.now(UTC) - timedelta(days=failed_days_ago)
    run_id = f"{failed:{RUN_TIME}}-0123abcd"
    tables = Tables(archive.lake)
    [fingerprint] = delta_reader.distinct(archive.lake.deidentified, "fingerprint")
    tables.ledger.upsert([asdict(row.quarantined("engine_timeout", "rule", run_id=run_id, pipeline=fingerprint))])
    for table in (tables.deidentified, tables.phi_audit):
        table.delete_notes({row.note_id})
    options = Options(input=archive.input, lake=archive.root, pipeline=PIPELINE)
    assert forecast_lake(options).engine["failed before"] == again
    assert archive.run().counts["deidentified"] == again
    assert archive.ledger()[row.path]["state"] == ("converted" if again else "quarantined")
    assert not archive.run().did_something


def test_another_pipeline_redoes_everything(archive: Archive) -> None:
    old = set(delta_reader.read(archive.lake.deidentified, ["fingerprint"])["fingerprint"].to_pylist())
    run = archive.run(pipeline="variants")
    rows = delta_reader.read(archive.lake.deidentified, ["note_id", "fingerprint"]).to_pylist()
    assert run.counts["deidentified"] == len(rows) == 13
    assert run.counts["converted"] == 0
    assert {row["fingerprint"] for row in rows} == {run.fingerprint} != old
    assert not archive.run(pipeline="variants").did_something


def test_an_empty_input_folder_does_not_empty_the_lake(archive: Archive) -> None:
    for path in list(archive.input.rglob("*.*")):
        path.unlink()
    before = archive.files()
    with pytest.raises(ConfigurationError, match="is it mounted"):
        archive.run()
    assert archive.files() == before


def test_stages_and_batches_do_not_matter(first_run: Archive, tmp_path: Path) -> None:
    """Run stage by stage in smaller batches; the tables are the same."""
    settings = tmp_path / "conf.yaml"
    settings.write_text("run: {batch_notes: 8}\n")
    apart = Archive(first_run.input, tmp_path / "lake")
    # With another key the ids would differ.
    apart.lake.prepare()
    apart.lake.key.write_text(first_run.lake.key.read_text())
    for stage in ("convert", "deidentify", "audit"):
        apart.run(stages=(stage,), settings=settings)
    assert len({row["batch"] for row in apart.ledger().values()} - {None}) == 2
    assert apart.rows() == first_run.rows()
