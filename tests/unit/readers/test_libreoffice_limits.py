"""Batches, time limits, retries and clearing up, with a stand-in for LibreOffice."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from word_package import compound_file, package, paragraph, word_document

from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.note import Note
from deid_core.readers import NoteReader, SourceFile, libreoffice, source_files
from deid_core.readers.settings import ReadingSettings

Files = Callable[..., list[SourceFile]]
_LIMITS = {"libreoffice_start_s": 3.0, "libreoffice_file_s": 1.0}


def odt(content: bytes, manifest: bytes = b"<manifest/>", name: str = "content.xml") -> bytes:
    """Return an archive that starts like an .odt."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def outcome(result: Note | NoteError) -> str:
    return result.reason.value if isinstance(result, NoteError) else result.text


def read_all(stand_in: Any, files: list[SourceFile], **settings: object) -> list[str]:
    with NoteReader(ReadingSettings(libreoffice=str(stand_in.path), **{**_LIMITS, **settings})) as reader:
        results = list(reader.read(files))
    assert [source for source, _ in results] == files
    return [outcome(result) for _, result in results]


def assert_gone(pids: list[int]) -> None:
    alive = [p for p in pids if psutil.pid_exists(p) and psutil.Process(p).status() != psutil.STATUS_ZOMBIE]
    assert alive == []


def test_batches_in_the_order_of_the_files(stand_in: Any, rtf_files: Files, temporary: Path) -> None:
    files = rtf_files(*"abcde")
    files[1].path.write_text("plain text")
    assert read_all(stand_in, files, libreoffice_batch=2) == ["converted", "plain text", *["converted"] * 3]
    assert stand_in.calls() == [["n000001.rtf", "n000002.rtf"], ["n000003.rtf", "n000004.rtf"]]
    assert list(temporary.iterdir()) == []


def test_a_crash_costs_only_the_file_that_causes_it(stand_in: Any, rtf_files: Files, temporary: Path) -> None:
    files = rtf_files("ok", "CRASH ALWAYS", "CRASH IN BATCH", "NOTHING", "ok")
    assert read_all(stand_in, files) == ["converted", "converter_failed", "converted", "converter_failed", "converted"]
    batch, *alone = stand_in.calls()
    assert len(batch) == 5
    assert alone == [[f"n00000{n}.rtf"] for n in (2, 3, 4, 5)], "each that gave nothing once more, alone"
    assert list(temporary.iterdir()) == []


def test_a_hanging_file_is_killed_with_all_its_processes(stand_in: Any, rtf_files: Files, temporary: Path) -> None:
    files = rtf_files("ok", "HANG", "ok")
    assert read_all(stand_in, files) == ["converted", "timeout", "converted"]
    children = stand_in.children()
    assert len(children) == 4, "two tries, each with a child of its own"
    assert_gone(children)
    assert list(temporary.iterdir()) == []


def test_what_it_logs_is_no_progress(
    tmp_path: Path, rtf_files: Files, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It warns of a missing Java at once and may then take the whole time to start before the first file is done."""
    program, result, calls, started, go = (tmp_path / n for n in ("soffice", "result.docx", "calls", "started", "go"))
    result.write_bytes(package(paragraph("converted")))
    program.write_text(
        "#!/bin/sh\n"
        f"echo call >> {calls}\n"
        f"until [ -e {started} ]; do sleep 0.01; done\n"
        "echo 'Warning: failed to launch javaldx' >&2\n"
        f"until [ -e {go} ]; do sleep 0.01; done\n"
        f"cp {result} out/n000001.docx\n"
    )
    program.chmod(0o755)
    clock = [0.0]

    def wait(seconds: float) -> None:
        """Let time pass once the warning is there, up to the end of the time to start."""
        started.touch()
        if any(path.stat().st_size for path in temporary.glob("deid-*/log")) and clock[0] < 39:
            clock[0] += 1
        elif clock[0] >= 39:
            go.touch()
        time.sleep(0.01)

    monkeypatch.setattr(libreoffice, "monotonic", lambda: clock[0])
    monkeypatch.setattr(libreoffice, "sleep", wait)
    limits = {"libreoffice_start_s": 30.0, "libreoffice_file_s": 10.0}
    with NoteReader(ReadingSettings(libreoffice=str(program), **limits)) as reader:
        ((_, note),) = reader.read(rtf_files("a"))
    assert outcome(note) == "converted"
    assert calls.read_text().split() == ["call"], "not killed and called again"


@pytest.mark.parametrize(
    ("data", "name", "ending"),
    [
        (b"\xdb\xa5\x2d\x00" + bytes(30), "word2.doc", ".doc"),
        (compound_file({"WordDocument": word_document(0xA699)}), "word.dot", ".doc"),
        (odt(b"<x/>"), "a.odt", ".odt"),
        (odt(b"<x/>"), "a.doc", ".odt"),
    ],
)
def test_formats_that_only_libreoffice_reads(
    stand_in: Any, tmp_path: Path, data: bytes, name: str, ending: str
) -> None:
    (tmp_path / name).write_bytes(data)
    assert read_all(stand_in, source_files(tmp_path / name)) == ["converted"]
    assert stand_in.calls() == [[f"n000001{ending}"]]


def test_a_hostile_odt_never_reaches_libreoffice(stand_in: Any, tmp_path: Path) -> None:
    (tmp_path / "bomb.odt").write_bytes(odt(b" " * 30_000_000))
    assert read_all(stand_in, source_files(tmp_path / "bomb.odt")) == ["unsafe"]
    (tmp_path / "large.odt").write_bytes(odt(b"x" * 1000))
    assert read_all(stand_in, source_files(tmp_path / "large.odt"), max_xml_bytes=1000) == ["too_large"]
    # Python reads a member without a name and refuses to write one.
    (tmp_path / "nameless.odt").write_bytes(odt(b"x", name="#").replace(b"#", b"\0"))
    assert read_all(stand_in, source_files(tmp_path / "nameless.odt")) == ["corrupt"]
    (tmp_path / "locked.odt").write_bytes(odt(b"x", b"<manifest:encryption-data/>"))
    assert read_all(stand_in, source_files(tmp_path / "locked.odt")) == ["encrypted"]
    assert stand_in.calls() == []


def test_who_stops_early_leaves_nothing(stand_in: Any, rtf_files: Files, temporary: Path) -> None:
    with NoteReader(ReadingSettings(libreoffice=str(stand_in.path), libreoffice_batch=2)) as reader:
        results = reader.read(rtf_files("a", "b", "c"))
        next(results)
        results.close()  # type: ignore[attr-defined]
        assert list(temporary.iterdir()) == []
    assert len(stand_in.calls()) == 1


def test_a_missing_program_is_a_matter_of_configuration(rtf_files: Files, temporary: Path) -> None:
    with (
        NoteReader(ReadingSettings(libreoffice="/nowhere/soffice")) as reader,
        pytest.raises(ConfigurationError, match=r"reading\.libreoffice"),
    ):
        list(reader.read(rtf_files("a")))
    assert list(temporary.iterdir()) == []


def test_a_killed_reader_leaves_no_process_and_no_file(stand_in: Any, rtf_files: Files, temporary: Path) -> None:
    (source,) = rtf_files("HANG")
    script = (
        "import sys, tempfile; from pathlib import Path; from deid_core.readers.settings import ReadingSettings;"
        "from deid_core.readers import NoteReader, source_files; tempfile.tempdir = sys.argv[2];"
        "list(NoteReader(ReadingSettings(libreoffice=sys.argv[1])).read(source_files(Path(sys.argv[3]))))"
    )
    reader = subprocess.Popen([sys.executable, "-c", script, str(stand_in.path), str(temporary), str(source.path)])
    wait_until(lambda: len(stand_in.children()) == 2)
    assert list(temporary.iterdir()) != []
    os.kill(reader.pid, signal.SIGKILL)
    reader.wait()
    wait_until(lambda: not list(temporary.iterdir()))
    assert_gone(stand_in.children())


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits for another process; fails after 30 seconds."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "did not happen"
        time.sleep(0.05)


def test_errors_hold_no_text_and_no_name(stand_in: Any, rtf_files: Files) -> None:
    files = rtf_files("CRASH ALWAYS geheim")
    with NoteReader(ReadingSettings(libreoffice=str(stand_in.path), **_LIMITS)) as reader:
        ((_, result),) = reader.read(files)
    assert isinstance(result, NoteError)
    assert result.reason is Reason.CONVERTER_FAILED
    assert "geheim" not in str(result)
    assert files[0].note_id not in str(result)
