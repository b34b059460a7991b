"""One note of a lake before and after, for an account that may read `restricted`; without Spark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.lake import delta_reader
from deid_core.lake.identity import note_ids
from deid_core.lake.layout import Lake
from deid_core.lake.schemas import STORED, State
from deid_core.readers.sources import printable

_NOTE_ID = re.compile(r"[0-9a-f]{32}")
_SPAN = ("start", "end", "label", "type", "recogniser", "rule", "score")


@dataclass(frozen=True, slots=True)
class BeforeAndAfter:
    """A note's raw text with the spans that were removed, and its redacted text with the places of the placeholders.

    spans: ascending, offsets into `before`. outputs: (start, end) in `after`, one for each span.
    """

    note_id: str
    year: int
    before: str
    after: str
    spans: tuple[Span, ...]
    outputs: tuple[tuple[int, int], ...]


def before_and_after(lake: Lake, name: str) -> BeforeAndAfter:
    """The note of an id, or of a path below the input folder, which is hashed with the lake's key.

    Raises ConfigurationError if this account may not read the lake, or the note is unknown, quarantined, deleted or not
    de-identified yet, or its raw text is lost; SecretMissingError if the key is gone.
    """
    try:
        return _before_and_after(lake, name)
    except PermissionError:
        raise ConfigurationError(
            f"{lake.restricted}: this account may not read it; raw notes are for accounts that may see PHI"
        ) from None


def _before_and_after(lake: Lake, name: str) -> BeforeAndAfter:
    if not delta_reader.exists(lake.ledger):
        raise ConfigurationError(f"--lake {lake.root}: there is no lake")
    note_id = name if _NOTE_ID.fullmatch(name) else note_ids(lake).of(printable(name))
    this_note = pc.field("note_id") == note_id
    rows = delta_reader.read(lake.ledger, ["state", "reason", "batch", "year"], where=this_note).to_pylist()
    if not rows:
        raise ConfigurationError("the lake has no note of this id or path below the input folder")
    [row] = rows
    if row["state"] != State.CONVERTED:
        raise ConfigurationError(f"{note_id}: is {row['state']}" + (f": {row['reason']}" if row["reason"] else ""))
    same_reading = this_note & (pc.field("batch") == row["batch"])
    redacted = delta_reader.read(lake.deidentified, ["text"], where=same_reading)["text"].to_pylist()
    if not redacted:
        raise ConfigurationError(f"{note_id}: is not de-identified yet; the next run will do it")
    raw = _raw_text(lake.notes / f"year={row['year']}" / f"batch={row['batch']}", note_id)
    columns = [*_SPAN, "output_start", "output_end"]
    audit = sorted(
        delta_reader.read(lake.phi_audit, columns, where=this_note).to_pylist(), key=lambda span: span["start"]
    )
    return BeforeAndAfter(
        note_id=note_id,
        year=row["year"],
        before=raw,
        after=redacted[0],
        spans=tuple(_span(span) for span in audit),
        outputs=tuple((span["output_start"], span["output_end"]) for span in audit),
    )


def _raw_text(folder: Path, note_id: str) -> str:
    """The note's text in the folder of its batch.

    Raises ConfigurationError if folder or text is lost. A run reads files again whose folder is gone
    (ledger.without_lost_texts), and does not look into folders that are there.
    """
    schema = pa.schema([STORED.field("note_id"), STORED.field("text")])
    this_note = pc.field("note_id") == note_id
    try:
        notes = ds.dataset(folder, schema=schema, format="parquet").to_table(filter=this_note)
    except FileNotFoundError:
        raise ConfigurationError(
            f"{note_id}: its raw text is lost: there is no {folder}; restore it, or let the next run with the stage "
            "convert read the files of its notes again"
        ) from None
    if not notes.num_rows:
        raise ConfigurationError(
            f"{note_id}: its raw text is lost: {folder} is there and does not hold it; restore the folder, or remove "
            "it as a whole: only then does the next run with the stage convert read the files of its notes again"
        )
    return str(notes["text"][0].as_py())


def _span(row: dict[str, object]) -> Span:
    values = [row[name] for name in _SPAN]
    return Span(*values[:2], Label(values[2]), PhiType(values[3]), *values[4:])  # type: ignore[arg-type]
