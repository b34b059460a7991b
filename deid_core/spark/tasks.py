"""The tasks of executors: read files into notes, and run the engine over notes.

Tasks are callables for `mapInArrow`. Each returns one row for each file or note, whatever goes wrong with it. An
exception that leaves a task ends up in executor logs, so it carries a class and a place but no message.
"""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.core.errors import ConfigurationError, DeidError, NoteError, Reason, TryAgainError, place_of
from deid_core.core.files import protect_process
from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Span
from deid_core.lake import schemas
from deid_core.lake.arrow_codec import blocks_of, record_batch
from deid_core.lake.contents import Contents
from deid_core.lake.ledger import ReaderFingerprint
from deid_core.lake.note_year import YearFinder
from deid_core.lake.schemas import ReadOutcome
from deid_core.lake.storage_errors import carried, storage_error_text
from deid_core.letterhead import header_year
from deid_core.pipeline.engine import Deidentified, Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.fingerprint import code_digest
from deid_core.pipeline.known_terms import NOTHING_KNOWN, KnownTerms, Term
from deid_core.pipeline.settings import Settings
from deid_core.policies.key import PolicyKey
from deid_core.policies.patient_evidence import evidence_of, told_by_source
from deid_core.policies.redaction import Redactor
from deid_core.policies.settings import policy_from_json
from deid_core.readers import NoteReader, SourceFile
from deid_core.readers.plain import note_from_text
from deid_core.readers.settings import ReadingSettings
from deid_core.spark.repeated_task import in_children, is_repeated

if TYPE_CHECKING:
    from pyspark import Broadcast

_BATCH_CHARS = 16_000_000
"""Characters of text after which a chunk's rows are returned. Few files have megabytes, but a chunk of such files would
fill memory."""
_TOGETHER_CHARS = 100_000
"""Characters of text that the engine reads at once, some twenty notes. More would hardly be faster, and the notes
together have the time limit of one."""
_DETAIL_CHARS = 200
_Row = Mapping[str, Any]
_Given = tuple[Note, str, Sequence[Term]]
"""What the engine is given of a row: a note, its patient, and what is known of its people."""
_ENGINES: dict[str, Engine] = {}
"""This process's engine by the digest of its broadcast. One at a time, since its lists fill memory."""


class TaskError(Exception):
    """A task failed. The message is a class and a place, the system's words for a storage error, or what it lacks."""


def _without_message(task: Callable[..., Iterator[pa.RecordBatch]]) -> Callable[..., Iterator[pa.RecordBatch]]:
    """Replace exceptions whose messages might quote a note, and make the process write private files only."""

    @functools.wraps(task)
    def quiet(*args: Any) -> Iterator[pa.RecordBatch]:
        protect_process()
        try:
            yield from task(*args)
        except (ConfigurationError, TryAgainError) as error:
            raise TaskError(carried(error)) from None
        except DeidError:
            raise
        except Exception as error:
            # The system's words quote nothing, and show the driver that this program is not at fault.
            words = storage_error_text(error)
            raise TaskError(place_of(error) + (f": {words}" if words else "")) from None

    return quiet


@dataclass(frozen=True)
class ReadNotes:
    """Reads the notes of a listing. Input rows are chunk numbers (`id`), output rows have the schema schemas.READ.

    listing: path of a Parquet file of schemas.LISTING with a row group for each chunk. contents: how they are had.
    settings: JSON of the run's settings. fingerprint: the driver's ReaderFingerprint.
    """

    listing: str
    contents: Contents
    settings: str
    fingerprint: str

    @_without_message
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield a batch of rows for each chunk, more for a chunk with much text; a repeated task, one for each note."""
        settings = Settings.model_validate_json(self.settings)
        _check_code(ReaderFingerprint.from_settings(settings).notes, self.fingerprint)
        years = YearFinder(settings.year)
        one_by_one = partial(self._one_by_one, settings.reading, years)
        with NoteReader(settings.reading) as reader, pq.ParquetFile(self.listing) as listing:
            for batch in batches:
                for chunk in batch.column("id").to_pylist():
                    listed = listing.read_row_group(chunk).to_pylist()
                    if is_repeated():
                        yield from in_children(listed, one_by_one, self._killed, schemas.READ)
                    else:
                        for part in _parts(_read(listed, self.contents, reader, years), _BATCH_CHARS):
                            yield record_batch(part, schemas.READ)

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


def _parts(rows: Iterable[dict[str, Any]], chars: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows in their order, a part as soon as its texts have so many characters."""
    part: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        part.append(row)
        size += len(row.get("text") or "")
        if size >= chars:
            yield part
            part, size = [], 0
    if part:
        yield part


def _read(
    listed: list[dict[str, Any]], contents: Contents, reader: NoteReader, years: YearFinder
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


def _converted(note: Note, listed: Mapping[str, Any], contents: Contents, years: YearFinder) -> dict[str, Any]:
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


def _refused(error: NoteError, listed: Mapping[str, Any], contents: Contents) -> dict[str, Any]:
    # The error carries no hash. Unsafe and huge files are not opened for one.
    unopened = error.reason in (Reason.UNSAFE, Reason.TOO_LARGE)
    return {
        "outcome": ReadOutcome.QUARANTINED,
        "sha256": listed["sha256"] or ("" if unopened else contents.sha256_of(listed["path"])),
        "reason": error.reason,
        "detail": error.detail[:_DETAIL_CHARS],
    }


@dataclass(frozen=True)
class Deidentify:
    """Runs the engine. Input rows have the schema schemas.NOTE; output rows the schema schemas.REDACTED.

    spec: EngineSpec.to_bytes(). digest: of these bytes, hexadecimal; a worker process makes one engine for it.
    fingerprint: the driver's, of the spec. known: what others than the notes know of their people.
    """

    spec: Broadcast[bytes]
    digest: str
    fingerprint: str
    known: Broadcast[KnownTerms] | None = None

    @_without_message
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield one batch of rows for each batch of notes; a repeated task, one for each note."""
        known = self.known.value if self.known is not None else NOTHING_KNOWN
        engine = _worker_engine(self.spec, self.digest, self.fingerprint)
        one_by_one = partial(_all_deidentified, engine, known)
        for batch in batches:
            notes = batch.drop_columns(["blocks"]).to_pylist()
            blocks = blocks_of(batch.column("blocks"))
            read = [row | {"blocks": own} for row, own in zip(notes, blocks, strict=True)]
            if is_repeated():
                yield from in_children(read, one_by_one, _killed, schemas.REDACTED)
            else:
                done = _in_parts(engine, read, partial(_given, known))
                yield record_batch([_deidentified(engine, row, known, ahead) for row, ahead in done], schemas.REDACTED)


def _worker_engine(spec: Broadcast[bytes], digest: str, fingerprint: str) -> Engine:
    """Return this process's engine for the spec of this digest; make it if there is none."""
    if digest not in _ENGINES:
        read = EngineSpec.from_bytes(spec.value)
        _check_code(read.fingerprint, fingerprint)
        _ENGINES.clear()
        # Lets the collector free the former engine.
        gc.unfreeze()
        engine = Engine(read)
        # A note's time limit does not cover what is loaded and compiled with the first note.
        engine.warm_up()
        _ENGINES[digest] = engine
        # Blocks and spans of a batch are many objects, so Python's collector would traverse the whole engine
        # several times a batch. Freezing exempts what exists now.
        gc.collect()
        gc.freeze()
    return _ENGINES[digest]


@dataclass(frozen=True)
class DeidentifyColumn:
    """Runs engine and policy over a column of texts; the user-defined function of `spark.functions`.

    A value is a text, or a struct with `text` and, as wanted, `note_id`, `patient` and `blocks` (schemas.BLOCK).
    spec, digest, fingerprint: as of `Deidentify`. policy: JSON, and the key. with_spans: return schemas.COLUMN instead
    of the text alone.
    """

    spec: Broadcast[bytes]
    digest: str
    fingerprint: str
    policy: Broadcast[tuple[str, PolicyKey | None]]
    with_spans: bool

    @_without_message
    def __call__(self, batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        """Yield an array for each array of texts, with a value for each: null for null, and for a note that failed."""
        engine = _worker_engine(self.spec, self.digest, self.fingerprint)
        policy, key = self.policy.value
        redactor = Redactor(policy_from_json(policy), key)
        one_by_one = partial(_all_redacted, engine, redactor)
        for batch in batches:
            values = batch.to_pylist()
            rows = [value if isinstance(value, dict) else {"text": value} for value in values]
            texts = [row for row in rows if row["text"] is not None]
            if is_repeated():
                made = [*in_children(texts, one_by_one, lambda row: {"error": Reason.KILLED}, schemas.COLUMN)]
            else:
                done = _in_parts(engine, texts, _column_given, redactor)
                made = [record_batch([_redacted(engine, redactor, row, ahead) for row, ahead in done], schemas.COLUMN)]
            number = count()
            places = [None if row["text"] is None else next(number) for row in rows]
            found = pa.Table.from_batches(made, schemas.COLUMN).take(pa.array(places, pa.int64()))
            [text, *others] = [column.combine_chunks() for column in found.columns]
            if self.with_spans:
                null = pa.array([place is None for place in places], pa.bool_())
                yield pa.StructArray.from_arrays([text, *others], fields=list(schemas.COLUMN), mask=null)
            else:
                yield text


def _in_parts(
    engine: Engine, rows: Iterable[dict[str, Any]], given: Callable[[_Row], _Given], redactor: Redactor | None = None
) -> Iterator[tuple[_Row, Deidentified | None]]:
    """Yield each row with the result of its note; None if the note has to be read alone, which tells what is wrong."""
    for part in _parts(rows, _TOGETHER_CHARS):
        # Of a part only the last text may be so long.
        together = [row for row in part if len(row["text"]) < _TOGETHER_CHARS]
        yield from zip_longest(part, _done_together(engine, together, given, redactor))


def _done_together(
    engine: Engine, rows: Sequence[_Row], given: Callable[[_Row], _Given], redactor: Redactor | None
) -> list[Deidentified]:
    """Return the results of the rows' notes, none if one of them failed."""
    if len(rows) < 2:
        return []
    try:
        notes = [given(row) for row in rows]
    except Exception:
        # A row makes no note, which is reported there.
        return []
    return engine.deidentify_all(notes, redactor) or []


def _all_redacted(engine: Engine, redactor: Redactor, rows: Iterable[_Row]) -> Iterator[dict[str, Any]]:
    return (_redacted(engine, redactor, row) for row in rows)


def _redacted(engine: Engine, redactor: Redactor, row: _Row, done: Deidentified | None = None) -> dict[str, Any]:
    """Return a row of schemas.COLUMN. A note that fails has a reason and no text. done: the result, if there is one."""
    try:
        if done is None:
            note, patient, _ = _column_given(row)
            done = engine.deidentify(note, patient, redactor)
    except NoteError as error:
        return {"error": error.reason}
    except MemoryError:
        # The task is done again, in children with a limit (repeated_task.py).
        raise
    except Exception:
        # One note's failure must not stop the others. Its message may quote the note.
        return {"error": Reason.INTERNAL}
    return {"text": done.text, "spans": _span_rows(done.spans, done.outputs)}


def _column_given(row: _Row) -> _Given:
    return _column_note(row), str(row.get("patient") or ""), ()


def _column_note(row: Mapping[str, Any]) -> Note:
    note_id = "" if row.get("note_id") is None else str(row["note_id"])
    if not row.get("blocks"):
        return note_from_text(row["text"], note_id)
    return Note.from_json({"id": note_id, "text": row["text"], "blocks": row["blocks"]})


@dataclass(frozen=True)
class Redact:
    """Applies a policy to notes whose spans are known. Output rows have the schema schemas.OUTPUT.

    Input rows have note_id, year, text, patient_key, and `spans` in any order, null for none. policy: JSON, and the
    key. unlabelled: placeholder of the label OTHER. code: the driver's `code_digest`.
    """

    policy: Broadcast[tuple[str, PolicyKey | None]]
    unlabelled: str
    code: str

    @_without_message
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield one batch of rows for each batch of notes; a repeated task, one for each note."""
        _check_code(code_digest(), self.code)
        policy, key = self.policy.value
        redacted = partial(self._all_redacted, Redactor(policy_from_json(policy), key))
        for batch in batches:
            if is_repeated():
                yield from in_children(batch.to_pylist(), redacted, self._killed, schemas.OUTPUT)
            else:
                yield record_batch([*redacted(batch.to_pylist())], schemas.OUTPUT)

    def _all_redacted(self, redactor: Redactor, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        return (self._redacted(redactor, row) for row in rows)

    @staticmethod
    def _killed(row: Mapping[str, Any]) -> dict[str, Any]:
        return {"note_id": row["note_id"], "year": row["year"], "reason": Reason.KILLED}

    def _redacted(self, redactor: Redactor, row: Mapping[str, Any]) -> dict[str, Any]:
        base = {"note_id": row["note_id"], "year": row["year"]}
        try:
            spans = sorted(
                Span(span["start"], span["end"], Label(span["label"]), PhiType(span["type"]), "", "")
                for span in row["spans"] or ()
            )
            done = redactor.redact(
                row["text"], spans, note_id=row["note_id"], patient=row["patient_key"], unlabelled=self.unlabelled
            )
        except MemoryError:
            raise
        except Exception as error:
            # One note's failure must not stop the others. Its message may quote the note.
            return base | {"reason": place_of(error)}
        return base | {"text": done.text, "unparsed": sum(done.unparsed.values())}


def _check_code(executor: str, driver: str) -> None:
    """Raise ConfigurationError if this executor's code differs from the driver's, whose fingerprint the rows carry."""
    if executor != driver:
        raise ConfigurationError(
            "this executor's deid_core is not the driver's; run `python -m deid_core.spark.package` again"
        )


def _all_deidentified(engine: Engine, known: KnownTerms, rows: Iterable[_Row]) -> Iterator[dict[str, Any]]:
    """Yield a row of schemas.REDACTED for each note."""
    return (_deidentified(engine, row, known) for row in rows)


def _given(known: KnownTerms, row: _Row) -> _Given:
    return note_of(row), "", known.of_note(row["note_id"], told_by_source(row.get("patient")))


def _killed(row: Mapping[str, Any]) -> dict[str, Any]:
    return _base(row) | {"reason": Reason.KILLED, "detail": ""}


def _base(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("note_id", "year", "batch")}


def _deidentified(engine: Engine, row: _Row, known: KnownTerms, done: Deidentified | None = None) -> dict[str, Any]:
    """Return a row of schemas.REDACTED. done: the engine's result, if there is one."""
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
        return base | {"reason": error.reason, "detail": error.detail[:_DETAIL_CHARS]}
    except MemoryError:
        raise
    except Exception as error:
        # One note's failure must not stop the others. Its message may quote the note.
        return base | {"reason": Reason.INTERNAL, "detail": place_of(error)}
    # A Dropped is in the order of schemas.DROPPED.
    return base | {
        "text": result.text,
        "tokens": result.tokens,
        "languages": " ".join(result.languages) or None,
        "spans": _span_rows(result.spans, result.outputs),
        "dropped": result.dropped,
        "patient_evidence": evidence,
        "refused": result.refused,
    }


def _span_rows(spans: Iterable[Span], outputs: Iterable[tuple[int, int]]) -> list[tuple[Any, ...]]:
    """Return the spans with the places of what stands for them, in the order of schemas.SPAN."""
    return [
        (s.start, s.end, *output, s.label, s.type, s.recogniser, s.rule, s.score)
        for s, output in zip(spans, outputs, strict=True)
    ]


def note_of(row: Mapping[str, Any]) -> Note:
    """Return the note of a row of restricted/notes."""
    return Note(row["note_id"], row["text"], year=row["year"], blocks=tuple(row["blocks"]))
