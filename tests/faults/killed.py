"""A command that kills itself with SIGKILL at a place: `python killed.py PLACE run --input …`.

delta-rs writes and commits within a millisecond, too short to aim a signal at. So the state after a kill in between is
imitated: delta-rs writes into a copy of the table, and only the new data files are copied back. Where the program
itself writes the files, it is killed before the commit.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any

from deid_core.certify import release, signed_folder
from deid_core.cli import main
from deid_core.lake.outputs import export, published_table
from deid_core.lake.outputs.published_table import PublishedTable
from deid_core.lake.patients import withdrawn
from deid_core.lake.runs import maintenance, note_removal
from deid_core.lake.tables import delta_reader, file_rewriting, lake_table
from deid_core.spark import convert_notes, deidentify_notes, run_lake


class When(Enum):
    """The moment within a step."""

    BEFORE = auto()
    AFTER = auto()
    UNCOMMITTED = auto()
    """When delta-rs has written a commit's data files but not the commit."""
    RENAMED = auto()
    """After the step's first rename of a folder."""
    REMOVED = auto()
    """After the step's first removal of a file."""


@dataclass(frozen=True, slots=True)
class Place:
    """A moment within a step, which is a function of a module or a method. `call` counts the run's calls of it from 1.

    merging: whether the run has to merge small files, which earlier nights must have left.
    """

    owner: Any
    step: str
    when: When
    call: int = 1
    merging: bool = False


PLACES = {
    "before texts are withdrawn": Place(note_removal, "remove_from_tables", When.BEFORE),
    "while texts are withdrawn": Place(lake_table.LakeTable, "delete_notes", When.UNCOMMITTED),
    "after texts are withdrawn, before their audit is": Place(lake_table.LakeTable, "delete_notes", When.AFTER),
    "before raw texts are erased": Place(note_removal, "erase_raw", When.BEFORE),
    "after raw texts are erased": Place(note_removal, "erase_raw", When.AFTER),
    "while the ledger marks deleted notes": Place(lake_table.LakeTable, "upsert", When.UNCOMMITTED),
    "before the batch is moved in": Place(convert_notes, "_move_in", When.BEFORE),
    "while the batch is moved in": Place(convert_notes, "_move_in", When.RENAMED),
    "while the batch is named in the ledger": Place(lake_table.LakeTable, "upsert", When.UNCOMMITTED, call=2),
    "after the batch is named in the ledger": Place(lake_table.LakeTable, "upsert", When.AFTER, call=2),
    "while merged raw files are moved in": Place(maintenance, "compact_raw_notes", When.RENAMED, merging=True),
    "while the ledger names the merged raw files": Place(
        lake_table.LakeTable, "upsert", When.UNCOMMITTED, call=3, merging=True
    ),
    "while the texts name the merged raw files": Place(
        lake_table.LakeTable, "map_columns", When.UNCOMMITTED, merging=True
    ),
    "before the audit is written": Place(deidentify_notes, "write_audit", When.BEFORE),
    "while the audit is written": Place(deidentify_notes, "write_audit", When.UNCOMMITTED),
    "after the audit is written": Place(deidentify_notes, "write_audit", When.AFTER),
    "while the detections are written": Place(deidentify_notes, "write_detections", When.UNCOMMITTED),
    "while the texts are written": Place(deidentify_notes, "write_texts", When.UNCOMMITTED),
    "after the texts are written": Place(deidentify_notes, "write_texts", When.AFTER),
    "while the counts are written": Place(lake_table.LakeTable, "overwrite", When.UNCOMMITTED),
    "while dead files are removed": Place(maintenance, "remove_dead_files", When.REMOVED),
    "before the run is recorded": Place(run_lake, "_write_run", When.BEFORE),
    "while a table's small files are merged": Place(lake_table.LakeTable, "compact", When.UNCOMMITTED, merging=True),
}
"""In the order of a run. The last needs the files that the nights before it left."""

OF_COMMANDS = {
    "withdraw": {
        "before the patient is listed": Place(lake_table.LakeTable, "add", When.BEFORE),
        "while the patient is listed": Place(lake_table.LakeTable, "add", When.UNCOMMITTED),
        "after the patient is listed": Place(lake_table.LakeTable, "add", When.AFTER),
        "while texts are removed": Place(lake_table.LakeTable, "delete_notes", When.UNCOMMITTED),
        "after texts are removed": Place(lake_table.LakeTable, "delete_notes", When.AFTER),
        "before readers' marks are removed": Place(withdrawn, "forget_reviews", When.BEFORE),
        "while raw texts are removed": Place(note_removal, "remove_notes", When.BEFORE),
        "after raw texts are removed": Place(note_removal, "erase_raw", When.AFTER),
        "while the ledger is written": Place(lake_table.LakeTable, "upsert", When.UNCOMMITTED),
        "after the ledger is written": Place(lake_table.LakeTable, "upsert", When.AFTER),
        "while dead files are removed": Place(maintenance, "remove_dead_files", When.REMOVED),
        "before the run is recorded": Place(run_lake, "_write_run", When.BEFORE),
    },
    "export": {
        "before the file is written": Place(export, "export_texts", When.BEFORE),
        "before the file has its name": Place(export, "export_texts", When.AFTER),
    },
    "publish": {
        "before a file is put": Place(PublishedTable, "_put", When.BEFORE),
        "while a file is written": Place(published_table.shutil, "copyfile", When.AFTER),
        "before the commit": Place(PublishedTable, "_commit", When.BEFORE),
        "after the commit": Place(PublishedTable, "_commit", When.AFTER),
        "while old files are removed": Place(PublishedTable, "_delete", When.AFTER),
        "between two tables": Place(PublishedTable, "_commit", When.BEFORE, call=2),
    },
    "release": {
        "before texts are written": Place(release, "_write_data", When.BEFORE),
        "before it is signed": Place(signed_folder, "sign", When.BEFORE),
        "before it is listed": Place(release, "_record", When.BEFORE),
        "before it has its name": Place(release, "_record", When.AFTER),
    },
}
"""Of commands that make no notes, in their order."""


def kill_at(place: Place, lake: Path) -> None:
    """Patch this process so that it kills itself at the place."""
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
    """Prepare the kill when the step starts."""
    match when:
        case When.BEFORE:
            _kill()
        case When.UNCOMMITTED:
            lake_table.write_deltalake = _write_without_commit(lake_table.write_deltalake)
            lake_table.optimize = _write_without_commit(lake_table.optimize)
            file_rewriting.commit = lambda *_: _kill()
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


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    arguments = sys.argv[2:]
    places = OF_COMMANDS.get(arguments[0], PLACES)
    kill_at(places[sys.argv[1]], Path(arguments[arguments.index("--lake") + 1]))
    raise SystemExit(main(arguments))
