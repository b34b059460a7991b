"""`deid generate`: files, gold spans and their agreement, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from deid_core.cli import main
from deid_core.core.note import Note
from deid_core.lab.corpora import read_corpus
from deid_core.lab.synthetic import iter_notes
from deid_core.pipeline.settings_file import load_settings
from deid_core.readers import NoteReader, source_files


def generate(folder: Path, form: str, *more: str, notes: int = 20) -> int:
    arguments = ["generate", "--notes", str(notes), "--seed", "5", "--format", form, "--output", str(folder)]
    return main([*arguments, *more])


def gold_of(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_patients_have_several_notes(tmp_path: Path) -> None:
    """The same person, birth date and id in all of them; age by the note's year; whatever the number of workers."""
    arguments = ["generate", "--seed", "5", "--format", "jsonl", "--output", str(tmp_path)]
    assert main([*arguments, "--patients", "12", "--notes-per-patient", "4", "--workers", "1"]) == 0
    gold = list(gold_of(tmp_path).values())
    assert [row["patient"] for row in gold] == [number // 4 for number in range(48)]

    def said(row: dict[str, Any], phi: str) -> set[str]:
        return {row["text"][span["start"] : span["end"]] for span in row["spans"] if span["type"] == phi}

    for start in range(0, 48, 4):
        notes = gold[start : start + 4]
        ids = [found for note in notes if (found := said(note, "patient_id"))]
        assert len(set().union(*ids)) <= 1
        births = [{date for date in said(note, "birth_date") if len(date) == 10} for note in notes]
        assert set.intersection(*(found for found in births if found))
        assert len({note["text"] for note in notes}) == 4
    assert len({min(said(row, "birth_date")) for row in gold[::4]}) > 6
    assert main([*arguments, "--patients", "0"]) == 64
    assert main([*arguments, "--patients", "2", "--corpus", "oov"]) == 64


def assert_files_give_gold_text(folder: Path, form: str, notes: int) -> None:
    gold = gold_of(folder)
    sources = source_files(folder / "notes")
    assert len(sources) == len(gold) == notes
    with NoteReader(load_settings().reading) as reader:
        for source, note in reader.read(sources):
            assert isinstance(note, Note)
            assert source.path.suffix == f".{form}"
            assert note.text == gold[source.note_id]["text"]


def test_docx_files_have_the_text_of_the_gold_spans(tmp_path: Path) -> None:
    assert generate(tmp_path, "docx", "--split", "test") == 0
    assert_files_give_gold_text(tmp_path, "docx", 20)
    made = {item.note.note_id: item for item in iter_notes(20, seed=5, split="test")}
    for path in (tmp_path / "notes").glob("*/*.docx"):
        assert path.parent.name == str(made[path.stem].note.year)


@pytest.mark.libreoffice
def test_doc_files_have_the_text_of_the_gold_spans(tmp_path: Path, soffice: str) -> None:
    assert generate(tmp_path, "doc", "--workers", "1") == 0
    assert_files_give_gold_text(tmp_path, "doc", 20)
    assert all(data[:4] == b"\xd0\xcf\x11\xe0" for name, data in files_of(tmp_path / "notes").items())


def test_gold_is_the_same_for_every_format_and_fits_the_contract(tmp_path: Path) -> None:
    for form in ("docx", "jsonl", "parquet"):
        assert generate(tmp_path / form, form) == 0
    contents = {(tmp_path / form / "gold.jsonl").read_bytes() for form in ("docx", "jsonl", "parquet")}
    assert len(contents) == 1
    assert len(read_corpus(tmp_path / "jsonl" / "gold.jsonl")) == 20
    span = next(iter(gold_of(tmp_path / "jsonl").values()))["spans"][0]
    assert set(span) == {"start", "end", "label", "type"}


def test_json_lines_and_parquet_hold_the_notes(tmp_path: Path) -> None:
    expected = [item.note for item in iter_notes(20, seed=5, split="train")]
    assert generate(tmp_path / "a", "jsonl") == generate(tmp_path / "b", "parquet") == 0
    lines = (tmp_path / "a" / "notes.jsonl").read_text(encoding="utf-8").splitlines()
    assert [Note.from_json(json.loads(line)) for line in lines] == expected
    rows = pq.read_table(tmp_path / "b" / "notes.parquet").to_pylist()
    assert [Note.from_json(row) for row in rows] == expected


def test_more_processes_give_the_same_bytes(tmp_path: Path) -> None:
    for name, workers in (("one", "1"), ("two", "2")):
        assert generate(tmp_path / name, "docx", "--workers", workers, notes=60) == 0
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_what_an_earlier_call_wrote_is_replaced(tmp_path: Path) -> None:
    own = tmp_path / "notes" / "2010" / "own.docx"
    assert generate(tmp_path, "docx", notes=12) == 0
    own.parent.mkdir(exist_ok=True)
    own.write_bytes(b"not ours")
    assert generate(tmp_path, "docx", notes=3) == 0
    names = {path.stem for path in (tmp_path / "notes").glob("*/*.docx")}
    assert names == {*gold_of(tmp_path), "own"}
    assert len(names) == 4


def test_one_year_can_be_asked_for(tmp_path: Path) -> None:
    assert generate(tmp_path, "docx", "--years", "2008", notes=3) == 0
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["2008"]


@pytest.mark.parametrize("more", [("--years", "08"), ("--split", "dev"), ("--workers", "0")])
def test_wrong_arguments_leave_with_64(
    tmp_path: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = generate(tmp_path, "jsonl", *more)
    except SystemExit as error:
        code = int(error.code or 0)
    assert code == 64
    assert more[0].lstrip("-") in capsys.readouterr().err
