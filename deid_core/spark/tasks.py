"""What executors run: read files into notes, run the engine over notes, take notes out of a Parquet file.

The tasks are callables for `mapInArrow`; each gives one row for each file or note it was given, whatever goes wrong
with it. An exception that leaves a task ends up in executor logs, so it carries a class and a place and no message.
"""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.core.errors import ConfigurationError, DeidError, NoteError, Reason, place_of
from deid_core.core.note import Note
from deid_core.lake import schemas as rows
from deid_core.lake.arrow_codec import blocks_of, record_batch, values_of_block
from deid_core.lake.hashing import sha256_of
from deid_core.lake.ledger import ReaderFingerprint
from deid_core.lake.machine_faults import lacking, system_words
from deid_core.lake.note_year import YearFinder
from deid_core.lake.process import protect_process
from deid_core.lake.schemas import Outcome
from deid_core.letterhead import header_year
from deid_core.pipeline.engine import Engine, EngineSpec
from deid_core.pipeline.settings import Settings
from deid_core.readers import NoteReader, SourceFile

if TYPE_CHECKING:
    from pyspark import Broadcast

FILES_A_CHUNK = 50
"""Files that one row of the convert task's input stands for; a batch for LibreOffice."""
_BATCH_CHARS = 16_000_000
"""Characters of text after which the rows of a chunk are handed on: few files have megabytes, but a chunk of them
would fill memory."""
_AHEAD_CHARS = 100_000
"""Characters of text whose words the engine learns at once, some twenty notes: with more a word costs hardly less, and
the first of the notes has a time limit."""
_DETAIL_CHARS = 200
_ENGINES: dict[str, Engine] = {}
"""This process's engine by its broadcast's digest; one at a time, since its lists fill memory."""


class TaskError(Exception):
    """A fault in a task: by class and place, with the system's words if storage is behind it; or what it lacks."""


def _quiet(task: Callable[..., Iterator[pa.RecordBatch]]) -> Callable[..., Iterator[pa.RecordBatch]]:
    """Lets no exception leave with a message that might quote a note, nor files or dumps that others can read."""

    @functools.wraps(task)
    def quiet(*args: Any) -> Iterator[pa.RecordBatch]:
        protect_process()
        try:
            yield from task(*args)
        except ConfigurationError as error:
            raise TaskError(lacking(error)) from None
        except DeidError:
            raise
        except Exception as error:
            # The system's own words quote nothing, and say to the driver that it is not a fault of this program.
            words = system_words(error)
            raise TaskError(place_of(error) + (f": {words}" if words else "")) from None

    return quiet


@dataclass(frozen=True)
class ReadNotes:
    """Reads the files of a listing; input rows are chunk numbers (`id`), output rows are rows.READ.

    listing: Arrow stream of rows.LISTING. settings: JSON of the run's settings. fingerprint: the driver's
    ReaderFingerprint.
    """

    listing: Broadcast[bytes]
    settings: str
    fingerprint: str

    @_quiet
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One batch of rows for each chunk, more for one with much text."""
        settings = Settings.model_validate_json(self.settings)
        _check_code(ReaderFingerprint.of(settings).notes, self.fingerprint)
        with pa.ipc.open_stream(self.listing.value) as stream:
            listing = stream.read_all()
        years = YearFinder(settings.year)
        with NoteReader(settings.reading) as reader:
            for batch in batches:
                for chunk in batch.column("id").to_pylist():
                    files = listing.slice(chunk * FILES_A_CHUNK, FILES_A_CHUNK).to_pylist()
                    for part in _parts(_read(files, reader, years), _BATCH_CHARS):
                        yield record_batch(part, rows.READ)


def _parts(found: Iterable[dict[str, Any]], chars: int) -> Iterator[list[dict[str, Any]]]:
    """The rows in their order, a part as soon as its texts have so many characters."""
    part: list[dict[str, Any]] = []
    waiting = 0
    for row in found:
        part.append(row)
        waiting += len(row.get("text") or "")
        if waiting >= chars:
            yield part
            part, waiting = [], 0
    if part:
        yield part


def _read(files: list[dict[str, Any]], reader: NoteReader, years: YearFinder) -> Iterator[dict[str, Any]]:
    hashes = {file["note_id"]: sha256_of(file["path"]) if file["known_sha256"] else "" for file in files}
    changed = {f["note_id"]: f for f in files if not f["known_sha256"] or f["known_sha256"] != hashes[f["note_id"]]}
    for file in files:
        if file["note_id"] not in changed:
            yield {"note_id": file["note_id"], "outcome": Outcome.SAME, "sha256": file["known_sha256"]}
    sources = [SourceFile(Path(os.fsdecode(f["path"])), f["source"], f["note_id"]) for f in changed.values()]
    for source, result in reader.read(sources):
        file = changed[source.note_id]
        base = {"note_id": source.note_id, "source": source.relative}
        yield base | (_refused(result, file) if isinstance(result, NoteError) else _converted(result, file, years))


def _converted(note: Note, file: Mapping[str, Any], years: YearFinder) -> dict[str, Any]:
    try:
        year, year_source = years.year_of(note.source, header_year(note), file["mtime_ns"])
    except Exception as error:
        return _refused(NoteError(Reason.INTERNAL, place_of(error)), file)
    return {
        "outcome": Outcome.CONVERTED,
        "year": year,
        "year_source": year_source,
        "sha256": note.sha256,
        "text": note.text,
        "blocks": [values_of_block(block) for block in note.blocks],
    }


def _refused(error: NoteError, file: Mapping[str, Any]) -> dict[str, Any]:
    # The error has no hash. What is unsafe or huge is not opened for one.
    unopened = error.reason in (Reason.UNSAFE, Reason.TOO_LARGE)
    return {
        "outcome": Outcome.QUARANTINED,
        "sha256": "" if unopened else sha256_of(file["path"]),
        "reason": error.reason,
        "detail": error.detail[:_DETAIL_CHARS],
    }


@dataclass(frozen=True)
class Deidentify:
    """Runs the engine; input rows have note_id, year, batch, text, blocks, output rows are rows.REDACTED.

    spec: EngineSpec.to_bytes(). digest: of these bytes, hexadecimal; a worker process makes one engine for it.
    fingerprint: the driver's, of the spec.
    """

    spec: Broadcast[bytes]
    digest: str
    fingerprint: str

    @_quiet
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One batch of rows for each batch of notes."""
        engine = self._engine()
        for batch in batches:
            notes = batch.drop_columns(["blocks"]).to_pylist()
            blocks = blocks_of(batch.column("blocks"))
            read = [row | {"blocks": own} for row, own in zip(notes, blocks, strict=True)]
            found = [row for ahead in _parts(read, _AHEAD_CHARS) for row in _all_deidentified(engine, ahead)]
            yield record_batch(found, rows.REDACTED)

    def _engine(self) -> Engine:
        if self.digest not in _ENGINES:
            spec = EngineSpec.from_bytes(self.spec.value)
            _check_code(spec.fingerprint, self.fingerprint)
            _ENGINES.clear()
            # So that nothing of the former engine stays.
            gc.unfreeze()
            engine = Engine(spec)
            # A note's time limit is not meant for what loads and compiles with the first one.
            engine.warm_up()
            _ENGINES[self.digest] = engine
            # Blocks and spans of a batch are many objects, and Python's collector would look through all of the engine
            # some times a batch for them. What is there now stays.
            gc.collect()
            gc.freeze()
        return _ENGINES[self.digest]


def _check_code(here: str, driver: str) -> None:
    """Raises ConfigurationError if this executor's code is not the driver's, whose name the rows would bear."""
    if here != driver:
        raise ConfigurationError(
            "this executor's deid_core is not the driver's; run `python -m deid_core.spark.package` again"
        )


def _all_deidentified(engine: Engine, notes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of REDACTED of these notes, whose words are learned at once before the first is read."""
    # A text of this length costs more to read twice than its words are dearer alone.
    ahead = [row["text"] for row in notes if len(row["text"]) < _AHEAD_CHARS]
    if len(ahead) > 1:
        # What fails here fails again for the note itself, and is told there.
        with suppress(NoteError):
            engine.learn(ahead)
    return (_deidentified(engine, row) for row in notes)


def _deidentified(engine: Engine, row: Mapping[str, Any]) -> dict[str, Any]:
    base = {"note_id": row["note_id"], "year": row["year"], "batch": row["batch"]}
    try:
        result = engine.deidentify(note_of(row))
    except NoteError as error:
        return base | {"reason": error.reason, "detail": error.detail[:_DETAIL_CHARS]}
    except Exception as error:
        # One note's fault must not stop the others; what it was is told without its message.
        return base | {"reason": Reason.INTERNAL, "detail": place_of(error)}
    # In the order of rows.SPAN.
    spans = [
        (s.start, s.end, *output, s.label, s.type, s.recogniser, s.rule, s.score)
        for s, output in zip(result.spans, result.outputs, strict=True)
    ]
    return base | {"text": result.text, "tokens": result.tokens, "spans": spans}


def note_of(row: Mapping[str, Any]) -> Note:
    """The note of a row of restricted/notes."""
    return Note(row["note_id"], row["text"], year=row["year"], blocks=tuple(row["blocks"]))


@dataclass(frozen=True)
class TakeOut:
    """Removes notes from Parquet files of raw notes; input rows are numbers of files (`id`), output how many went.

    A file is replaced in one step, or removed if nothing is left of it. Spark may run a task twice: a file that is gone
    has no notes.
    """

    files: tuple[str, ...]
    note_ids: frozenset[str]

    @_quiet
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One batch with the column `removed` for each batch of numbers."""
        for batch in batches:
            removed = [self._from(Path(self.files[number])) for number in batch.column("id").to_pylist()]
            yield pa.RecordBatch.from_pydict({"removed": pa.array(removed, pa.int64())})

    def _from(self, file: Path) -> int:
        # A task that was killed may have left it, with raw text.
        new = file.with_name(f".{file.name}.new")
        new.unlink(missing_ok=True)
        if not file.exists():
            return 0
        here = pq.read_table(file, columns=["note_id"], partitioning=None)["note_id"].to_pylist()
        if self.note_ids.isdisjoint(here):
            return 0
        table = pq.read_table(file, partitioning=None)
        kept = table.filter(pa.array([note_id not in self.note_ids for note_id in here], pa.bool_()))
        # Hadoop's checksum of the old file would make the new one look broken.
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        if kept.num_rows:
            pq.write_table(kept, new)
            new.replace(file)
        else:
            file.unlink()
        return table.num_rows - kept.num_rows
