"""`deid completion`: what bash offers after a part of a command line. A person sees the same in a terminal."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from deid_core.cli import COMMANDS
from deid_core.cli.completion import script
from deid_core.pipeline.config import pipeline_names

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@pytest.fixture(scope="module")
def made() -> str:
    return script()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("deid ", set(COMMANDS)),
        ("deid re", {"report", "read", "rekey"}),
        ("deid export --format ", {"jsonl", "omop", "parquet"}),
        ("deid export --format p", {"parquet"}),
        ("deid run --pipeline ", set(pipeline_names())),
        ("deid run --input-", {"--input-format"}),
        ("deid check --", {"--help", "--lake", "--mend"}),
        ("deid letters ", {"index", "export"}),
        ("deid letters export --te", {"--test"}),
        # A file: the shell completes it.
        ("deid run --lake ", set()),
    ],
)
def test_what_is_offered(made: str, line: str, offered: set[str]) -> None:
    words = line.split(" ")
    program = f'{made}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _deid; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", program, "bash", *words], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == offered
    assert done.stderr == ""
