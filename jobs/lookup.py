"""One note of a lake before and after, for an account that may read `restricted`; without Spark."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow.compute as pc
import pyarrow.dataset as ds

from deid_core.errors import ConfigurationError
from deid_core.labels import Label, PhiType
from deid_core.reading.sources import printable
from deid_core.spans import Span
from jobs import reader
from jobs.identity import note_ids
from jobs.lake import Lake
from jobs.rows import State

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
    de-identified yet; SecretMissingError if the key is gone.
    """
    try:
        return _before_and_after(lake, name)
    except PermissionError:
        raise ConfigurationError(
            f"{lake.restricted}: this account may not read it; raw notes are for accounts that may see PHI"
        ) from None


def _before_and_after(lake: Lake, name: str) -> BeforeAndAfter:
    if not reader.exists(lake.ledger):
        raise ConfigurationError(f"--lake {lake.root}: there is no lake")
    note_id = name if _NOTE_ID.fullmatch(name) else note_ids(lake).of(printable(name))
    this_note = pc.field("note_id") == note_id
    rows = reader.read(lake.ledger, ["state", "reason", "batch", "year"], where=this_note).to_pylist()
    if not rows:
        raise ConfigurationError("the lake has no note of this id or path below the input folder")
    [row] = rows
    if row["state"] != State.CONVERTED:
        raise ConfigurationError(f"{note_id}: is {row['state']}" + (f": {row['reason']}" if row["reason"] else ""))
    same_reading = this_note & (pc.field("batch") == row["batch"])
    redacted = reader.read(lake.deidentified, ["text"], where=same_reading)["text"].to_pylist()
    if not redacted:
        raise ConfigurationError(f"{note_id}: is not de-identified yet; the next run will do it")
    folder = lake.notes / f"year={row['year']}" / f"batch={row['batch']}"
    raw = ds.dataset(folder, format="parquet").to_table(columns=["text"], filter=this_note)["text"].to_pylist()
    columns = [*_SPAN, "output_start", "output_end"]
    audit = sorted(reader.read(lake.phi_audit, columns, where=this_note).to_pylist(), key=lambda span: span["start"])
    return BeforeAndAfter(
        note_id=note_id,
        year=row["year"],
        before=raw[0],
        after=redacted[0],
        spans=tuple(_span(span) for span in audit),
        outputs=tuple((span["output_start"], span["output_end"]) for span in audit),
    )


def _span(row: dict[str, object]) -> Span:
    values = [row[name] for name in _SPAN]
    return Span(*values[:2], Label(values[2]), PhiType(values[3]), *values[4:])  # type: ignore[arg-type]
