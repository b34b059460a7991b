"""`deid completion`: what a shell offers after a part of a command line. A person sees the same in a terminal."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from deid_core.cli import COMMANDS, main
from deid_core.cli.completion import script
from deid_core.pipeline.config import pipeline_names

CASES = [
    ("deid ", set(COMMANDS)),
    ("deid re", {"report", "read", "rekey", "review", "release"}),
    ("deid export --format ", {"jsonl", "omop", "parquet"}),
    ("deid export --format p", {"parquet"}),
    ("deid run --input-", {"--input-format"}),
    # "text" is a command, too.
    ("deid run --text text --pi", {"--pipeline"}),
    ("deid check --", {"--help", "--lake", "--mend"}),
    ("deid letters ", {"index", "export"}),
    ("deid letters export --te", {"--test"}),
    ("deid train stack", {"stacking"}),
]


@pytest.fixture(scope="module", params=["bash", "fish"])
def offers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> object:
    """Return a function from the beginning of a command line to what the shell offers."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    folder: Path = tmp_path_factory.mktemp(shell)
    (folder / "made").write_text(script(shell), encoding="utf-8")
    (folder / "config").mkdir()
    ask = {
        "bash": 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _deid; printf "%s\\n" "${COMPREPLY[@]}"',
        "fish": "source $argv[1]; complete --do-complete=(string join -- ' ' $argv[2..-1])",
    }[shell]

    def offered(line: str) -> set[str]:
        words = [str(folder / "made"), *line.split(" ")]
        done = subprocess.run(
            [shell, "-c", ask, *words], capture_output=True, text=True, check=True,
            cwd=folder / "config", env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        assert done.stderr == ""
        return {line.partition("\t")[0] for line in done.stdout.splitlines() if line}

    return offered


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_what_is_offered(offers, line: str, expected: set[str]) -> None:  # type: ignore[no-untyped-def]
    assert offers(line) == expected


def test_names_beside_files(offers) -> None:  # type: ignore[no-untyped-def]
    """A pipeline may be a file as well, which bash completes when nothing else fits."""
    assert offers("deid run --pipeline ") == set(pipeline_names())
    assert offers("deid run --lake ") == set()


def test_a_shell_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["completion", "tcsh"])
    assert left.value.code == 64
    assert "'bash', 'zsh', 'fish'" in capsys.readouterr().err
