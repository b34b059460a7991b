"""Files that could not be read: their own fault, or that of an unavailable folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError, TryAgainError
from deid_core.lake.inputs import content_readers
from deid_core.lake.inputs.folder import InputFolder

FILES = 250
"""More than the sample."""


@pytest.fixture
def source(tmp_path: Path) -> InputFolder:
    """A folder of existing files."""
    paths = [tmp_path / "input" / f"{number}.txt" for number in range(FILES)]
    paths[0].parent.mkdir()
    for path in paths:
        path.write_text("x")
    return InputFolder(paths[0].parent, [os.fsencode(path) for path in paths])


def unreadable(monkeypatch: pytest.MonkeyPatch, *paths: bytes) -> None:
    """Imitate file modes, which do not stop root: these files exist and cannot be opened."""
    access, sha256_of = os.access, content_readers.sha256_of
    monkeypatch.setattr(content_readers.os, "access", lambda path, mode: path not in paths and access(path, mode))
    monkeypatch.setattr(content_readers, "sha256_of", lambda path: "" if path in paths else sha256_of(path))


def test_files_that_nobody_can_read_do_not_stop_a_run(source: InputFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds even if a night has no others to read."""
    own = source.listed[:2]
    unreadable(monkeypatch, *own)
    source.check_available(own, 0.5)


def test_files_on_bad_sectors_do_not_stop_a_run(source: InputFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """They can be opened but not read."""
    monkeypatch.setattr(content_readers, "sha256_of", lambda path: "")
    source.check_available(source.listed[:2], 0.5)


def test_a_few_missing_files_do_not_stop_a_run(source: InputFolder) -> None:
    for path in source.listed[:3]:
        os.unlink(path)
    source.check_available(source.listed[:3], 0.5)


@pytest.mark.parametrize("left", ["nothing", "an empty folder"])
def test_a_folder_that_disappeared(source: InputFolder, left: str) -> None:
    """An unmounted folder leaves its mount point. One unread file is enough to notice."""
    source.path.rename(source.path.with_name("elsewhere"))
    if left == "an empty folder":
        source.path.mkdir()
    with pytest.raises(TryAgainError, match="is it mounted, may this account read it"):
        source.check_available(source.listed[:1], 0.5)


def test_files_that_only_executors_cannot_read(source: InputFolder) -> None:
    with pytest.raises(TryAgainError, match="mounted on every worker"):
        source.check_available(source.listed[:2], 0.5)
    # Somebody saved it at that moment.
    source.check_available(source.listed[:1], 0.5)


def test_nothing_is_tested_if_all_was_read(source: InputFolder) -> None:
    source.path.rename(source.path.with_name("elsewhere"))
    source.check_available([], 0.5)


def test_a_file_is_no_folder(source: InputFolder) -> None:
    with pytest.raises(ConfigurationError, match="is a file; a table needs --id and --text"):
        InputFolder(source.path / "0.txt").check(first_run=True)
