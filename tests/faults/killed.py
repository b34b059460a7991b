"""A run that kills itself with SIGKILL at a place: `python killed.py PLACE run --input …`. For the tests alone.

What delta-rs writes is on the disk and committed within a millisecond, too short to aim a signal at. So the state of a
kill in between is made: delta-rs writes into a copy of the table, and only the data files of it come into the table.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any

from deid_core.cli import main
from deid_core.lake import delta_reader, maintenance, tables, withdraw
from deid_core.spark import convert, deidentify, run


class When(Enum):
    """At which moment of a step."""

    BEFORE = auto()
    AFTER = auto()
    FIRST_FILE = auto()
    """When Spark has begun the step's first data file; it commits when all are written."""
    UNCOMMITTED = auto()
    """When delta-rs has written a commit's data files and not the commit."""
    RENAMED = auto()
    """After the step's first rename of a folder."""
    REMOVED = auto()
    """After the step's first removal of a file."""


@dataclass(frozen=True, slots=True)
class Place:
    """A moment of a step: a function of a module or a method; `call` counts the run's calls of it from 1.

    merging: whether the run has to write small files anew, for which nights before have to have left some.
    """

    owner: Any
    step: str
    when: When
    call: int = 1
    merging: bool = False


PLACES = {
    "before texts are withdrawn": Place(withdraw, "withdraw", When.BEFORE),
    "while texts are withdrawn": Place(tables.Table, "delete_notes", When.UNCOMMITTED),
    "after texts are withdrawn, before their audit is": Place(tables.Table, "delete_notes", When.AFTER),
    "before raw texts are erased": Place(withdraw, "erase_raw", When.BEFORE),
    "after raw texts are erased": Place(withdraw, "erase_raw", When.AFTER),
    "while the ledger is told of deleted notes": Place(tables.Table, "upsert", When.UNCOMMITTED),
    "before the batch is moved in": Place(convert, "_move_in", When.BEFORE),
    "while the batch is moved in": Place(convert, "_move_in", When.RENAMED),
    "while the batch is named in the ledger": Place(tables.Table, "upsert", When.UNCOMMITTED, call=2),
    "after the batch is named in the ledger": Place(tables.Table, "upsert", When.AFTER, call=2),
    "while raw files put together are moved in": Place(maintenance, "compact_raw_notes", When.RENAMED, merging=True),
    "while the ledger is told of raw files put together": Place(
        tables.Table, "upsert", When.UNCOMMITTED, call=3, merging=True
    ),
    "while the texts are told of raw files put together": Place(
        tables.Table, "map_column", When.UNCOMMITTED, merging=True
    ),
    "before the audit is written": Place(deidentify, "write_audit", When.BEFORE),
    "while the audit is written": Place(deidentify, "write_audit", When.FIRST_FILE),
    "after the audit is written": Place(deidentify, "write_audit", When.AFTER),
    "while the texts are written": Place(deidentify, "write_texts", When.FIRST_FILE),
    "after the texts are written": Place(deidentify, "write_texts", When.AFTER),
    "while the counts are written": Place(tables.Table, "overwrite", When.UNCOMMITTED),
    "while dead files are removed": Place(maintenance, "remove_dead_files", When.REMOVED),
    "before the run is recorded": Place(run, "_write_run", When.BEFORE),
    "while a table's small files are written anew": Place(tables.Table, "compact", When.UNCOMMITTED, merging=True),
}
"""In the order of a run; the last needs files that all nights before it left."""


def break_off_at(place: Place, lake: Path) -> None:
    """Puts the kill into this process's program."""
    step: Callable[..., Any] = getattr(place.owner, place.step)
    calls = 0

    def broken(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == place.call:
            _before(place.when, lake)
        result = step(*args, **kwargs)
        if calls == place.call and place.when is When.AFTER:
            _kill()
        return result

    setattr(place.owner, place.step, broken)


def _before(when: When, lake: Path) -> None:
    """What has to be set up when the step begins."""
    match when:
        case When.BEFORE:
            _kill()
        case When.FIRST_FILE:
            threading.Thread(target=_kill_at_new_file, args=(lake, _files(lake)), daemon=True).start()
        case When.UNCOMMITTED:
            tables.write_deltalake = _write_without_commit(tables.write_deltalake)
            tables.optimize = _write_without_commit(tables.optimize)
        case When.RENAMED:
            _kill_after_first("rename")
        case When.REMOVED:
            _kill_after_first("unlink")


def _write_without_commit(write: Callable[..., None]) -> Callable[..., None]:
    def killed(table: str, *args: Any, **kwargs: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(table, Path(folder) / "table")
            there = set(delta_reader.data_files(copy))
            write(str(copy), *args, **kwargs)
            for file in set(delta_reader.data_files(copy)) - there:
                target = Path(table) / file.relative_to(copy)
                target.parent.mkdir(exist_ok=True)
                shutil.copy(file, target)
        _kill()

    return killed


def _kill_after_first(name: str) -> None:
    method: Callable[..., Any] = getattr(Path, name)

    def once(*args: Any, **kwargs: Any) -> None:
        method(*args, **kwargs)
        _kill()

    setattr(Path, name, once)


def _kill_at_new_file(lake: Path, before: set[Path]) -> None:
    while not _files(lake) - before:
        time.sleep(0.001)
    _kill()


def _files(lake: Path) -> set[Path]:
    """Data files of the tables, those that are being written too."""
    return {p for p in lake.rglob("*.parquet") if "staging" not in p.parts and "notes" not in p.parts}


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    arguments = sys.argv[2:]
    break_off_at(PLACES[sys.argv[1]], Path(arguments[arguments.index("--lake") + 1]))
    raise SystemExit(main(arguments))
