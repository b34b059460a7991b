"""Raw notes for the engine: the driver lists which note is in which file, and executors read them from there.

Files of raw notes have row groups of up to some thousand notes. Only the ids are read on the driver, and no text of a
note passes through the JVM.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deid_core.lake.notes.ledger import LedgerRow
from deid_core.lake.tables.arrow_codec import blocks_of
from deid_core.lake.tables.task_schemas import RAW_NOTE

_COLUMNS = frozenset(("note_id", "text", "blocks", "patient"))
_PLACE = ("file", "row_group", "year", "batch")
_READ_NOTES = 32
"""Notes of a file that are in memory at once. A note may have megabytes."""


def list_raw_notes(folders: Iterable[Path], rows: Iterable[LedgerRow]) -> pa.Table:
    """Return a row of task_schemas.RAW_NOTE for each note that these rows of the ledger name and these folders have.

    folders: year=/batch= below restricted/notes.
    """
    wanted: defaultdict[str | None, list[str]] = defaultdict(list)
    for row in rows:
        wanted[row.batch].append(row.note_id)
    found = [RAW_NOTE.empty_table()]
    for folder in folders:
        batch = folder.name.removeprefix("batch=")
        of_batch = pa.array(wanted[batch], pa.string())
        for file in sorted(folder.glob("[!._]*.parquet")):
            with pq.ParquetFile(file) as notes:
                for group in range(notes.num_row_groups):
                    present = notes.read_row_group(group, columns=["note_id"], use_threads=False)["note_id"]
                    note_ids = present.filter(pc.is_in(present, value_set=of_batch))
                    constants = int(folder.parent.name.removeprefix("year=")), batch, str(file), group
                    columns = [pa.repeat(pa.scalar(value), len(note_ids)) for value in constants]
                    found.append(pa.table([note_ids, *columns], RAW_NOTE.names).cast(RAW_NOTE))
    return pa.concat_tables(found)


def read_raw_notes(listed: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield these notes: note_id, year, batch, text, `blocks` (a tuple of Block), and patient where the file has it.

    listed: of task_schemas.RAW_NOTE, the notes of a row group one after the other.
    """
    for (file, group, year, batch), of_group in groupby(listed.to_pylist(), key=itemgetter(*_PLACE)):
        wanted = pa.array([note["note_id"] for note in of_group], pa.string())
        left = len(wanted)
        with pq.ParquetFile(file) as notes:
            columns = [name for name in notes.schema_arrow.names if name in _COLUMNS]
            for some in notes.iter_batches(_READ_NOTES, row_groups=[group], columns=columns, use_threads=False):
                present = some.filter(pc.is_in(some["note_id"], value_set=wanted))
                rows = present.drop_columns(["blocks"]).to_pylist()
                for row, blocks in zip(rows, blocks_of(present["blocks"]), strict=True):
                    yield row | {"year": year, "batch": batch, "blocks": blocks}
                left -= len(rows)
                if not left:
                    # What comes after is of another chunk.
                    break
