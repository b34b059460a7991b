"""Writes notes to a folder: Word files, JSON lines or Parquet, and the gold spans beside them.

`DIR/notes/<year>/<id>.doc` or `.docx`, `DIR/notes.jsonl` or `DIR/notes.parquet`; always `DIR/gold.jsonl`, an object a
note: {"id", "text", "spans": [{"start", "end", "label", "type"}]}, in the order of the notes; with several notes a
patient also {"patient"}, the number of the patient. gold.jsonl gets its name when all is written. The
same arguments give the same bytes, .doc excepted: LibreOffice writes its own times into it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.lab.synthetic.docx_file import docx_bytes
from deid_core.lab.synthetic.generate import SyntheticNote, iter_notes, patient_of
from deid_core.lab.synthetic.lists import lists_of
from deid_core.lab.synthetic.surrogates import iter_challenge
from deid_core.lab.synthetic.templates import templates_of
from deid_core.lab.synthetic.word97 import Word97Writer

FORMATS = ("doc", "docx", "jsonl", "parquet")
_CHUNK = {"doc": 100, "docx": 50, "jsonl": 500, "parquet": 500}
"""Notes that are made at once: files of one call of LibreOffice, rows of a row group."""

_BLOCK = pa.struct(
    [("kind", pa.string())] + [(name, pa.int32()) for name in ("start", "end", "table", "row", "column")]
)
NOTES_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("source", pa.string()),
        ("sha256", pa.string()),
        ("year", pa.int32()),
        ("text", pa.string()),
        ("blocks", pa.list_(_BLOCK)),
    ]
)
"""Rows of notes.parquet: the fields of `Note.to_json`."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Some notes on their way to the folder: lines of gold.jsonl, and of notes.jsonl or rows of notes.parquet."""

    gold: list[str]
    lines: list[str]
    rows: pa.Table | None


@dataclass(frozen=True, slots=True)
class CorpusSpec:
    """Which synthetic notes: 0 to count - 1 of a seed and a split ("train" or "test").

    year: of all notes; None spreads them as seed 000, Table 1. corpus: a challenge corpus of
    `deid_core.lab.synthetic.surrogates`; None for the notes as the generator makes them. notes_per_patient: notes that
    follow one another and are of one patient; more than one only without a challenge corpus.
    """

    count: int
    seed: int
    split: str
    year: int | None = None
    corpus: str | None = None
    notes_per_patient: int = 1


def write_corpus(
    spec: CorpusSpec, folder: Path, form: str, *, workers: int = 1, progress: Callable[[int], object] = bool
) -> None:
    """Generate notes and write them to a folder; `progress` is called with how many more are done.

    Order and content do not depend on `workers` (processes). Raises ConfigurationError for a split, corpus or format
    that does not exist, a folder that cannot be written or missing LibreOffice; TryAgainError if LibreOffice fails.
    """
    lists_of(spec.split)
    templates_of(spec.split)
    count = spec.count
    per_patient = spec.notes_per_patient
    made = partial(iter_challenge, spec.corpus) if spec.corpus else partial(iter_notes, notes_per_patient=per_patient)
    notes = partial(made, seed=spec.seed, split=spec.split, year=spec.year)
    make = partial(_generated, notes=notes, count=count, form=form, folder=folder, per_patient=per_patient)
    starts = range(0, count, _chunk_of(form))
    with ExitStack() as stack:
        if workers > 1 and len(starts) > 1:
            # Not forked: the caller may have threads.
            pool = stack.enter_context(ProcessPoolExecutor(workers, mp_context=get_context("spawn")))
            parts = pool.map(make, starts)
        else:
            parts = map(make, starts)
        _write(parts, form, folder, progress)


def write_notes(notes: Iterable[SyntheticNote], folder: Path, form: str) -> None:
    """Writes notes that are there already. Raises as `write_corpus`."""
    size = _chunk_of(form)
    iterator = iter(notes)
    chunks = iter(lambda: list(islice(iterator, size)), [])
    _write((_part(chunk, form, folder) for chunk in chunks), form, folder, bool)


def _chunk_of(form: str) -> int:
    if form not in _CHUNK:
        raise ConfigurationError(f"format {form!r} does not exist; there are {', '.join(FORMATS)}")
    return _CHUNK[form]


def _generated(
    start: int,
    *,
    notes: Callable[..., Iterator[SyntheticNote]],
    count: int,
    form: str,
    folder: Path,
    per_patient: int,
) -> _Part:
    size = min(_CHUNK[form], count - start)
    made = list(notes(size, start=start))
    numbers = range(start, start + size)
    patients = [patient_of(number, per_patient) for number in numbers] if per_patient > 1 else None
    return _part(made, form, folder, patients)


def _part(notes: Sequence[SyntheticNote], form: str, folder: Path, patients: Sequence[int] | None = None) -> _Part:
    """What the folder gets of these notes; Word files are written here, in the process that made the notes."""
    if form in ("doc", "docx"):
        _write_word(notes, form, folder)
    lines = [_json(item.note.to_json()) for item in notes] if form == "jsonl" else []
    rows = _rows([item.note for item in notes]) if form == "parquet" else None
    gold = [_gold(item) for item in notes]
    if patients is not None:
        gold = [row | {"patient": patient} for row, patient in zip(gold, patients, strict=True)]
    return _Part([_json(row) for row in gold], lines, rows)


def _write_word(notes: Sequence[SyntheticNote], form: str, folder: Path) -> None:
    targets = [folder / "notes" / str(item.note.year) / f"{item.note.note_id}.{form}" for item in notes]
    for parent in {target.parent for target in targets}:
        parent.mkdir(parents=True, exist_ok=True)
    documents = [docx_bytes(item.letter) for item in notes]
    if form == "doc":
        with Word97Writer() as writer:
            writer.write(documents, targets)
    else:
        for document, target in zip(documents, targets, strict=True):
            target.write_bytes(document)


def _write(parts: Iterable[_Part], form: str, folder: Path, progress: Callable[[int], object]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_previous(folder)
        unfinished = folder / "gold.jsonl.part"
        with ExitStack() as stack:
            gold = stack.enter_context(unfinished.open("w", encoding="utf-8", newline="\n"))
            lines = rows = None
            if form == "jsonl":
                lines = stack.enter_context((folder / "notes.jsonl").open("w", encoding="utf-8", newline="\n"))
            elif form == "parquet":
                path = folder / "notes.parquet"
                rows = stack.enter_context(pq.ParquetWriter(path, NOTES_SCHEMA, compression="zstd"))
            for part in parts:
                gold.writelines(part.gold)
                if lines:
                    lines.writelines(part.lines)
                if rows:
                    rows.write_table(part.rows)
                progress(len(part.gold))
        unfinished.replace(folder / "gold.jsonl")
    except OSError as error:
        raise ConfigurationError(f"{error.filename or folder}: cannot be written: {error.strerror}") from None


def _remove_previous(folder: Path) -> None:
    """Removes what an earlier call wrote here, by the ids of its gold.jsonl, so that notes and gold agree."""
    gold = folder / "gold.jsonl"
    if not gold.exists():
        return
    previous = set(_ids(gold))
    for path in (folder / "notes").glob("*/*.doc*"):
        if path.stem in previous:
            path.unlink()
    for path in (folder / "notes.jsonl", folder / "notes.parquet", gold):
        path.unlink(missing_ok=True)


def _ids(gold: Path) -> Iterator[str]:
    with gold.open(encoding="utf-8") as lines:
        for line in lines:
            yield str(json.loads(line)["id"])


def _gold(item: SyntheticNote) -> dict[str, Any]:
    spans = [{"start": s.start, "end": s.end, "label": s.label, "type": s.type} for s in item.gold]
    return {"id": item.note.note_id, "text": item.note.text, "spans": spans}


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _rows(notes: Sequence[Note]) -> pa.Table:
    """The notes as rows, made by column: `Note.to_json` builds an object for each of 150 blocks a note."""
    blocks = [block for note in notes for block in note.blocks]
    struct = pa.StructArray.from_arrays(
        [pa.array([getattr(block, field.name) for block in blocks], field.type) for field in _BLOCK],
        fields=list(_BLOCK),
    )
    ends = pa.array([0, *accumulate(len(note.blocks) for note in notes)], pa.int32())
    columns = [
        pa.array([note.note_id for note in notes], pa.string()),
        pa.array([note.source for note in notes], pa.string()),
        pa.array([note.sha256 for note in notes], pa.string()),
        pa.array([note.year for note in notes], pa.int32()),
        pa.array([note.text for note in notes], pa.string()),
        pa.ListArray.from_arrays(ends, struct),
    ]
    return pa.Table.from_arrays(columns, schema=NOTES_SCHEMA)
