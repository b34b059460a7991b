"""The folder of Spark's temporary files on one machine: one a process, removed by the next one if it was killed.

The files are encrypted, but SIGKILL leaves them. The folder's lock is held by the process and by its JVM, which may
live a moment longer, so a folder whose lock is free belongs to nobody.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LOCK = "lock"


@dataclass(frozen=True, slots=True)
class TemporaryFolder:
    """A folder, and the descriptor of its lock, which a child process has to inherit."""

    path: Path
    descriptor: int

    @staticmethod
    def new() -> TemporaryFolder:
        """Return a new folder for temporary files. Remove those of this account that no process uses any more."""
        for left in _unused():
            shutil.rmtree(left, ignore_errors=True)
        new = Path(tempfile.mkdtemp(prefix="deid-new-"))
        descriptor = os.open(new / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Only now: others take a folder of this name for unused if its lock is free.
        folder = new.with_name(new.name.replace("deid-new-", _prefix()))
        new.rename(folder)
        return TemporaryFolder(folder, descriptor)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.descriptor)


def _prefix() -> str:
    return f"deid-spark-{os.getuid()}-"


def _unused() -> Iterator[Path]:
    """Yield the folders whose lock is free."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_prefix()}*"):
        try:
            descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield folder
        except BlockingIOError:
            continue
        finally:
            os.close(descriptor)
