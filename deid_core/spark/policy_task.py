"""The task of executors that applies a policy to notes whose spans are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deid_core.core.errors import Reason, place_of
from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.lake.tables import task_schemas
from deid_core.lake.tables.arrow_codec import record_batch
from deid_core.pipeline.fingerprint import code_digest
from deid_core.policies.key import PolicyKey
from deid_core.policies.redaction import Redactor
from deid_core.policies.settings import policy_from_json
from deid_core.spark.crash_isolation import in_children, is_repeated
from deid_core.spark.task_base import check_code, without_message

if TYPE_CHECKING:
    from pyspark import Broadcast


@dataclass(frozen=True)
class Redact:
    """Applies a policy to notes whose spans are known. Output rows have the schema task_schemas.OUTPUT.

    Input rows have note_id, year, text, patient_key, and `spans` in any order, null for none. policy: JSON, and the
    key. unlabelled: placeholder of the label OTHER. code: the driver's `code_digest`.
    """

    policy: Broadcast[tuple[str, PolicyKey | None]]
    unlabelled: str
    code: str

    @without_message
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield one batch of rows for each batch of notes; a repeated task, one for each note."""
        check_code(code_digest(), self.code)
        policy, key = self.policy.value
        redacted = partial(self._all_redacted, Redactor(policy_from_json(policy), key))
        for batch in batches:
            if is_repeated():
                yield from in_children(batch.to_pylist(), redacted, self._killed, task_schemas.OUTPUT)
            else:
                yield record_batch([*redacted(batch.to_pylist())], task_schemas.OUTPUT)

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
            text, note_id, patient = row["text"], row["note_id"], row["patient_key"]
            done = redactor.redact(
                text, spans, note_id=note_id, patient=patient, unlabelled=self.unlabelled, with_date=True
            )
        except MemoryError:
            raise
        except Exception as error:
            # One note's failure must not stop the others. Its message may quote the note.
            return base | {"reason": place_of(error)}
        return base | {"note_date": done.note_date, "text": done.text, "unparsed": sum(done.unparsed.values())}
