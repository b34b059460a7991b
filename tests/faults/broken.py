"""A run to which something happens once it has listed its files: `python broken.py WHAT FOLDER run --input …`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deid_core.cli import main
from deid_core.spark import convert

FOLDER = Path(sys.argv[2])
HAPPENINGS: dict[str, Callable[[], object]] = {
    "make read only": lambda: _make_read_only(FOLDER),
    "take input away": lambda: FOLDER.rename(FOLDER.with_name("elsewhere")),
}


def _make_read_only(folder: Path) -> None:
    """Mounts the folder over itself: files that are open for writing would keep a plain remount from working."""
    for options in (["--bind", str(folder), str(folder)], ["-o", "remount,bind,ro", str(folder)]):
        subprocess.run(["mount", *options], check=True)


def happens(what: str) -> None:
    """Puts it before the first file is read."""
    read: Callable[..., Any] = convert._read_files

    def broken(*args: Any) -> Any:
        # Starts the session: what it needs of the lake's storage it has had.
        _ = args[0].spark
        HAPPENINGS[what]()
        return read(*args)

    convert._read_files = broken


if __name__ == "__main__":
    happens(sys.argv[1])
    raise SystemExit(main(sys.argv[3:]))
