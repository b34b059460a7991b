"""A run that loses its storage after listing its files: `python broken.py WHAT FOLDER run --input …`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deid_core.cli import main
from deid_core.spark import convert_notes

FOLDER = Path(sys.argv[2])
HAPPENINGS: dict[str, Callable[[], object]] = {
    "make read only": lambda: _make_read_only(FOLDER),
    "take input away": lambda: FOLDER.rename(FOLDER.with_name("elsewhere")),
}


def _make_read_only(folder: Path) -> None:
    """Mount the folder over itself read only. Files open for writing would make a plain remount fail."""
    for options in (["--bind", str(folder), str(folder)], ["-o", "remount,bind,ro", str(folder)]):
        subprocess.run(["mount", *options], check=True)


def happens(what: str) -> None:
    """Make it happen before the first file is read."""
    read: Callable[..., Any] = convert_notes._read_notes

    def broken(*args: Any) -> Any:
        # Starts the session, which needs the lake's storage.
        _ = args[0].spark
        HAPPENINGS[what]()
        return read(*args)

    convert_notes._read_notes = broken


if __name__ == "__main__":
    happens(sys.argv[1])
    raise SystemExit(main(sys.argv[3:]))
