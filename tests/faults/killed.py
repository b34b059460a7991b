"""A run that kills itself with SIGKILL at a place: `python killed.py PLACE run --input …`. For the tests alone.

before, after: around a step. during: when the first new file of the step appears in the table's folder, or after a
step's first rename or removal.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deid_core.cli import main
from jobs import convert, deidentify, erase, run, tables, upkeep

PLACES: dict[str, tuple[Any, str, str]] = {
    "before texts are withdrawn": (erase, "withdraw", "before"),
    "while texts are withdrawn": (tables.Table, "take_out", "during"),
    "before raw texts are erased": (erase, "erase_raw", "before"),
    "after raw texts are erased": (erase, "erase_raw", "after"),
    "before the batch is moved in": (convert, "_move_in", "before"),
    "while the batch is moved in": (convert, "_move_in", "rename"),
    "while the batch is named in the ledger": (tables.Table, "upsert", "during"),
    "after the batch is named in the ledger": (convert, "_count", "before"),
    "before the audit is written": (deidentify, "write_audit", "before"),
    "while the audit is written": (deidentify, "write_audit", "during"),
    "after the audit is written": (deidentify, "write_audit", "after"),
    "while the texts are written": (deidentify, "write_texts", "during"),
    "after the texts are written": (deidentify, "write_texts", "after"),
    "while the counts are written": (tables.Table, "overwrite", "during"),
    "while dead files are removed": (upkeep, "remove_dead_files", "unlink"),
    "before the run is told": (run, "_write_run", "before"),
}


def break_off_at(place: str, lake: Path) -> None:
    """Puts the kill into this process's program."""
    owner, name, when = PLACES[place]
    step: Callable[..., Any] = getattr(owner, name)

    def broken(*args: Any, **kwargs: Any) -> Any:
        if when == "before":
            _kill()
        elif when == "during":
            threading.Thread(target=_kill_at_new_file, args=(lake, _files(lake)), daemon=True).start()
        elif when in ("rename", "unlink"):
            _kill_after_first(when)
        result = step(*args, **kwargs)
        if when in ("after", "during"):
            _kill()
        return result

    setattr(owner, name, broken)


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
    time.sleep(60)


if __name__ == "__main__":
    arguments = sys.argv[2:]
    break_off_at(sys.argv[1], Path(arguments[arguments.index("--lake") + 1]))
    raise SystemExit(main(arguments))
