"""A file is written as a whole or not at all, with the mode that was asked for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from deid_core.core import files
from deid_core.core.files import PRIVATE, write_whole


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_readable_by_all_whatever_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write_whole(path, b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", 0o644)


def test_a_private_file_is_its_owners_alone_whatever_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o666)
    # No moment at which it is wider: the mode is that of its first byte.
    monkeypatch.delattr(os, "chmod")
    write_whole(path, b"new", mode=PRIVATE)
    assert (path.read_bytes(), mode(path)) == (b"new", 0o600)


@pytest.mark.parametrize("failing", ["replace", "fdopen"])
def test_a_failure_leaves_the_old_file_and_nothing_beside_it(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail(*arguments: object) -> None:
        raise OSError("full")

    monkeypatch.setattr(files.os, failing, fail)
    with pytest.raises(OSError, match="full"):
        write_whole(path, b"new")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a", b"old")]
