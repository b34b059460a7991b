"""A table as source: what is a note, what is a change, and what is refused, for Parquet and Delta."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("deltalake", reason="needs the extra spark")

from deltalake import DeltaTable
from lake_tables import COLUMNS, IDS, ROWS, SCHEMA, delta, listed, parquet

from deid_core.core.errors import ConfigurationError, NoteError, Reason, TryAgainError
from deid_core.lake.inputs import table as input_table
from deid_core.lake.inputs.content_readers import ListedRows
from deid_core.lake.inputs.plan import ReadReason, ToRead
from deid_core.lake.inputs.table import OMOP_NOTE, InputTable, NoteColumns


@pytest.fixture(params=[parquet, delta])
def write(request: pytest.FixtureRequest) -> Callable[..., Path]:
    """Write a table of one kind."""
    return request.param  # type: ignore[no-any-return]


def contents(path: Path, columns: NoteColumns = COLUMNS, *, size: int = 2) -> dict[str, dict[str, Any]]:
    """Return what executors get of each row, by id."""
    table = InputTable(path, columns)
    notes = [ToRead(stat, ReadReason.NEW) for stat in table.list_notes(IDS).notes]
    chunks = list(table.chunks(notes, size))
    assert all(0 < len(chunk.notes) == chunk.listing.num_rows <= size for chunk in chunks)
    assert {note.stat.source for chunk in chunks for note in chunk.notes} == {note.stat.source for note in notes}
    return {row["source"]: row for chunk in chunks for row in chunk.listing.to_pylist()}


def read(row: dict[str, Any]) -> bytes | str | tuple[Reason, str]:
    try:
        return ListedRows().read(row, 1000)
    except NoteError as error:
        return error.reason, error.detail


def test_each_row_is_a_note(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(tmp_path, ROWS)
    stats = listed(path)
    assert [(stat.source, stat.note_id, stat.size_bytes) for stat in stats.values()] == [
        ("a", IDS.id_of("a"), 15), ("b", IDS.id_of("b"), 0), ("c", IDS.id_of("c"), 19)
    ]  # fmt: skip
    rows = contents(path)
    assert [read(row) for _, row in sorted(rows.items())] == [
        "Herr Weber kam.", (Reason.EMPTY, "null"), "Frau Müller kam.\r\n"
    ]  # fmt: skip
    assert [(row["patient"], row["year"]) for _, row in sorted(rows.items())] == [
        ("0047", 2012), (None, None), ("48", 2013)
    ]  # fmt: skip
    assert {name: row["sha256"] for name, row in rows.items()} == {name: stat.sha256 for name, stat in stats.items()}


@pytest.mark.parametrize("changed", [{"text": "Herr Weber ging."}, {"patient": "1"}, {"year": 2011}, {"text": None}])
def test_another_content_is_another_hash(write: Callable[..., Path], tmp_path: Path, changed: dict[str, Any]) -> None:
    """Rows that are written again, in another order and other files, are the same."""
    before = listed(write(tmp_path, ROWS))
    after = listed(write(tmp_path, [ROWS[2], ROWS[1], ROWS[0] | changed]))
    assert {name for name in before if before[name].sha256 != after[name].sha256} == {"a"}


def test_rows_with_the_same_id_are_no_note(write: Callable[..., Path], tmp_path: Path) -> None:
    """Nor are rows without one. Rows that are equal count once. It is one row again when the others are gone."""
    other = ROWS[0] | {"text": "Anders."}
    nameless = [ROWS[0] | {"id": None}, ROWS[1] | {"id": None}]
    path = write(tmp_path, [*ROWS, other, ROWS[2], *nameless])
    rows = contents(path)
    assert rows.keys() == {"a", "b", "c", ""}
    assert read(rows["a"]) == (Reason.AMBIGUOUS, "2 rows with the same id")
    assert read(rows[""]) == (Reason.AMBIGUOUS, "2 rows without an id")
    assert read(rows["c"]) == ROWS[2]["text"]
    stats = listed(path)
    assert {name: rows[name]["sha256"] for name in rows} == {name: stat.sha256 for name, stat in stats.items()}
    assert listed(write(tmp_path, [other, *ROWS[1:]]))["a"].sha256 != stats["a"].sha256


def test_a_delta_table_that_changes_is_read_as_it_was_listed(tmp_path: Path) -> None:
    path = delta(tmp_path, ROWS)
    table = InputTable(path, COLUMNS)
    notes = [ToRead(stat, ReadReason.NEW) for stat in table.list_notes(IDS).notes]
    DeltaTable(str(path)).delete("id = 'a'")
    assert {note.stat.source for chunk in table.chunks(notes, 50) for note in chunk.notes} == {"a", "b", "c"}
    # As if other rows were to be read: those that are not there are left out.
    assert list(table.chunks([ToRead(replace(notes[0].stat, source="z"), ReadReason.NEW)], 50)) == []


def test_parquet_files_that_are_replaced_meanwhile(tmp_path: Path) -> None:
    """A listing of half the old and half the new ones would delete notes."""
    path = parquet(tmp_path, ROWS)
    table = InputTable(path, COLUMNS)
    notes = [ToRead(stat, ReadReason.NEW) for stat in table.list_notes(IDS).notes]
    parquet(tmp_path, ROWS[1:])
    for reads in (lambda: table.list_notes(IDS), lambda: list(table.chunks(notes, 50))):
        with pytest.raises(TryAgainError, match="were replaced while it was read"):
            reads()


@pytest.mark.parametrize(
    ("kind", "ids", "found"),
    [
        (pa.int64(), [7, -1], {"7", "-1"}),
        (pa.decimal128(38, 0), [Decimal(7), Decimal(2004)], {"7", "2004"}),
        (pa.string(), ["Müller/2004", "7", r"a\b"], {"Müller/2004", "7", r"a\\b"}),
    ],
)
def test_ids_of_any_type(
    write: Callable[..., Path], tmp_path: Path, kind: pa.DataType, ids: list[Any], found: set[str]
) -> None:
    schema = pa.schema([("id", kind), ("text", pa.string())])
    path = write(tmp_path, [{"id": each, "text": "x"} for each in ids], schema)
    assert listed(path, NoteColumns("id", "text")).keys() == found


@pytest.mark.parametrize(
    ("kind", "value", "year"),
    [
        (pa.int32(), 2012, 2012),
        (pa.date32(), date(2012, 12, 31), 2012),
        (pa.timestamp("us"), datetime(2012, 1, 1), 2012),
        (pa.int64(), 20120501, None),
        (pa.int64(), -1, None),
    ],
)
def test_the_year_of_a_date_or_number(
    write: Callable[..., Path], tmp_path: Path, kind: pa.DataType, value: Any, year: int | None
) -> None:
    path = write(tmp_path, [{"id": "a", "text": "x", "year": value}], SCHEMA.set(3, pa.field("year", kind)))
    assert contents(path)["a"]["year"] == year


def test_files_in_a_binary_column(write: Callable[..., Path], tmp_path: Path) -> None:
    schema = SCHEMA.set(1, pa.field("text", pa.binary()))
    path = write(tmp_path, [{"id": "a", "text": rb"{\rtf1 Herr Weber}"}], schema)
    assert read(contents(path)["a"]) == rb"{\rtf1 Herr Weber}"


def test_what_a_text_must_not_be(tmp_path: Path) -> None:
    texts = pa.array([b"M\xfcller", rb" {\rtf1 Weber}", b"x" * 1001, b""]).view(pa.string())
    pq.write_table(pa.table({"id": list("abcd"), "text": texts}), tmp_path / "t.parquet")
    rows = contents(tmp_path / "t.parquet", NoteColumns("id", "text"))
    assert [read(row) for _, row in sorted(rows.items())] == [
        (Reason.CORRUPT, "text that is not UTF-8"),
        (Reason.UNSUPPORTED, "RTF in a column of texts; cast it to binary"),
        (Reason.TOO_LARGE, "1001 bytes, limit 1000"),
        "",
    ]


def test_long_texts_come_in_smaller_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_table, "_CHUNK_BYTES", 20)
    path = parquet(tmp_path, [{"id": str(n), "text": "x" * 15} for n in range(5)])
    table = InputTable(path, COLUMNS)
    notes = [ToRead(stat, ReadReason.NEW) for stat in table.list_notes(IDS).notes]
    assert [len(chunk.notes) for chunk in table.chunks(notes, 50)] == [2, 2, 1]


def test_columns_of_omop_in_capitals_and_folders_of_years(tmp_path: Path) -> None:
    schema = pa.schema([("NOTE_ID", pa.int64()), ("NOTE_TEXT", pa.string()), ("PERSON_ID", pa.int64())])
    (tmp_path / "year=2012").mkdir()
    row = {"NOTE_ID": 1, "NOTE_TEXT": "x", "PERSON_ID": 9}
    pq.write_table(pa.Table.from_pylist([row], schema=schema), tmp_path / "year=2012" / "0.parquet")
    columns = NoteColumns(OMOP_NOTE.id, OMOP_NOTE.text, OMOP_NOTE.patient, "year")
    InputTable(tmp_path, columns).check(first_run=True)
    [row] = contents(tmp_path, columns).values()
    assert (row["content"], row["patient"], row["year"]) == (b"x", "9", 2012)


def test_files_with_other_columns(tmp_path: Path) -> None:
    """A column that a file lacks is null there; another width of numbers is the same."""
    path = parquet(tmp_path, ROWS)
    more = {"id": ["z"], "text": ["x"], "year": pa.array([2010], pa.int16()), "more": [1]}
    pq.write_table(pa.table(more), path / "part-9.parquet")
    row = contents(path)["z"]
    assert (row["content"], row["patient"], row["year"]) == (b"x", None, 2010)
    pq.write_table(pa.table({"id": ["z"], "text": [1]}), path / "part-9.parquet")
    assert contents(path)["z"]["content"] == b"1"
    pq.write_table(pa.table({"id": ["z"], "text": ["x"], "year": ["bald"]}), path / "part-9.parquet")
    with pytest.raises(ConfigurationError, match="differ in their columns' types") as caught:
        listed(path)
    assert "bald" not in str(caught.value)


def test_all_wrong_columns_are_told_at_once(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(tmp_path, ROWS)
    table = InputTable(path, NoteColumns("note_id", "year", "patient", "text"))
    with pytest.raises(ConfigurationError) as caught:
        table.check(first_run=True)
    assert caught.value.problems == [
        "--id note_id: the table has no such column; it has id, text, patient, year",
        "--text year: is of type int64; it must be text, or binary with files in it, so cast it",
        "--year text: is of type string; it must be a date or a whole number, so cast it",
    ]


def test_an_empty_table_is_refused_before_the_first_run(write: Callable[..., Path], tmp_path: Path) -> None:
    table = InputTable(write(tmp_path, []), COLUMNS)
    with pytest.raises(ConfigurationError, match="the table has no rows"):
        table.check(first_run=True)
    table.check(first_run=False)


def test_what_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.docx").touch()
    (tmp_path / "text.parquet").write_text("Herr Weber")
    for name, said in (
        ("nowhere", "there is no such file or folder"),
        ("empty", "is no Delta table and holds no .parquet file"),
        ("letters", "holds letters and no table: leave out --input-format"),
        ("text.parquet", "cannot be read as a table"),
    ):
        with pytest.raises(ConfigurationError, match=said) as caught:
            InputTable(tmp_path / name, COLUMNS)
        assert "Weber" not in str(caught.value)


def test_a_damaged_file(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(tmp_path, ROWS)
    file = sorted(path.glob("*.parquet"))[-1]
    file.write_bytes(file.read_bytes()[:-100])
    table = InputTable(path, COLUMNS)
    with pytest.raises(ConfigurationError, match=r"cannot be read as a table \(ArrowInvalid\)"):
        table.list_notes(IDS)


def test_a_changed_byte_of_a_text(tmp_path: Path) -> None:
    file = tmp_path / "notes.parquet"
    options: dict[str, Any] = {"compression": "none", "write_statistics": False, "write_page_checksum": True}
    pq.write_table(pa.table({"id": ["1"], "text": ["Frau Weber kam."]}), file, **options)
    data = file.read_bytes()
    file.write_bytes(data.replace(b"Weber", b"Geber", 1))
    with pytest.raises(ConfigurationError, match="a file of it is damaged"):
        InputTable(file, NoteColumns("id", "text")).list_notes(IDS)


def test_a_file_that_disappears(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(tmp_path, ROWS)
    table = InputTable(path, COLUMNS)
    sorted(path.glob("*.parquet"))[-1].unlink()
    with pytest.raises(TryAgainError, match="were replaced while it was read"):
        table.list_notes(IDS)


def test_a_row_of_an_older_version_of_a_delta_table_is_gone(tmp_path: Path) -> None:
    path = delta(tmp_path, ROWS)
    DeltaTable(str(path)).delete("id = 'a'")
    assert listed(path).keys() == {"b", "c"}


@given(st.lists(st.tuples(st.text(), st.one_of(st.none(), st.text()), st.one_of(st.none(), st.integers(1, 9999)))))
def test_two_rows_have_one_hash_only_if_they_are_equal(rows: list[tuple[str, str | None, int | None]]) -> None:
    encoded = {(text.encode("utf-8", "replace"), patient, year) for text, patient, year in rows}
    # An empty patient is none.
    known = {(text, patient or None, year) for text, patient, year in encoded if "\0" not in (patient or "")}
    assert len({input_table._Row("", *row).sha256() for row in known}) == len(known)


def test_the_hash_of_a_row_stays_as_it_is() -> None:
    """Another one would make every note of every lake anew."""
    row = input_table._Row("a", "Müller".encode(), "7", 2012)
    assert row.sha256() == hashlib.sha256("Müller\0007\0002012\0False".encode()).hexdigest()
