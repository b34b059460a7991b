"""The lock that keeps two runs from working on one lake, and its owner: host, process, start.

A kernel lock on restricted/lock ends with its process, however that ends. But on network storage it may hold on one
host only. So restricted/lock.json names the owner during a run. On the owner's host the kernel lock shows whether the
process still exists. Only a person can judge what a process of another host left.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from deid_core.core.errors import TryAgainError, quoted
from deid_core.core.files import name_if_free
from deid_core.lake.layout import Lake


@dataclass(frozen=True, slots=True)
class Owner:
    """A run's process. started: ISO 8601, UTC."""

    host: str
    pid: int
    started: str

    @staticmethod
    def this_process() -> Owner:
        """Return the calling process."""
        return Owner(socket.gethostname(), os.getpid(), datetime.now(UTC).isoformat(timespec="seconds"))

    def described(self) -> str:
        """Return process, host, start and age in minutes, for a message."""
        minutes = (datetime.now(UTC) - datetime.fromisoformat(self.started)).total_seconds() / 60
        return f"process {self.pid} on {self.host}, since {self.started} ({minutes:.0f} minutes)"


@dataclass(frozen=True, slots=True)
class Lock:
    """A held lock.

    descriptor: of the kernel lock; a process that inherits it holds the lock as well, until it ends.
    died: the previous owner, if it ended without releasing the lake.
    """

    descriptor: int
    died: Owner | None


@contextmanager
def locked(lake: Lake) -> Iterator[Lock]:
    """Hold the lake for one run.

    Raises TryAgainError if another run holds it, or one on another host never released it.
    """
    descriptor = os.open(lake.lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    owner_file = lake.lock_owner
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TryAgainError(
                f"--lake {quoted(lake.root)}: another run holds it: {_described(owner_file)}; start again when it has "
                "ended"
            ) from None
        me = Owner.this_process()
        previous = _take(lake, owner_file, me)
        try:
            yield Lock(descriptor, previous)
        finally:
            # Somebody may have removed the file by hand, and another host's run may own the lake now.
            if _read(owner_file) == me:
                owner_file.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _take(lake: Lake, owner_file: Path, me: Owner) -> Owner | None:
    """Write this process into the owner file. Return the previous owner if it was a dead process of this host.

    Raises TryAgainError if a process of another host is the owner.
    """
    new = owner_file.with_name(f"lock.{me.host}.new")
    try:
        with new.open("w", encoding="utf-8") as file:
            file.write(json.dumps(asdict(me)))
            file.flush()
            os.fsync(file.fileno())
        if name_if_free(new, owner_file):
            return None
        previous = _read(owner_file)
        if previous is not None and previous.host != me.host:
            raise TryAgainError(
                f"--lake {quoted(lake.root)}: another run holds it: {previous.described()}. If that process no longer "
                f"exists, remove {quoted(owner_file)}"
            )
        if not owner_file.exists():
            raise TryAgainError(f"--lake {quoted(lake.root)}: another run held it: {_described(owner_file)}")
        # This host's own: the kernel lock shows that its process is dead, and other hosts do not touch it.
        new.replace(owner_file)
        # NFS may report that a link exists which it has just made for us.
        return previous if previous != me else None
    finally:
        new.unlink(missing_ok=True)


def _read(path: Path) -> Owner | None:
    """Return the owner in the file; None if there is no file, or an incomplete one that nobody will ever complete."""
    try:
        return Owner(**json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _described(path: Path) -> str:
    owner = _read(path)
    return owner.described() if owner else "it has just begun or just ended"
