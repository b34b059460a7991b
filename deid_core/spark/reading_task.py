"""The task of executors that reads files, or rows of a table, into notes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.core.errors import NoteError, Reason, place_of
from deid_core.core.note import Note
from deid_core.lake.inputs.content_readers import ContentReader
from deid_core.lake.notes.ledger import ReaderFingerprint
from deid_core.lake.notes.year import YearFinder
from deid_core.lake.states import ReadOutcome
from deid_core.lake.tables import task_schemas
from deid_core.lake.tables.arrow_codec import record_batch
from deid_core.letterhead import header_year
from deid_core.pipeline.settings_file import Settings
from deid_core.readers import NoteReader, SourceFile
from deid_core.readers.settings import ReadingSettings
from deid_core.spark.crash_isolation import in_children, is_repeated
from deid_core.spark.task_base import BATCH_CHARS, DETAIL_CHARS, check_code, parts, without_message


@dataclass(frozen=True)
class ReadNotes:
    """Reads the notes of a listing. Input rows are chunk numbers (`id`), output rows have the schema task_schemas.READ.

    listing: path of a Parquet file of task_schemas.LISTING with a row group for each chunk. contents: how they are had.
    settings: JSON of the run's settings. fingerprint: the driver's ReaderFingerprint.
    """

    listing: str
    contents: ContentReader
    settings: str
    fingerprint: str

    @without_message
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield a batch of rows for each chunk, more for a chunk with much text; a repeated task, one for each note."""
        settings = Settings.model_validate_json(self.settings)
        check_code(ReaderFingerprint.from_settings(settings).notes, self.fingerprint)
        years = YearFinder(settings.year)
        one_by_one = partial(self._one_by_one, settings.reading, years)
        with NoteReader(settings.reading) as reader, pq.ParquetFile(self.listing) as listing:
            for batch in batches:
                for chunk in batch.column("id").to_pylist():
                    listed = listing.read_row_group(chunk).to_pylist()
                    if is_repeated():
                        yield from in_children(listed, one_by_one, self._killed, task_schemas.READ)
                    else:
                        for part in parts(_read(listed, self.contents, reader, years), BATCH_CHARS):
                            yield record_batch(part, task_schemas.READ)

    def _one_by_one(
        self, settings: ReadingSettings, years: YearFinder, listed: Iterable[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        # With a reader of its own process: its files are removed when that dies.
        with NoteReader(settings) as reader:
            for note in listed:
                yield from _read([note], self.contents, reader, years)

    def _killed(self, note: Mapping[str, Any]) -> dict[str, Any]:
        base = {"note_id": note["note_id"], "source": note["source"]}
        return base | _refused(NoteError(Reason.KILLED), note, self.contents)


def _read(
    listed: list[dict[str, Any]], contents: ContentReader, reader: NoteReader, years: YearFinder
) -> Iterator[dict[str, Any]]:
    left = {}
    for note in listed:
        known = note["known_sha256"]
        if known and contents.sha256_of(note["path"]) == known:
            yield {"note_id": note["note_id"], "outcome": ReadOutcome.SAME, "sha256": known}
        else:
            left[note["note_id"]] = note

    def content(source: SourceFile, max_bytes: int) -> bytes | str:
        return contents.read(left[source.note_id], max_bytes)

    sources = [SourceFile(Path(os.fsdecode(note["path"])), note["source"], note["note_id"]) for note in left.values()]
    for source, result in reader.read(sources, content):
        note = left[source.note_id]
        base = {"note_id": source.note_id, "source": source.relative}
        if isinstance(result, NoteError):
            yield base | _refused(result, note, contents)
        else:
            yield base | _converted(result, note, contents, years)


def _converted(note: Note, listed: Mapping[str, Any], contents: ContentReader, years: YearFinder) -> dict[str, Any]:
    # A row's id is no path, though it may look like one.
    path = "" if listed["sha256"] else note.source
    try:
        year, year_source = years.year_of(path, header_year(note), listed["mtime_ns"], column=listed["year"])
    except MemoryError:
        raise
    except Exception as error:
        return _refused(NoteError(Reason.INTERNAL, place_of(error)), listed, contents)
    return {
        "outcome": ReadOutcome.CONVERTED,
        "year": year,
        "year_source": year_source,
        "sha256": listed["sha256"] or note.sha256,
        "text": note.text,
        "blocks": note.blocks,
        "patient": listed["patient"],
    }


def _refused(error: NoteError, listed: Mapping[str, Any], contents: ContentReader) -> dict[str, Any]:
    # The error carries no hash. Unsafe and huge files are not opened for one.
    unopened = error.reason in (Reason.UNSAFE, Reason.TOO_LARGE)
    return {
        "outcome": ReadOutcome.QUARANTINED,
        "sha256": listed["sha256"] or ("" if unopened else contents.sha256_of(listed["path"])),
        "reason": error.reason,
        "detail": error.detail[:DETAIL_CHARS],
    }
