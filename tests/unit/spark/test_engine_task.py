"""The task that runs the engine over raw notes, without Spark: what it reads at once, and its rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_core.core.errors import Reason
from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Block, BlockKind, Note
from deid_core.core.spans import Dropped, DropReason, Span
from deid_core.lake.tables import task_schemas
from deid_core.lake.tables.arrow_codec import record_batch
from deid_core.pipeline.engine import Deidentified
from deid_core.pipeline.known_terms import KnownTerms, Term, TermKind, TermSource
from deid_core.spark import engine_rows, engine_task, worker_engine
from deid_core.spark.engine_rows import read_together
from deid_core.spark.worker_engine import EngineFile

NOTHING_KNOWN = KnownTerms({}, {})


class _Engine:
    """Imitates the engine: records what it reads at once, and returns a note's text in capitals."""

    def __init__(self, *, fails: bool = False) -> None:
        self.together: list[list[str]] = []
        self.alone: list[str] = []
        self._fails = fails
        self.known: Sequence[Term] = ()
        self.spans: tuple[Span, ...] = ()
        self.languages: tuple[str, ...] = ()

    def deidentify_all(
        self, notes: Sequence[tuple[Note, str, Sequence[Term]]], redactor: object = None
    ) -> list[Deidentified] | None:
        self.together.append([note.text for note, _, _ in notes])
        return None if self._fails else [self._done(note, known) for note, _, known in notes]

    def deidentify(self, note: Note, known: Sequence[Term] = ()) -> Deidentified:
        self.alone.append(note.text)
        return self._done(note, known)

    def _done(self, note: Note, known: Sequence[Term]) -> Deidentified:
        self.known = known
        outputs = ((0, 0),) * len(self.spans)
        return Deidentified(
            note.note_id, note.year, note.text.upper(), self.spans, outputs, 1, (), languages=self.languages
        )


def _rows(*texts: str) -> list[dict[str, Any]]:
    return [{"note_id": text[:9], "year": 2010, "batch": "b", "text": text, "blocks": ()} for text in texts]


def done(engine: _Engine, rows: list[dict[str, Any]], known: KnownTerms = NOTHING_KNOWN) -> list[dict[str, Any]]:
    """Return what the task makes of the rows when Spark tries it for the first time."""
    made = read_together(engine, rows, partial(engine_task._given, known))  # type: ignore[arg-type]
    return [engine_task._deidentified(engine, row, known, ahead) for row, ahead in made]  # type: ignore[arg-type]


@pytest.mark.parametrize("fails", [False, True])
def test_several_notes_are_read_at_once_and_a_long_one_alone(fails: bool) -> None:
    """If reading them at once fails, each is read alone: that tells which note is at fault."""
    engine, long = _Engine(fails=fails), "x" * engine_rows._TOGETHER_CHARS
    made = done(engine, _rows("eins", "zwei", long))
    assert engine.together == [["eins", "zwei"]]
    assert engine.alone == (["eins", "zwei", long] if fails else [long])
    assert [row["text"] for row in made] == ["EINS", "ZWEI", long.upper()]


def test_a_note_that_fails_alone_is_read_once() -> None:
    engine = _Engine(fails=True)
    assert [row["text"] for row in done(engine, _rows("eins"))] == ["EINS"]
    assert (engine.together, engine.alone) == ([], ["eins"])


def test_a_row_that_is_no_note_costs_no_other_row() -> None:
    rows = _rows("eins", "zwei", "drei")
    rows[1]["blocks"] = (Block(BlockKind.PARAGRAPH, 0, 5),)
    made = done(_Engine(), rows)
    assert [row.get("text") for row in made] == ["EINS", None, "DREI"]
    assert made[1]["reason"] == Reason.INTERNAL


def test_a_text_says_its_other_languages() -> None:
    engine = _Engine()
    assert [row["languages"] for row in done(engine, _rows("eins"))] == [None]
    engine.languages = ("en", "fr")
    assert [row["languages"] for row in done(engine, _rows("one, un"))] == ["en fr"]


def test_a_note_is_searched_for_what_is_known_of_it() -> None:
    engine, term = _Engine(), Term(TermKind.NAME, "Anna Müller")
    for text, known in (("eins", (term,)), ("zwei", ())):
        done(engine, _rows(text), KnownTerms({"eins": [term]}, {}))
        assert engine.known == known


@pytest.mark.parametrize("column", ["17245", None])
def test_a_note_is_searched_for_what_is_known_of_its_patient(column: str | None) -> None:
    """Whose id its source's column gives, or else its text."""
    term = Term(TermKind.NAME, "Anna Müller", TermSource.HOSPITAL)
    engine, known = _Engine(), KnownTerms({}, {"17245": [term]})
    engine.spans = () if column else (Span(0, 5, Label.ID, PhiType.PATIENT_ID, "pattern", "r"),)
    [row] = _rows("17245")
    done(engine, [row | {"patient": column}], known)
    assert engine.known == (term,)


def test_discarded_detections_are_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the schema's fields, with places and reason and without text."""
    found = Dropped(0, 4, Label.PER, PhiType.OTHER, "crf", "r", 0.5, DropReason.DROP_ABOVE)
    assert [field.name for field in task_schemas.DROPPED] == list(Dropped._fields)
    result = Deidentified("n", 2010, "text", (), (), 1, (found,))
    monkeypatch.setattr(_Engine, "deidentify", lambda self, note, known: result)
    [row] = done(_Engine(), _rows("eins"))
    [made] = record_batch([row], task_schemas.REDACTED).column("dropped")[0].as_py()
    assert made == found.to_json()


def _raw_notes(folder: Path, rows: list[dict[str, Any]]) -> str:
    """Write a file of raw notes, and a listing of them with a row group for every two. Return the listing's path."""
    notes, listing = folder / "notes.parquet", folder / "listing.parquet"
    stored = [{"note_id": row["note_id"], "text": row["text"], "blocks": []} for row in rows]
    pq.write_table(pa.Table.from_pylist(stored, task_schemas.STORED), notes)
    listed = [
        {"note_id": row["note_id"], "year": 2010, "batch": "b", "file": str(notes), "row_group": 0} for row in rows
    ]
    pq.write_table(pa.Table.from_pylist(listed, task_schemas.RAW_NOTE), listing, row_group_size=2)
    return str(listing)


def _written(task: engine_task.Deidentify, chunks: list[int]) -> list[tuple[str, str | None]]:
    """Return note and text of each row of the files that the task names."""
    made = [batch["file"].to_pylist() for batch in task(iter([pa.RecordBatch.from_pydict({"id": chunks})]))]
    assert [len(files) for files in made] == [1] * len(chunks)
    rows = [pq.read_table(Path(task.folder) / file).to_pylist() for [file] in made]
    return [(row["note_id"], row["text"]) for of_file in rows for row in of_file]


def _task(listing: str, folder: Path, engine: EngineFile) -> engine_task.Deidentify:
    return engine_task.Deidentify(listing, str(folder), engine, SimpleNamespace(value=NOTHING_KNOWN))  # type: ignore[arg-type]


@pytest.mark.parametrize("repeated", [False, True])
def test_a_task_writes_the_results_of_its_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, repeated: bool
) -> None:
    """To files that no other attempt writes."""
    monkeypatch.setattr(worker_engine, "_ENGINES", {"d": _Engine()})
    monkeypatch.setattr(engine_task, "is_repeated", lambda: repeated)
    task = _task(_raw_notes(tmp_path, _rows("eins", "zwei", "drei")), tmp_path, EngineFile("", "d", "f"))
    for _ in range(2):
        assert _written(task, [1, 0]) == [("drei", "DREI"), ("eins", "EINS"), ("zwei", "ZWEI")]
    assert len(list(tmp_path.glob("part-*.parquet"))) == 4
