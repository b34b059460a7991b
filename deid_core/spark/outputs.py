"""Make the outputs clean/deidentified_<policy> from raw notes and restricted/detections. The engine does not run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from deid_core.lake import integrity, schemas
from deid_core.lake.outputs import PendingText, plan_output
from deid_core.lake.tables import LakeTable
from deid_core.pipeline.fingerprint import code_digest
from deid_core.policies.redaction import Redactor
from deid_core.spark import tasks
from deid_core.spark.deidentify import append, folders_of, raw_notes, spark_schema
from deid_core.spark.spark_run import SparkRun

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PATIENT = pa.schema([(name, pa.string()) for name in ("note_id", "patient_key", "patient_source", "made_by")])


def make_outputs(run: SparkRun) -> None:
    """Bring the run's outputs up to clean/deidentified."""
    for redactor in run.inputs.outputs:
        _make_output(run, redactor)


def _make_output(run: SparkRun, redactor: Redactor) -> None:
    name = redactor.policy.name
    stale, pending = plan_output(run.lake, redactor)
    run.counts[f"output.{name}"] = len(pending)
    if not stale and not pending:
        return
    table = LakeTable.of_output(run.lake, name)
    table.create()
    run.describe("outputs", f"making texts of policy {name}", waiting=len(pending), outdated=len(stale))
    years = table.years_of(stale)
    integrity.check_years(run.lake, table, years)
    table.delete_notes(stale, years)
    if not pending:
        return
    broadcast = run.spark.sparkContext.broadcast((redactor.policy.model_dump_json(), redactor.key))
    task = tasks.Redact(broadcast, run.spec.pipeline.unlabelled_placeholder, code_digest())
    batch_notes = run.settings.run.batch_notes
    for number, start in enumerate(range(0, len(pending), batch_notes)):
        batch = pending[start : start + batch_notes]
        staged = run.staging / f"output-{name}-{number:04d}"
        with run.timed("outputs"), run.progress("outputs", len(batch), before=start, total=len(pending)):
            _notes_with_spans(run, batch).mapInArrow(task, spark_schema(schemas.OUTPUT)).write.parquet(str(staged))
        _count(run, name, staged, len(batch))
        _append_texts(run, table, redactor, batch, staged)
    broadcast.destroy()


def _notes_with_spans(run: SparkRun, batch: Sequence[PendingText]) -> DataFrame:
    """Return note_id, year, text, patient_key and the list `spans` of these notes."""
    from pyspark.sql import functions as F

    folders = folders_of(run, batch)
    years = sorted({text.year for text in batch})
    integrity.check_raw_notes(run.lake, folders)
    integrity.check_years(run.lake, run.tables.detections, years)
    notes = raw_notes(run, batch, folders).select("note_id", "year", "text").join(_patients(run, batch), "note_id")
    found = run.spark.read.format("delta").load(str(run.lake.detections)).where(F.col("year").isin(years))
    found = found.join(_patients(run, batch), "note_id", "left_semi")
    spans = found.groupBy("note_id").agg(F.collect_list(F.struct("start", "end", "label", "type")).alias("spans"))
    return notes.join(spans, "note_id", "left").select("note_id", "year", "text", "patient_key", "spans")


def _append_texts(
    run: SparkRun, table: LakeTable, redactor: Redactor, batch: Sequence[PendingText], staged: Path
) -> None:
    from pyspark.sql import functions as F

    made = run.spark.read.schema(spark_schema(schemas.OUTPUT)).parquet(str(staged)).where(F.col("reason").isNull())
    texts = made.join(_patients(run, batch), "note_id").withColumn("run_id", F.col("made_by"))
    append(
        table,
        texts.withColumn("fingerprint", F.lit(redactor.fingerprint)).withColumn("key_id", F.lit(redactor.key_id)),
    )


def _patients(run: SparkRun, batch: Sequence[PendingText]) -> DataFrame:
    """Return note_id, patient_key, patient_source and made_by, the run that de-identified the note, to be joined."""
    from pyspark.sql import functions as F

    return F.broadcast(
        run.spark.createDataFrame(
            pa.Table.from_pylist(
                [
                    dict(zip(_PATIENT.names, (t.note_id, t.patient_key, t.patient_source, t.run_id), strict=True))
                    for t in batch
                ],
                schema=_PATIENT,
            )
        )
    )


def _count(run: SparkRun, name: str, staged: Path, expected: int) -> None:
    """Count spans that became placeholders since they could not be read, and notes that have no text of the policy."""
    made = ds.dataset(staged, format="parquet", schema=schemas.OUTPUT).to_table(columns=["unparsed", "reason"])
    run.counts[f"unparsed.{name}"] += pc.sum(made["unparsed"]).as_py() or 0
    if failed := expected - made["reason"].null_count:
        run.counts[f"failed.{name}"] += failed
        run.log.event("outputs", f"notes without a text of policy {name}, since an operator failed", notes=failed)
