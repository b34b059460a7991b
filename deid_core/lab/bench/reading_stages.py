"""The readers' stages: .doc and .docx, LibreOffice and python-docx instead, and the files' bytes alone as the limit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from deid_core.core.note import Note
from deid_core.lab.bench.python_docx import python_docx_texts
from deid_core.lab.bench.stage import WALL, Sample, Stage, Stages, wall
from deid_core.lab.synthetic import iter_notes
from deid_core.lab.synthetic.note_files import write_notes
from deid_core.pipeline.settings_file import load_settings
from deid_core.readers import NoteReader, source_files

_DOC, _DOCX = "read .doc", "read .docx"
_JSON = "notes to JSON, as `deid read` prints them"


def reading_stages(files: int, folder: Path) -> Stages:
    """The stages over so many generated files of each format, which are written below the folder."""
    notes = list(iter_notes(files, seed=6, split="test"))
    sample = Sample.of([item.note for item in notes])
    write_notes(notes, folder / "docx", "docx")
    docx = _read_stages(_DOCX, folder / "docx", sample)
    instead = [_stage("python-docx, texts", lambda: _python_docx(folder / "docx"), sample, (_DOCX,))]
    # LibreOffice writes the .doc files, too.
    if not shutil.which("soffice"):
        return Stages([*docx, *instead], ["read .doc, and LibreOffice instead: soffice is not on PATH"])
    write_notes(notes, folder / "doc", "doc")
    doc = _read_stages(_DOC, folder / "doc", sample)
    libreoffice = _reading(folder / "doc", doc_reader="libreoffice")
    doc.append(Stage(_JSON, sample, wall(_printing(folder / "doc")), WALL))
    instead.append(_stage("LibreOffice, .doc", libreoffice, sample, (_DOC, _DOCX)))
    return Stages([*doc, *docx, *instead])


def _read_stages(name: str, folder: Path, sample: Sample) -> list[Stage]:
    limit = f"{name}: bytes alone"
    return [
        Stage(limit, sample, wall(lambda: _read_bytes(folder)), WALL),
        Stage(name, sample, wall(_reading(folder)), WALL, limit=limit),
    ]


def _stage(name: str, run: Callable[[], object], sample: Sample, instead_of: tuple[str, ...]) -> Stage:
    return Stage(name, sample, wall(run), WALL, instead_of=instead_of)


def _read_bytes(folder: Path) -> int:
    """Lists the folder and reads its files; the operating system has them in memory after the first run."""
    return sum(len(source.path.read_bytes()) for source in source_files(folder))


def _python_docx(folder: Path) -> int:
    return sum(len(text) for source in source_files(folder) for text in python_docx_texts(source.path))


def _reading(folder: Path, **changed: str) -> Callable[[], object]:
    settings = load_settings().reading.model_copy(update=changed)

    def read() -> int:
        with NoteReader(settings) as reader:
            return sum(1 for _ in reader.read(source_files(folder)))

    return read


def _printing(folder: Path) -> Callable[[], object]:
    with NoteReader(load_settings().reading) as reader:
        notes = [note for _, note in reader.read(source_files(folder)) if isinstance(note, Note)]
    return lambda: sum(len(json.dumps(note.to_json(), ensure_ascii=False)) for note in notes)
