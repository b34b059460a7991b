"""Batches, time limits, retries and clearing up, with a stand-in for LibreOffice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.note import Note
from deid_core.readers import NoteReader, SourceFile
from deid_core.readers.settings import ReadingSettings

Files = Callable[..., list[SourceFile]]
_LIMITS = {"libreoffice_start_s": 3.0, "libreoffice_file_s": 1.0}


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
