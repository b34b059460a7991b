"""Raw notes for the engine: which file has which note, and what is read of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.note import Block, BlockKind
from deid_core.lake.notes import raw_notes
from deid_core.lake.notes.raw_notes import list_raw_notes, read_raw_notes
from deid_core.lake.tables import task_schemas

BLOCK = {"kind": "paragraph", "start": 0, "end": 4, "table": None, "row": None, "column": None}


def folder_of(root: Path, year: int, batch: str, *files: str, schema: pa.Schema = task_schemas.STORED) -> Path:
    """Write files of notes, two in a row group. Ids are letters. What a killed run left there is no file of notes."""
    folder = root / f"year={year}" / f"batch={batch}"
    folder.mkdir(parents=True)
    (folder / "._part.parquet.new").write_bytes(b"half")
    for number, note_ids in enumerate(files):
        rows = [
            {"note_id": note_id, "text": f"text {note_id}", "blocks": [BLOCK] * (ord(note_id) % 3), "patient": "1"}
            for note_id in note_ids
        ]
        pq.write_table(pa.Table.from_pylist(rows, schema), folder / f"part-{number}.parquet", row_group_size=2)
    return folder


def row(note_id: str, batch: str) -> Any:
    return SimpleNamespace(note_id=note_id, batch=batch)


def test_notes_are_listed_by_file_and_only_those_that_the_ledger_names(tmp_path: Path) -> None:
    """A note that was read again is in two batches. One of which there is no raw text is left out."""
    folders = [folder_of(tmp_path, 2010, "b1", "abc", "de"), folder_of(tmp_path, 2011, "b2", "fa")]
    rows = [row("e", "b1"), row("a", "b2"), row("c", "b1"), row("b", "b1"), row("z", "b2"), row("f", "b1")]
    listed = list_raw_notes(folders, rows)
    assert listed.schema == task_schemas.RAW_NOTE
    assert [tuple(note.values()) for note in listed.to_pylist()] == [
        ("b", 2010, "b1", str(folders[0] / "part-0.parquet"), 0),
        ("c", 2010, "b1", str(folders[0] / "part-0.parquet"), 1),
        ("e", 2010, "b1", str(folders[0] / "part-1.parquet"), 0),
        ("a", 2011, "b2", str(folders[1] / "part-0.parquet"), 0),
    ]
    assert list_raw_notes([], rows).num_rows == 0


@given(wanted=st.sets(st.sampled_from("abcdefgh")), size=st.integers(1, 4), read=st.integers(1, 9))
def test_each_listed_note_is_read_once_however_notes_are_dealt(wanted: set[str], size: int, read: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as root:
        folders = [folder_of(Path(root), 2010, "b1", "abcd", "e"), folder_of(Path(root), 2011, "b2", "fgh")]
        rows = [row(note_id, "b1" if note_id < "f" else "b2") for note_id in wanted]
        listed = list_raw_notes(folders, rows)
        chunks = [listed.slice(start, size) for start in range(0, len(listed), size)]
        before, raw_notes._READ_NOTES = raw_notes._READ_NOTES, read
        try:
            notes = [note for chunk in chunks for note in read_raw_notes(chunk)]
        finally:
            raw_notes._READ_NOTES = before
    assert [note["note_id"] for note in notes] == sorted(wanted)
    for note in notes:
        assert note["text"] == f"text {note['note_id']}"
        assert note["blocks"] == (Block(BlockKind.PARAGRAPH, 0, 4),) * (ord(note["note_id"]) % 3)
        assert (note["year"], note["batch"]) == ((2010, "b1") if note["note_id"] < "f" else (2011, "b2"))
        assert note["patient"] == "1"


def test_a_file_of_a_version_without_patients(tmp_path: Path) -> None:
    older = task_schemas.STORED.remove(task_schemas.STORED.get_field_index("patient"))
    listed = list_raw_notes([folder_of(tmp_path, 2010, "b", "a", schema=older)], [row("a", "b")])
    [note] = read_raw_notes(listed)
    assert note.get("patient") is None
    assert note["text"] == "text a"
