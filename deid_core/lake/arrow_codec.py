"""Notes and what was made of them as Arrow columns, built column by column.

A note has some 150 blocks and 60 spans. A dictionary for each, as `pa.RecordBatch.from_pylist` wants, costs more than
reading the note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any

import pyarrow as pa

from deid_core.core.note import Block, BlockKind
from deid_core.lake import schemas as rows

_BLOCK_FIELDS = [field.name for field in rows.BLOCK]
_KINDS = {str(kind): kind for kind in BlockKind}

values_of_block = attrgetter(*_BLOCK_FIELDS)
"""A block's values in the order of rows.BLOCK."""


def record_batch(data: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    """A batch of rows; what a row lacks is null. An item of a list of structs is a tuple in the order of its fields."""
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
    # A null where a list begins makes the list null.
    begins = [None if value is None else begin for value, begin in zip(values, ends, strict=False)]
    return pa.ListArray.from_arrays(pa.array([*begins, ends[-1]], pa.int32()), structs, type=kind)


def blocks_of(column: pa.ListArray) -> Iterator[tuple[Block, ...]]:
    """The blocks of each note of a column of rows.NOTE; () where it is null."""
    begins = column.offsets.to_pylist()
    structs = column.values
    named = {name: structs.field(name).to_pylist() for name in _BLOCK_FIELDS}
    named["kind"] = [_KINDS[kind] for kind in named["kind"]]
    blocks = list(map(Block, *named.values()))
    for valid, (begin, end) in zip(column.is_valid().to_pylist(), pairwise(begins), strict=True):
        yield tuple(blocks[begin:end]) if valid else ()
