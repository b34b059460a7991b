"""Reading of bytes made in a test, and a stand-in for LibreOffice that crashes and hangs on demand."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from word_package import package, paragraph

from deid_core.config import ReadingSettings
from deid_core.errors import NoteError
from deid_core.note import Note
from deid_core.reading import NoteReader, SourceFile, source_files

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


_STAND_IN = """#!{python}
import os, subprocess, sys, time
from pathlib import Path
arguments = sys.argv[1:]
output = Path(arguments[arguments.index("--outdir") + 1])
inputs = [Path(a) for a in arguments[arguments.index("--outdir") + 2:]]
with open({calls!r}, "a") as calls:
    calls.write(" ".join(p.name for p in inputs) + "\\n")
for path in inputs:
    data = path.read_bytes()
    print("convert", path.name, flush=True)
    if b"HANG" in data:
        # A grandchild as well: the whole process group must go.
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        with open({children!r}, "a") as children:
            children.write(f"{{child.pid}} {{os.getpid()}} ")
        time.sleep(600)
    if b"CRASH ALWAYS" in data or (b"CRASH IN BATCH" in data and len(inputs) > 1):
        os._exit(139)
    if b"NOTHING" in data:
        continue
    (output / (path.stem + ".docx")).write_bytes(Path({docx!r}).read_bytes())
"""


class StandIn:
    """A program that takes LibreOffice's arguments: `calls()` are the names of each call's inputs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "result.docx").write_bytes(package(paragraph("converted")))
        self.path = folder / "soffice"
        files = {name: str(folder / name) for name in ("calls", "children")}
        self.path.write_text(_STAND_IN.format(python=sys.executable, docx=str(folder / "result.docx"), **files))
        self.path.chmod(0o755)

    def calls(self) -> list[list[str]]:
        path = self._folder / "calls"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def children(self) -> list[int]:
        path = self._folder / "children"
        return [int(pid) for pid in path.read_text().split()] if path.exists() else []


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
