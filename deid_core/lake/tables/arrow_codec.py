"""Convert notes and engine results to Arrow columns and back, column by column.

A note has some 150 blocks and 60 spans. A dictionary for each of them, as `pa.RecordBatch.from_pylist` needs, takes
longer than reading the note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from deid_core.core.note import Block, BlockKind
from deid_core.lake.tables import task_schemas

_BLOCK_FIELDS = [field.name for field in task_schemas.BLOCK]
_KINDS = {str(kind): kind for kind in BlockKind}


def record_batch(data: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    """Return the rows as a batch. Missing values are null. An item of a list of structs is a tuple in field order."""
    columns = [_column([row.get(field.name) for row in data], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if not pa.types.is_list(kind):
        return pa.array(values, kind)
    items = [item for value in values if value for item in value]
    fields = list(kind.value_type)
    by_field = list(zip(*items, strict=True)) if items else [()] * len(fields)
    structs = pa.StructArray.from_arrays(
        [pa.array(column, field.type) for column, field in zip(by_field, fields, strict=True)], fields=fields
    )
    ends = [0]
    for value in values:
        ends.append(ends[-1] + len(value or ()))
    # A null offset makes the list that starts there null.
    starts = [None if value is None else start for value, start in zip(values, ends, strict=False)]
    return pa.ListArray.from_arrays(pa.array([*starts, ends[-1]], pa.int32()), structs, type=kind)


def blocks_of(column: pa.ListArray) -> Iterator[tuple[Block, ...]]:
    """Yield the blocks of each note of a column of task_schemas.NOTE; () for null."""
    offsets = column.offsets.to_pylist()
    structs = column.values
    by_name = {name: structs.field(name).to_pylist() for name in _BLOCK_FIELDS}
    by_name["kind"] = [_KINDS[kind] for kind in by_name["kind"]]
    blocks = list(map(Block, *by_name.values()))
    for valid, (start, end) in zip(column.is_valid().to_pylist(), pairwise(offsets), strict=True):
        yield tuple(blocks[start:end]) if valid else ()
