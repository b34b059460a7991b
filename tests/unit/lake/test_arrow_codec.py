"""Arrow columns of blocks and spans equal those that pyarrow builds from dictionaries."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.note import Block, BlockKind
from deid_core.lake.tables import task_schemas
from deid_core.lake.tables.arrow_codec import blocks_of, record_batch

NUMBER = st.none() | st.integers(0, 9)
BLOCK = st.builds(Block, st.sampled_from(BlockKind), st.integers(0, 9), st.integers(9, 20), NUMBER, NUMBER, NUMBER)
NOTES = st.lists(st.none() | st.lists(BLOCK, max_size=4), max_size=5)


def test_a_block_has_the_fields_of_its_column() -> None:
    """Blocks are written as tuples, so the order counts."""
    assert list(Block._fields) == [field.name for field in task_schemas.BLOCK]


@given(NOTES)
def test_same_as_from_dictionaries(notes: list[list[Block] | None]) -> None:
    data = [{"note_id": str(n), "blocks": blocks} for n, blocks in enumerate(notes)]
    plain = [
        {"note_id": str(n), "blocks": None if blocks is None else [block._asdict() for block in blocks]}
        for n, blocks in enumerate(notes)
    ]
    assert record_batch(data, task_schemas.READ).equals(pa.RecordBatch.from_pylist(plain, schema=task_schemas.READ))


@given(NOTES, st.integers(0, 5))
def test_round_trip(notes: list[list[Block] | None], first: int) -> None:
    """This includes a slice, whose offsets do not start at 0."""
    data = [{"blocks": blocks} for blocks in notes]
    column = record_batch(data, task_schemas.NOTE).slice(first).column("blocks")
    assert list(blocks_of(column)) == [tuple(blocks or ()) for blocks in notes[first:]]


def test_spans() -> None:
    span = (1, 2, 3, 8, "PER", "patient", "header", "rule", 0.5)
    batch = record_batch(
        [{"note_id": "a", "spans": [span]}, {"note_id": "b", "reason": "internal"}], task_schemas.REDACTED
    )
    [found] = batch.column("spans")[0].as_py()
    assert tuple(found.values()) == span
    assert batch.column("spans")[1].as_py() is None
    assert batch.column("reason").to_pylist() == [None, "internal"]
