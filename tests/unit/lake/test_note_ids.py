"""The lake's key: created once, completely or not at all, and never again for a lake whose ids depend on it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from deid_core.core import files
from deid_core.core.errors import SecretMissingError
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ids import NoteIds, note_ids, note_ids_for_run


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A new lake."""
    lake = Lake.at(tmp_path / "lake")
    lake.prepare()
    return lake


def commit(table: Path) -> None:
    """Make a table look as if it had a commit."""
    (table / "_delta_log").mkdir(parents=True)
    (table / "_delta_log" / "00000000000000000000.json").touch()


def test_a_key_is_made_once(lake: Lake) -> None:
    first = note_ids_for_run(lake).id_of("a.txt")
    assert note_ids_for_run(lake).id_of("a.txt") == note_ids(lake).id_of("a.txt") == first
    assert [path.name for path in lake.restricted.iterdir()] == ["key"]
    assert lake.key.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("left", ["", "ab", "x" * 64, "ü"])
def test_a_malformed_key_is_replaced_in_a_new_lake(lake: Lake, left: str) -> None:
    lake.key.write_text(left, encoding="utf-8")
    assert len(note_ids_for_run(lake).id_of("a.txt")) == 32


@pytest.mark.parametrize("table", ["ledger", "deidentified", "phi_audit", "runs"])
@pytest.mark.parametrize("left", [None, "", "ab"])
def test_no_key_is_made_for_a_lake_with_tables(lake: Lake, table: str, left: str | None) -> None:
    commit(getattr(lake, table))
    if left is not None:
        lake.key.write_text(left)
    with pytest.raises(SecretMissingError, match="restore it"):
        note_ids_for_run(lake)
    assert (lake.key.read_text() if lake.key.exists() else None) == left


def test_a_crash_while_the_key_is_written_leaves_no_key(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space"):
        patch.setattr("deid_core.lake.notes.ids.os.fsync", full)
        note_ids_for_run(lake)
    assert list(lake.restricted.iterdir()) == []
    assert len(note_ids_for_run(lake).id_of("a.txt")) == 32


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_key_is_made_on_storage_without_hard_links(lake: Lake, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(files.os, "link", refusing(number))
    first = note_ids_for_run(lake).id_of("a.txt")
    assert note_ids_for_run(lake).id_of("a.txt") == first
    assert [path.name for path in lake.restricted.iterdir()] == ["key"]
    assert lake.key.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("can_link", [True, False])
def test_a_key_restored_meanwhile_is_kept(lake: Lake, monkeypatch: pytest.MonkeyPatch, can_link: bool) -> None:
    """For example a backup that somebody restores at that moment."""
    if not can_link:
        monkeypatch.setattr(files.os, "link", refusing(errno.EPERM))
    monkeypatch.setattr("deid_core.lake.notes.ids.os.fsync", lambda _: lake.key.write_text("5e" * 32 + "\n"))
    assert note_ids_for_run(lake).id_of("a.txt") == NoteIds(b"\x5e" * 32).id_of("a.txt")
    assert [path.name for path in lake.restricted.iterdir()] == ["key"]


def test_a_key_that_cannot_be_named_leaves_nothing(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(OSError, match="Input/output"):
        patch.setattr(files.os, "link", refusing(errno.EIO))
        note_ids_for_run(lake)
    assert list(lake.restricted.iterdir()) == []


def refusing(number: int) -> Callable[..., None]:
    """Return a function that fails with this system error."""

    def refused(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    return refused


def test_another_lakes_key_is_refused(lake: Lake) -> None:
    """With it every file would be new, and every note would be withdrawn and made again under another id."""
    note_id = note_ids_for_run(lake).id_of("a.txt")
    states = ["deleted", "converted"]
    rows = {"note_id": ["of an older key", note_id], "path": ["a.txt", "a.txt"], "state": states}
    write_deltalake(str(lake.ledger), pa.table(rows))
    assert note_ids(lake).id_of("a.txt") == note_id
    lake.key.write_text("5e" * 32 + "\n")
    for ids in (note_ids, note_ids_for_run):
        with pytest.raises(SecretMissingError, match="restore this lake's own"):
            ids(lake)
