"""Second stage: raw notes that have no redacted text of this pipeline yet get one, with the audit of what was removed.

The engine runs once over a batch; what it made is staged. Then the notes' older texts are withdrawn, and audit,
redacted texts and ledger are written, in this order: wherever a run breaks off, a note has the audit of its text, or
no text; and a note without a text of its pipeline is done again by the next run, whichever pipeline that is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from deid_core.core.errors import Reason
from deid_core.lake import delta_reader, ledger
from deid_core.lake import schemas as rows
from deid_core.lake.ledger import LedgerRow
from deid_core.lake.pending import done, managed, pending
from deid_core.lake.schemas import State
from deid_core.lake.slices import slices
from deid_core.spark import tasks as worker
from deid_core.spark import withdraw as erase
from deid_core.spark.append import append
from deid_core.spark.run_context import Run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def deidentify(run: Run, *, retry: bool = False) -> None:
    """Brings the clean tables up to the ledger, for the run's pipeline.

    retry: try notes again on which this pipeline failed.
    """
    made = done(run.lake, run.fingerprint)
    clean = (run.lake.deidentified, run.lake.phi_audit)
    published = set().union(*(delta_reader.distinct(table, "note_id") for table in clean))
    known = _mended(run, made, published)
    waiting = pending(known.values(), made, run.fingerprint, retry=retry, now=run.started)
    run.counts["to_deidentify"] = len(waiting)
    run.log.event("deidentify", "compared the ledger with the redacted texts", waiting=len(waiting))
    if not waiting:
        return
    spec = run.spec.to_bytes()
    broadcast = run.spark.sparkContext.broadcast(spec)
    task = worker.Deidentify(broadcast, hashlib.sha256(spec).hexdigest(), run.fingerprint)
    for number, batch in enumerate(slices(waiting, run.settings.run.batch_notes)):
        older = published.intersection(row.note_id for row in batch)
        _deidentify_batch(run, batch, older, run.staging / f"redacted-{number:04d}", task)
    broadcast.destroy()


def _mended(run: Run, made: set[tuple[str, str]], published: set[str]) -> dict[str, LedgerRow]:
    """The ledger, after ledger and clean tables have been made to agree where a run broke off between them.

    published: the notes that have rows in a clean table.
    """
    known = ledger.read_ledger(run.lake)
    recovered = [row.recovered(run_id=run.run_id) for row in managed(known.values(), made)]
    if recovered:
        run.describe("deidentify", "taking notes that have their text out of quarantine", notes=len(recovered))
        run.write_ledger(recovered)
        known |= {row.note_id: row for row in recovered}
    converted = {row.note_id for row in known.values() if row.state == State.CONVERTED}
    erase.withdraw(run, published - converted)
    return known


def _deidentify_batch(
    run: Run, batch: Sequence[LedgerRow], older: Collection[str], staged: Path, task: worker.Deidentify
) -> None:
    """Redacts a batch of notes. older: those of them of which the clean tables have rows."""
    run.describe("deidentify", "running the engine", notes=len(batch))
    with run.timed("engine"):
        _raw_notes(run, batch).mapInArrow(task, _spark_schema(rows.REDACTED)).write.parquet(str(staged))
    redacted = run.spark.read.schema(_spark_schema(rows.REDACTED)).parquet(str(staged))
    erase.withdraw(run, older)
    run.describe("deidentify", "writing the audit of removed spans")
    write_audit(run, redacted)
    run.describe("deidentify", "writing the redacted texts")
    write_texts(run, redacted)
    run.describe("deidentify", "writing failures to the ledger")
    write_failures(run, batch, staged)


def _raw_notes(run: Run, batch: Sequence[LedgerRow]) -> DataFrame:
    """The raw notes that these ledger rows name, as far as they are there.

    The rows come in as data, since a plan is logged.
    """
    from pyspark.sql import functions as F

    wanted = {(f"year={row.year}", f"batch={row.batch}") for row in batch}
    folders = [str(f) for f in run.lake.note_folders() if (f.parent.name, f.name) in wanted]
    if not folders:
        return run.spark.createDataFrame([], _spark_schema(rows.NOTE))
    reading = run.spark.read.schema(_spark_schema(rows.NOTE))
    notes = reading.option("basePath", str(run.lake.notes)).parquet(*folders)
    named = pa.table(
        {"note_id": [row.note_id for row in batch], "batch": [row.batch for row in batch]},
        schema=pa.schema([("note_id", pa.string()), ("batch", pa.string())]),
    )
    return notes.join(F.broadcast(run.frame(named)), ["note_id", "batch"], "left_semi").select(rows.NOTE.names)


def write_audit(run: Run, redacted: DataFrame) -> None:
    """Adds the spans that were removed from these notes, which have no audit rows any more."""
    from pyspark.sql import functions as F

    spans = redacted.where(F.col("reason").isNull()).select("note_id", "year", F.explode("spans").alias("span"))
    # One file a year; only places and labels are shuffled.
    append(run.tables.phi_audit, spans.select("note_id", "year", "span.*").repartition("year"))


def write_texts(run: Run, redacted: DataFrame) -> None:
    """Adds the redacted texts of these notes; one on which the engine failed has none afterwards."""
    from pyspark.sql import functions as F

    texts = redacted.where(F.col("reason").isNull()).drop("spans", "reason", "detail")
    made = texts.withColumn("fingerprint", F.lit(run.fingerprint)).withColumn("run_id", F.lit(run.run_id))
    append(run.tables.deidentified, made.repartition("year"))


def write_failures(run: Run, batch: Sequence[LedgerRow], staged: Path) -> None:
    """Puts the notes on which the engine failed into quarantine, takes those out that it now managed; counts."""
    made = _outcomes(staged)
    changed = []
    for row in batch:
        after = _row_after(run, row, made.get(row.note_id))
        if after is not row:
            changed.append(after)
        if after.state == State.QUARANTINED:
            run.counts["quarantined"] += 1
            run.reasons[after.reason or ""] += 1
    done = [found for found in made.values() if found["reason"] is None]
    run.counts["deidentified"] += len(done)
    run.counts["tokens"] += sum(found["tokens"] for found in done)
    run.counts["spans"] += sum(found["spans"] for found in done)
    run.write_ledger(changed)


def _row_after(run: Run, row: LedgerRow, found: Mapping[str, Any] | None) -> LedgerRow:
    """The ledger row of a note after the engine; the same object if nothing is to be told."""
    if found is None:
        # The ledger names a raw text that is not there: the file is read again by the next run.
        failed = row.quarantined(Reason.VANISHED, "no raw text", run_id=run.run_id, pipeline=run.fingerprint)
        return replace(failed, batch=None)
    if found["reason"] is None:
        return row.recovered(run_id=run.run_id) if row.state == State.QUARANTINED else row
    if (found["reason"], run.fingerprint) == (row.reason, row.pipeline):
        # The same failure keeps its row, and so its date.
        return row
    return row.quarantined(found["reason"], found["detail"], run_id=run.run_id, pipeline=run.fingerprint)


def _outcomes(staged: Path) -> dict[str, dict[str, Any]]:
    """What became of each note, by note_id: tokens, number of spans, or a reason; no text."""
    columns = {name: pc.field(name) for name in ("note_id", "tokens", "reason", "detail")}
    columns["spans"] = pc.list_value_length(pc.field("spans"))
    found = ds.dataset(staged, format="parquet", schema=rows.REDACTED).to_table(columns=columns)
    return {row["note_id"]: row for row in found.to_pylist()}


def _spark_schema(schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)
