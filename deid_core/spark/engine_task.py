"""The task of executors that runs the engine over raw notes.

A task reads its notes from the lake and writes its results to a file, so no text of a note passes through the JVM. It
returns the file's name. Of a task with several attempts Spark takes the name of one, so the others count for nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.core.errors import NoteError, Reason, place_of
from deid_core.core.note import Note
from deid_core.lake.notes.raw_notes import read_raw_notes
from deid_core.lake.tables import task_schemas
from deid_core.lake.tables.arrow_codec import record_batch
from deid_core.pipeline.engine import Deidentified, Engine
from deid_core.pipeline.known_terms import KnownTerms
from deid_core.policies.patient_evidence import evidence_of, told_by_source
from deid_core.spark.crash_isolation import in_children, is_repeated
from deid_core.spark.engine_rows import Given, read_together, span_rows
from deid_core.spark.task_base import BATCH_CHARS, DETAIL_CHARS, Held, Row, parts, without_message
from deid_core.spark.worker_engine import EngineFile

if TYPE_CHECKING:
    from pyspark import Broadcast

FILES = pa.schema([("file", pa.string())])
"""What a task returns."""


@dataclass(frozen=True)
class Deidentify:
    """Runs the engine. Input rows are chunk numbers (`id`), output rows the names of files (`file`).

    listing: path of a Parquet file of task_schemas.RAW_NOTE with a row group for each chunk. folder: for the files, of
    task_schemas.REDACTED. engine: what it is made from. known: what others than the notes know of their people.
    """

    listing: str
    folder: str
    engine: EngineFile
    known: Broadcast[KnownTerms] | Held[KnownTerms]

    @without_message
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write a file of rows for each chunk of notes, and yield its name."""
        engine = self.engine.engine()
        with pq.ParquetFile(self.listing) as listing:
            for batch in batches:
                for chunk in batch.column("id").to_pylist():
                    made = self._made(engine, read_raw_notes(listing.read_row_group(chunk)))
                    # Another attempt may write at the same time.
                    name = f"part-{chunk:05d}-{secrets.token_hex(8)}.parquet"
                    with pq.ParquetWriter(Path(self.folder) / name, task_schemas.REDACTED) as file:
                        for rows in made:
                            file.write_batch(rows)
                    yield pa.RecordBatch.from_pydict({"file": [name]}, FILES)

    def _made(self, engine: Engine, notes: Iterator[Row]) -> Iterator[pa.RecordBatch]:
        """Yield rows of task_schemas.REDACTED of these notes in few batches; of a repeated task, one for each note."""
        known = self.known.value
        if is_repeated():
            one_by_one = partial(_all_deidentified, engine, known)
            yield from in_children(notes, one_by_one, _killed, task_schemas.REDACTED)
        else:
            done = read_together(engine, notes, partial(_given, known))
            for part in parts((_deidentified(engine, row, known, ahead) for row, ahead in done), BATCH_CHARS):
                yield record_batch(part, task_schemas.REDACTED)


def _all_deidentified(engine: Engine, known: KnownTerms, rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Yield a row of task_schemas.REDACTED for each note."""
    return (_deidentified(engine, row, known) for row in rows)


def _given(known: KnownTerms, row: Row) -> Given:
    return note_of(row), "", known.of_note(row["note_id"], told_by_source(row.get("patient")))


def _killed(row: Mapping[str, Any]) -> dict[str, Any]:
    return _base(row) | {"reason": Reason.KILLED, "detail": ""}


def _base(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("note_id", "year", "batch")}


def _deidentified(engine: Engine, row: Row, known: KnownTerms, done: Deidentified | None = None) -> dict[str, Any]:
    """Return a row of task_schemas.REDACTED. done: the engine's result, if there is one."""
    base = _base(row)
    try:
        note_id, by_source = row["note_id"], told_by_source(row.get("patient"))
        terms = known.of_note(note_id, by_source)
        result = done or engine.deidentify(note_of(row), known=terms)
        evidence = (*evidence_of(row["text"], result.spans), *by_source)
        if (more := known.of_note(note_id, evidence)) != terms:
            # The note says its patient's id, of whom the table knows something.
            result = engine.deidentify(note_of(row), known=more)
            evidence = (*evidence_of(row["text"], result.spans), *by_source)
    except NoteError as error:
        return base | {"reason": error.reason, "detail": error.detail[:DETAIL_CHARS]}
    except MemoryError:
        raise
    except Exception as error:
        # One note's failure must not stop the others. Its message may quote the note.
        return base | {"reason": Reason.INTERNAL, "detail": place_of(error)}
    # A Dropped is in the order of task_schemas.DROPPED.
    return base | {
        "text": result.text,
        "tokens": result.tokens,
        "languages": " ".join(result.languages) or None,
        "spans": span_rows(result.spans, result.outputs),
        "dropped": result.dropped,
        "patient_evidence": evidence,
        "refused": result.refused,
    }


def note_of(row: Mapping[str, Any]) -> Note:
    """Return the note of a row of restricted/notes."""
    return Note(row["note_id"], row["text"], year=row["year"], blocks=tuple(row["blocks"]))
