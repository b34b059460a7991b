"""Standard output that cannot be written: the contract's exit codes, never the interpreter's own, 120."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.pipeline.engine import Engine

COMMANDS = [["labels"], ["--help"], ["labels", "--help"], ["--version"]]
FULL = Path("/dev/full")


def started(arguments: list[str], stdout: int) -> subprocess.CompletedProcess[str]:
    """The command in a process whose stdout has a buffer, as it has unless PYTHONUNBUFFERED is set."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [sys.executable, "-m", "deid_core.cli", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_reader_that_went_away_is_no_error(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = started(arguments, writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (ExitCode.DONE, "")


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_full_disk_at_stdout_is_told_and_may_be_tried_again(arguments: list[str]) -> None:
    with FULL.open("wb") as full:
        done = started(arguments, full.fileno())
    assert done.returncode == ExitCode.RETRY
    assert done.stderr.endswith(": stdout cannot be written: No space left on device\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_an_error_of_the_command_keeps_its_code_where_stdout_is_full() -> None:
    with FULL.open("wb") as full:
        done = started(["text", "absent.doc", "--pipeline", "baseline"], full.fileno())
    assert (done.returncode, done.stderr) == (ExitCode.USAGE, "deid text: absent.doc: there is no such file\n")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_elsewhere_is_told_without_the_name_of_a_file(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(self: Engine, note: object) -> None:
        raise OSError(number, "Xylander", "Xylander.doc")

    monkeypatch.setattr(Engine, "annotate", fail)
    (tmp_path / "brief.txt").write_text("EF 55 %")
    arguments = ["annotate", "--input", str(tmp_path), "--output", str(tmp_path / "spans.jsonl")]
    assert main([*arguments, "--pipeline", "baseline"]) == ExitCode.RETRY
    assert capsys.readouterr().err == (
        f"deid annotate: the output or a temporary file cannot be written: {os.strerror(number)}\n"
    )
    assert not list(tmp_path.glob("spans.jsonl*"))
