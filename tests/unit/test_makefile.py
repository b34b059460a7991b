"""What `make run` and `make clean` do with lakes: on a copy of the Makefile, whose `deid` says how it was called."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

READY = (
    "pyproject.toml",
    "constraints.txt",
    "requirements.txt",
    "docker/system-packages.sh",
    "gazetteers/sources.yaml",
    ".venv/.ready",
)
"""What `make setup` depends on, and the mark that it is done, the newest."""


@pytest.fixture
def checkout(repository: Path, tmp_path: Path) -> Path:
    shutil.copy(repository / "Makefile", tmp_path)
    for age, name in enumerate(reversed(READY)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (1_600_000_000 - age,) * 2)
    deid = tmp_path / ".venv" / "bin" / "deid"
    deid.parent.mkdir()
    deid.write_text('#!/bin/sh\necho "deid $*"\n')
    deid.chmod(0o755)
    return tmp_path


def make(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Variables of a `make test` that runs this test are not for the copy.
    env = {name: value for name, value in os.environ.items() if name == "PATH"}
    return subprocess.run(
        ["make", *arguments], cwd=checkout, env=env, capture_output=True, text=True, check=False, timeout=60
    )


def lake_of(folder: Path) -> Path:
    (folder / "restricted").mkdir(parents=True)
    (folder / "restricted" / "key").write_text("key")
    return folder


def test_without_notes_samples_are_made_and_their_lake_lies_beside_them(checkout: Path) -> None:
    assert make(checkout, "run", "COUNT=20").stdout.splitlines() == [
        "deid generate --notes 20 --seed 2018 --format doc --output out/sample-20",
        "deid run --input out/sample-20/notes --lake out/sample-20/lake --pipeline default",
    ]
    assert make(checkout, "run").stdout.splitlines()[-1] == (
        "deid run --input out/sample-300/notes --lake out/sample-300/lake --pipeline default"
    )


def test_notes_go_into_the_lake_that_is_named(checkout: Path) -> None:
    done = make(checkout, "run", "NOTES=/archive/letters", "LAKE=/data/lake")
    assert done.stdout == "deid run --input /archive/letters --lake /data/lake --pipeline default\n"


def test_each_folder_of_notes_has_a_lake_of_its_own_that_clean_leaves_alone(checkout: Path) -> None:
    done = make(checkout, "run", "NOTES=/archive/letters")
    assert done.stdout == "deid run --input /archive/letters --lake lakes/archive-letters --pipeline default\n"
    lake = lake_of(checkout / "lakes" / "archive-letters")
    assert make(checkout, "clean").returncode == 0
    assert (lake / "restricted" / "key").exists()


def test_the_folder_of_ones_own_lakes_is_made_and_no_other(checkout: Path) -> None:
    make(checkout, "run", "NOTES=/archive/letters", f"LAKE={checkout}/disk/lake")
    assert not (checkout / "lakes").exists() and not (checkout / "disk").exists()
    make(checkout, "run", "NOTES=/archive/letters")
    assert (checkout / "lakes").is_dir()


@pytest.mark.parametrize("lake", ["out/lake", "./out/sample-300/lake"])
def test_a_lake_of_notes_where_clean_works_is_refused(checkout: Path, lake: str) -> None:
    done = make(checkout, "run", "NOTES=/archive/letters", f"LAKE={lake}")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"LAKE={lake} lies in out/" in done.stderr


@pytest.mark.parametrize("name", ["lake", "sample-20/lake/mine", "sample-mine/lake"])
def test_clean_removes_nothing_while_a_lake_of_real_letters_lies_there(checkout: Path, name: str) -> None:
    lake, sample = lake_of(checkout / "out" / name), lake_of(checkout / "out" / "sample-300" / "lake")
    (checkout / "dist").mkdir()
    done = make(checkout, "clean")
    assert done.returncode == 2
    assert done.stderr.splitlines()[:-1] == [
        "make clean: nothing removed: move these lakes out of out/ first; their keys cannot be made again:",
        f"out/{name}",
    ]
    assert (lake / "restricted" / "key").exists() and sample.exists() and (checkout / "dist").exists()


def test_clean_removes_the_lakes_of_samples_and_what_else_was_made(checkout: Path) -> None:
    lake_of(checkout / "out" / "sample-20" / "lake")
    (checkout / "gazetteers" / "compiled").mkdir()
    assert [make(checkout, "clean").returncode for _ in range(2)] == [0, 0]
    assert not (checkout / "out").exists()
    assert {path.name for path in checkout.iterdir()} == {
        "Makefile", "pyproject.toml", "constraints.txt", "requirements.txt", "docker", "gazetteers", ".venv",
    }  # fmt: skip
