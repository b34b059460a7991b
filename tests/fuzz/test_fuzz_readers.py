"""Fuzzes the readers: each changed file gives a note or an error with a reason of the closed list.

LibreOffice itself is not tried: files that only it reads end at a stand-in that loads none.
"""

from __future__ import annotations

import io
import random
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from file_mutations import ARCHIVE, BYTES, Mutation
from fuzzing import Fuzzer
from word_binary import DELETED, IN_TABLE, ROW_END, body, prls
from word_package import package, paragraph, part

from deid_core.core.errors import NoteError, Reason
from deid_core.core.file_formats import Format
from deid_core.core.note import Note
from deid_core.lab.synthetic import iter_notes
from deid_core.lab.synthetic.note_files import write_notes
from deid_core.readers import NoteReader, note_reader, source_files
from deid_core.readers.settings import ReadingSettings

CHANGES = (1, 1, 2, 4)

pytestmark = pytest.mark.fuzz


class NoLibreOffice:
    """Loads no file."""

    def __init__(self, settings: ReadingSettings) -> None:
        self._waiting: list[int] = []
        self._added = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, data: bytes, form: Format) -> int:
        self._added += 1
        self._waiting.append(self._added)
        return self._added

    def convert(self) -> dict[int, bytes | NoteError]:
        waiting, self._waiting = self._waiting, []
        return {number: NoteError(Reason.CORRUPT, "not loaded") for number in waiting}

    def close(self) -> None:
        """Nothing is open."""


def docx_seeds() -> Iterator[bytes]:
    """Documents of the tests with something in every place."""
    cell = f"<w:tc>{paragraph('Zelle')}</w:tc>"
    table = f"<w:tbl><w:tr>{cell * 3}</w:tr><w:tr>{cell}</w:tr></w:tbl>"
    deleted = '<w:p><w:del w:author="A"><w:r><w:delText>weg</w:delText></w:r></w:del></w:p>'
    box = f"<w:p><w:r><w:txbxContent>{paragraph('Kasten')}</w:txbxContent></w:r></w:p>"
    begin, middle, end = (f'<w:r><w:fldChar w:fldCharType="{k}"/></w:r>' for k in ("begin", "separate", "end"))
    field = f"<w:p>{begin}<w:r><w:instrText>DATE</w:instrText></w:r>{middle}<w:r><w:t>1.2.2010</w:t></w:r>{end}</w:p>"
    parts: dict[str, str | bytes] = {
        "header1": part("w:hdr", paragraph("Kopf")),
        "footnotes": part("w:footnotes", f"<w:footnote>{paragraph('Note')}</w:footnote>"),
        "comments": part("w:comments", f'<w:comment w:author="B" w:initials="b">{paragraph("Frage")}</w:comment>'),
        "aFChunk1": package(paragraph("darin")),
        "aFChunk2": b"Text\ndarin",
    }
    chunks = '<w:altChunk r:id="aFChunk1"/><w:altChunk r:id="aFChunk2"/>'
    yield package(paragraph("Sehr geehrte Kollegen,") + table + deleted + box + field + chunks, parts)


def odt_seeds() -> Iterator[bytes]:
    """A document as far as it is looked at before LibreOffice gets it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("META-INF/manifest.xml", "<manifest:manifest/>")
        archive.writestr("content.xml", "<text:p>am <text:date>1.2.2010</text:date></text:p>", zipfile.ZIP_DEFLATED)
    yield buffer.getvalue()


def doc_seeds() -> Iterator[bytes]:
    """Documents of the tests: a body, a table, deletions and fields."""
    yield body("Sehr geehrte Kollegen,\rFrau Muster\r").bytes()
    yield body("a\x07b\x07\x07", paragraphs=[(0, 4, prls(IN_TABLE)), (4, 5, prls(IN_TABLE, ROW_END))]).bytes()
    yield body("Frau Muster weg\r", characters=[(5, 11, prls(DELETED))]).bytes()
    yield body("am \x13 DATE \x141.2.2010\x15\r").bytes()


def samples(ending: str) -> list[bytes]:
    """Word's own files, if the shared data are there; small ones, so that many are tried."""
    folder = Path(__file__).resolve().parents[3] / "shared" / "data" / "word-samples"
    return [path.read_bytes() for path in sorted(folder.glob("*" + ending)) if path.stat().st_size < 300_000]


def generated(folder: Path) -> list[bytes]:
    write_notes(list(iter_notes(5, seed=7, split="train")), folder, "docx")
    return [path.read_bytes() for path in sorted(folder.rglob("*.docx"))]


def text_seeds() -> Iterator[bytes]:
    for made in iter_notes(5, seed=8, split="train"):
        text = made.note.text
        yield from (text.encode(), text.encode("utf-16"), text.encode("cp1252", "replace"))
        yield b"{\\rtf1\\ansi " + text.encode("ascii", "replace") + b"}"
    yield b"%PDF-1.4\n"
    yield b"<html><body>Text</body></html>"


def fuzz(fuzzer: Fuzzer, folder: Path, seeds: list[bytes], mutations: tuple[Mutation, ...], ending: str) -> None:
    """Read the seeds and then changed ones. Fails unless some become notes and some errors."""
    path = folder / f"note{ending}"
    path.touch()
    (source,) = source_files(path)
    outcomes: Counter[str] = Counter()

    def make(draw: random.Random) -> bytes:
        data = draw.choice(seeds)
        for _ in range(draw.choice(CHANGES)):
            data = draw.choice(mutations)(draw, data)
        return data

    with NoteReader(ReadingSettings()) as note_reader:

        def target(content: bytes) -> None:
            path.write_bytes(content)
            ((_, result),) = note_reader.read([source])
            # A fault of the direct reader sends the file to LibreOffice.
            assert not [phrase for phrase in note_reader.refusals if phrase.startswith("fault")], note_reader.refusals
            if isinstance(result, NoteError):
                assert isinstance(result.reason, Reason)
                assert result.reason is not Reason.INTERNAL, result.detail
                outcomes[result.reason.value] += 1
            else:
                assert isinstance(result, Note)
                assert max((block.end for block in result.blocks), default=0) == len(result.text)
                outcomes["note"] += 1

        for seed in seeds:
            target(seed)
        count = fuzzer.run(make, target)
    print(f"{ending}: {count} files changed from {len(seeds)}: {dict(outcomes.most_common())}")
    assert outcomes["note"]
    assert outcomes["corrupt"] + outcomes["unsupported"]


@pytest.fixture(autouse=True)
def _without_libreoffice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note_reader, "LibreOffice", NoLibreOffice)


def test_docx(fuzzer: Fuzzer, tmp_path: Path) -> None:
    seeds = [*docx_seeds(), *odt_seeds(), *generated(tmp_path / "generated"), *samples(".docx")]
    fuzz(fuzzer, tmp_path, seeds, ARCHIVE, ".docx")


def test_doc(fuzzer: Fuzzer, tmp_path: Path) -> None:
    fuzz(fuzzer, tmp_path, [*doc_seeds(), *samples(".doc")], BYTES, ".doc")


def test_plain_text_and_rtf(fuzzer: Fuzzer, tmp_path: Path) -> None:
    fuzz(fuzzer, tmp_path, list(text_seeds()), BYTES, ".txt")
