"""Reading of bytes made in a test, and files for a stand-in for LibreOffice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from libreoffice_stand_in import StandIn

from deid_core.core.errors import NoteError
from deid_core.core.note import Note
from deid_core.readers import NoteReader, SourceFile, source_files
from deid_core.readers.settings import ReadingSettings

ReadNote = Callable[..., "Note | NoteError"]


@pytest.fixture
def read_note(tmp_path: Path) -> ReadNote:
    """Writes bytes to a file and reads it: `read_note(data, "a.docx", max_text_chars=10)`."""

    def read(data: bytes, name: str = "note.docx", **limits: object) -> Note | NoteError:
        path = tmp_path / name
        path.write_bytes(data)
        with NoteReader(ReadingSettings.model_validate(limits)) as reader:
            ((_, result),) = reader.read(source_files(path))
        return result

    return read


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    folder = tmp_path / "program"
    folder.mkdir()
    return StandIn(folder)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that stands for the system's temporary folder."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def rtf_files(tmp_path: Path) -> Callable[..., list[SourceFile]]:
    """Files that go through LibreOffice, one for each text."""

    def make(*texts: str) -> list[SourceFile]:
        folder = tmp_path / "notes"
        folder.mkdir()
        for number, text in enumerate(texts):
            (folder / f"{number:03d}.rtf").write_text(rf"{{\rtf1 {text}}}")
        return source_files(folder)

    return make
