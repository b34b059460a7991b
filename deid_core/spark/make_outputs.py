"""Make the outputs clean/deidentified_<policy> from raw notes and restricted/detections. The engine does not run.

This is the only place where Spark reads a Delta table; all others use lake/tables/delta_reader.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from deid_core.lake.checks import integrity
from deid_core.lake.outputs.policy_texts import PendingText, list_failures, plan_output
from deid_core.lake.patients.matching import PATIENT_COLUMNS
from deid_core.lake.runs.staged_rows import note_rows
from deid_core.lake.tables import task_schemas
from deid_core.lake.tables.lake_table import LakeTable
from deid_core.pipeline.fingerprint import code_digest
from deid_core.policies.redaction import Redactor
from deid_core.spark import policy_task
from deid_core.spark.deidentify_notes import folders_of
from deid_core.spark.spark_run import SparkRun

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def make_outputs(run: SparkRun, *, retry: bool = False) -> None:
    """Bring the run's outputs up to clean/deidentified. retry: also where an operator failed before."""
    for redactor in run.inputs.outputs:
        _make_output(run, redactor, retry=retry)


def _make_output(run: SparkRun, redactor: Redactor, *, retry: bool) -> None:
    name = redactor.policy.name
    stale, pending = plan_output(run.lake, redactor, retry=retry)
    run.counts[f"output.{name}"] = len(pending)
    if not stale and not pending:
        return
    table = LakeTable.of_output(run.lake, name)
    table.create()
    run.describe("outputs", f"making texts of policy {name}", waiting=len(pending), outdated=len(stale))
    files = table.files_of(stale)
    integrity.check_files(run.lake, table, files)
    table.delete_notes(stale, files)
    if not pending:
        return
    broadcast = run.spark.sparkContext.broadcast((redactor.policy.model_dump_json(), redactor.key))
    task = policy_task.Redact(broadcast, run.spec.pipeline.unlabelled_placeholder, code_digest())
    batch_notes = run.settings.run.batch_notes
    failures: dict[str, str] = {}
    for number, start in enumerate(range(0, len(pending), batch_notes)):
        batch = pending[start : start + batch_notes]
        staged = run.staging / f"output-{name}-{number:04d}"
        with run.timed("outputs"), run.progress("outputs", len(batch), before=start, total=len(pending)):
            redacted = _notes_with_spans(run, batch).mapInArrow(task, _spark_schema(task_schemas.OUTPUT))
            redacted.write.parquet(str(staged))
        failures |= _failures(run, name, staged)
        texts = note_rows(staged, task_schemas.OUTPUT, ["note_id", "year", "note_date", "text"], _patients(batch))
        table.append(texts, fingerprint=redactor.fingerprint, key_id=redactor.key_id)
    broadcast.destroy()
    list_failures(run, redactor, failures)


def _notes_with_spans(run: SparkRun, batch: Sequence[PendingText]) -> DataFrame:
    """Return note_id, year, text, patient_key and the list `spans` of these notes."""
    from pyspark.sql import functions as F

    folders = folders_of(run, batch)
    years = sorted({text.year for text in batch})
    integrity.check_raw_notes(run.lake, folders)
    integrity.check_years(run.lake, run.tables.detections, years)
    patients = F.broadcast(run.spark.createDataFrame(_patients(batch)))
    notes = _raw_notes(run, batch, folders).select("note_id", "year", "text").join(patients, "note_id")
    found = run.spark.read.format("delta").load(str(run.lake.detections)).where(F.col("year").isin(years))
    found = found.join(patients, "note_id", "left_semi")
    spans = found.groupBy("note_id").agg(F.collect_list(F.struct("start", "end", "label", "type")).alias("spans"))
    return notes.join(spans, "note_id", "left").select("note_id", "year", "text", "patient_key", "spans")


def _raw_notes(run: SparkRun, batch: Sequence[PendingText], folders: Sequence[Path]) -> DataFrame:
    """Return the raw notes in these folders that the rows name, as far as they exist.

    The rows are passed as data, since Spark logs a query's text.
    """
    from pyspark.sql import functions as F

    if not folders:
        return run.spark.createDataFrame([], _spark_schema(task_schemas.NOTE))
    reading = run.spark.read.schema(_spark_schema(task_schemas.NOTE))
    notes = reading.option("basePath", str(run.lake.notes)).parquet(*map(str, folders))
    named = pa.table(
        {"note_id": [row.note_id for row in batch], "batch": [row.batch for row in batch]},
        schema=pa.schema([("note_id", pa.string()), ("batch", pa.string())]),
    )
    wanted_notes = F.broadcast(run.spark.createDataFrame(named))
    return notes.join(wanted_notes, ["note_id", "batch"], "left_semi").select(task_schemas.NOTE.names)


def _spark_schema(schema: pa.Schema) -> Any:
    """Return an Arrow schema as Spark's."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def _patients(batch: Sequence[PendingText]) -> pa.Table:
    """Return note_id, the columns of its patient, and run_id, the run that de-identified it."""
    columns = ("note_id", *PATIENT_COLUMNS, "run_id")
    values = ([getattr(text, name) for text in batch] for name in columns)
    return pa.table([pa.array(column, pa.string()) for column in values], columns)


def _failures(run: SparkRun, name: str, staged: Path) -> dict[str, str]:
    """Return why notes have no text of the policy. Count them, and spans that could not be read."""
    made = ds.dataset(staged, format="parquet", schema=task_schemas.OUTPUT).to_table(["note_id", "unparsed", "reason"])
    run.counts[f"unparsed.{name}"] += pc.sum(made["unparsed"]).as_py() or 0
    places = dict(zip(made["note_id"].to_pylist(), made["reason"].to_pylist(), strict=True))
    failed = {note_id: place for note_id, place in places.items() if place is not None}
    if failed:
        run.counts[f"failed.{name}"] += len(failed)
        run.log.warn("outputs", f"notes without a text of policy {name}, since an operator failed", notes=len(failed))
    return failed
