"""The task of executors that runs engine and policy over a column of texts: the function of `spark.functions`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.note import Note
from deid_core.lake.tables import task_schemas
from deid_core.lake.tables.arrow_codec import record_batch
from deid_core.pipeline.engine import Deidentified, Engine
from deid_core.policies.key import PolicyKey
from deid_core.policies.redaction import Redactor
from deid_core.policies.settings import policy_from_json
from deid_core.readers.canonical import in_given_text
from deid_core.readers.plain import note_from_text
from deid_core.spark.crash_isolation import in_children, is_repeated
from deid_core.spark.engine_rows import Given, read_together, span_rows
from deid_core.spark.task_base import Row, without_message
from deid_core.spark.worker_engine import worker_engine

if TYPE_CHECKING:
    from pyspark import Broadcast

_IS_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)


@dataclass(frozen=True)
class DeidentifyColumn:
    """Runs engine and policy over a column of texts; the user-defined function of `spark.functions`.

    A value is a text, or a struct with `text` and, as wanted, `note_id`, `patient` and `blocks` (task_schemas.BLOCK).
    spec, digest, fingerprint: as of `worker_engine`. policy: JSON, and the key. with_spans: return task_schemas.COLUMN
    instead of the text alone.
    """

    spec: Broadcast[bytes]
    digest: str
    fingerprint: str
    policy: Broadcast[tuple[str, PolicyKey | None]]
    with_spans: bool

    @without_message
    def __call__(self, batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        """Yield an array for each array of texts, with a value for each: null for null, and for a note that failed."""
        engine = worker_engine(lambda: self.spec.value, self.digest, self.fingerprint)
        policy, key = self.policy.value
        redactor = Redactor(policy_from_json(policy), key)
        one_by_one = partial(_all_redacted, engine, redactor, with_spans=self.with_spans)
        for batch in batches:
            _check_type(batch.type)
            values = batch.to_pylist()
            rows = [value if isinstance(value, dict) else {"text": value} for value in values]
            texts = [row for row in rows if row["text"] is not None]
            if is_repeated():
                made = [*in_children(texts, one_by_one, lambda row: {"error": Reason.KILLED}, task_schemas.COLUMN)]
            else:
                done = read_together(engine, texts, _column_given, redactor)
                redacted = [_redacted(engine, redactor, *each, with_spans=self.with_spans) for each in done]
                made = [record_batch(redacted, task_schemas.COLUMN)]
            number = count()
            places = [None if row["text"] is None else next(number) for row in rows]
            found = pa.Table.from_batches(made, task_schemas.COLUMN).take(pa.array(places, pa.int64()))
            [text, *others] = [column.combine_chunks() for column in found.columns]
            if self.with_spans:
                null = pa.array([place is None for place in places], pa.bool_())
                yield pa.StructArray.from_arrays([text, *others], fields=list(task_schemas.COLUMN), mask=null)
            else:
                yield text


def _all_redacted(
    engine: Engine, redactor: Redactor, rows: Iterable[Row], *, with_spans: bool
) -> Iterator[dict[str, Any]]:
    return (_redacted(engine, redactor, row, with_spans=with_spans) for row in rows)


def _redacted(
    engine: Engine, redactor: Redactor, row: Row, done: Deidentified | None = None, *, with_spans: bool
) -> dict[str, Any]:
    """Return a row of task_schemas.COLUMN; of a note that fails a reason and no text. done: the result, if there is."""
    try:
        if done is None:
            note, patient, _ = _column_given(row)
            done = engine.deidentify(note, patient, redactor)
    except NoteError as error:
        return {"error": error.reason}
    except MemoryError:
        # The task is done again, in children with a limit (crash_isolation.py).
        raise
    except Exception:
        # One note's failure must not stop the others. Its message may quote the note.
        return {"error": Reason.INTERNAL}
    if not with_spans:
        return {"text": done.text}
    # The text of a row with blocks is that of a note, as it is.
    spans = done.spans if row.get("blocks") else in_given_text(row["text"], done.spans)
    return {"text": done.text, "spans": span_rows(spans, done.outputs)}


def _check_type(given: pa.DataType) -> None:
    """Raise ConfigurationError unless a column of this type has texts."""
    text = given
    if pa.types.is_struct(given):
        names = [field.name for field in given]
        if "text" not in names:
            raise ConfigurationError(f"deidentify takes structs with a field `text`; these have {', '.join(names)}")
        text = given.field("text").type
    if not any(is_text(text) for is_text in _IS_TEXT):
        raise ConfigurationError(
            f"deidentify takes a column of texts, or of structs with a field `text`; the texts of this column have the "
            f"type {text}: give another column, or deidentify(col(NAME).cast('string'))"
        )


def _column_given(row: Row) -> Given:
    note_id = "" if row.get("note_id") is None else str(row["note_id"])
    if row.get("blocks"):
        note = Note.from_json({"id": note_id, "text": row["text"], "blocks": row["blocks"]})
    else:
        note = note_from_text(row["text"], note_id)
    return note, str(row.get("patient") or ""), ()
