"""Compare the ledger with the tables: each note once, nothing lost, nothing left over. For `deid check`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.lake.layout import Lake
from deid_core.lake.outputs.policy_texts import lacking
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables

_BY_RUN = "a run mends it"
_AGAIN = (
    "report it as a fault of this program; clean/deidentified, clean/phi_audit, restricted/detections and "
    "restricted/dropped may be moved away, and a run makes them again"
)
_WITH_POLICY = "a run with this policy makes them; remove the table if nobody needs it"
_FAILED = (
    "restricted/output_failures says where; report it as a fault of this program. A run tries again when policy or "
    "program have changed, or with --retry"
)
_READ_AGAIN = (
    "report it as a fault of this program; restricted/notes may be moved away, and a run reads all files again"
)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Something that ledger and tables say differently. by_run: the next run mends it."""

    problem: str
    by_run: bool
    remedy: str = _BY_RUN

    def __str__(self) -> str:
        return f"{self.problem}: {self.remedy}"


def disagreements(lake: Lake) -> list[Disagreement]:
    """Return where ledger, raw notes, tables and files on the disk disagree. Reads no text."""
    ledger = delta_reader.read(lake.ledger, ["note_id", "state", "batch", "year"]).to_pylist()
    texts = delta_reader.read(lake.deidentified, ["note_id", "batch"]).to_pylist()
    made = {(row["note_id"], row["batch"]) for row in texts}
    converted = {row["note_id"]: row for row in ledger if row["state"] == State.CONVERTED}
    raw = Counter(_raw_notes(lake))
    named = {(row["note_id"], row["batch"]) for row in ledger if row["batch"]}
    with_text = {note_id for note_id, _ in made}
    others = {table.name: delta_reader.distinct(table.path, "note_id") for table in Tables(lake).of_notes()}
    folders = {(row["year"], row["batch"]) for row in ledger if row["batch"]}
    left = [f for f in lake.note_folders() if (int(f.parent.name[5:]), f.name.removeprefix("batch=")) not in folders]
    dead = {table.path.name: delta_reader.dead_files(table.path) for table in Tables(lake).all()}
    found = [
        (_repeated(row["note_id"] for row in ledger), "notes occur twice in restricted/ledger", _AGAIN),
        (_repeated(row["note_id"] for row in texts), "notes have two texts in clean/deidentified", _AGAIN),
        (sum(raw[note] > 1 for note in named), "notes occur twice in restricted/notes", _READ_AGAIN),
        (len(named - raw.keys()), "notes of restricted/ledger are not in restricted/notes", _READ_AGAIN),
        (sum((n, row["batch"]) not in made for n, row in converted.items()), "notes wait to be de-identified", _BY_RUN),
        (len(with_text - converted.keys()), "texts are of notes that are deleted or in quarantine", _BY_RUN),
        *(
            (len(notes - with_text), f"notes have rows in {name} and no text", _BY_RUN)
            for name, notes in others.items()
        ),
        (len(left), "folders of restricted/notes are in no row of the ledger", _BY_RUN),
        *((len(files), f"files of {name} belong to older versions", _BY_RUN) for name, files in dead.items()),
    ]
    # A folder without Delta's log is no table: `lake_entries.strays` names it.
    for policy in (name for name in lake.outputs() if delta_reader.exists(lake.output(name))):
        waiting, failed = lacking(lake, policy)
        found += [
            (waiting, f"notes have no text in clean/{lake.output(policy).name}", _WITH_POLICY),
            (failed, f"notes have no text in clean/{lake.output(policy).name}, since an operator failed", _FAILED),
        ]
    by_run = (_BY_RUN, _WITH_POLICY)
    return [Disagreement(f"{count} {what}", remedy in by_run, remedy) for count, what, remedy in found if count]


def _raw_notes(lake: Lake) -> Iterable[tuple[str, str]]:
    """Yield note_id and batch of each raw note on the disk."""
    for folder in lake.note_folders():
        batch = folder.name.removeprefix("batch=")
        for file in folder.glob("[!._]*.parquet"):
            column: pa.ChunkedArray = pq.read_table(file, columns=["note_id"], partitioning=None)["note_id"]
            yield from ((note_id, batch) for note_id in column.to_pylist())


def _repeated(values: Iterable[str]) -> int:
    return sum(count > 1 for count in Counter(values).values())
