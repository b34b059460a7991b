"""The lock that keeps two runs apart on one lake, with its owner: which host and process, since when.

A kernel lock on restricted/lock ends with its process, however that ends, but may hold on one host alone where the lake
lies on network storage. So restricted/lock.json names the owner while it works. On the owner's host the kernel lock
says whether the process is still there; what another host's process left, only a person can judge.
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

from deid_core.core.errors import TryAgainError
from deid_core.lake.layout import Lake
from deid_core.lake.links import name_if_free


@dataclass(frozen=True, slots=True)
class Owner:
    """A run's process. started: ISO 8601, UTC."""

    host: str
    pid: int
    started: str

    @staticmethod
    def this_process() -> Owner:
        """The one that asks."""
        return Owner(socket.gethostname(), os.getpid(), datetime.now(UTC).isoformat(timespec="seconds"))

    def described(self) -> str:
        """Who it is, since when, and how long that is in minutes."""
        minutes = (datetime.now(UTC) - datetime.fromisoformat(self.started)).total_seconds() / 60
        return f"process {self.pid} on {self.host}, since {self.started} ({minutes:.0f} minutes)"


@dataclass(frozen=True, slots=True)
class Lock:
    """A lake that is held.

    descriptor: of the kernel lock; a process that inherits it holds the lock too, until it ends.
    died: the owner before, if it ended without giving the lake back.
    """

    descriptor: int
    died: Owner | None


@contextmanager
def locked(lake: Lake) -> Iterator[Lock]:
    """Holds the lake for one run.

    Raises TryAgainError if another run holds it, or did on another host and never gave it back.
    """
    descriptor = os.open(lake.restricted / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    named = lake.restricted / "lock.json"
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TryAgainError(f"--lake {lake.root}: another run is at work on it: {_described(named)}") from None
        me = Owner.this_process()
        before = _take(lake, named, me)
        try:
            yield Lock(descriptor, before)
        finally:
            # Who removed it by hand may have given the lake to another host.
            if _read(named) == me:
                named.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _take(lake: Lake, named: Path, me: Owner) -> Owner | None:
    """Makes this process the owner that the file names; who was it before, if a process of this host that is no more.

    Raises TryAgainError if another host's process is.
    """
    new = named.with_name(f"lock.{me.host}.new")
    try:
        with new.open("w", encoding="utf-8") as file:
            file.write(json.dumps(asdict(me)))
            file.flush()
            os.fsync(file.fileno())
        if name_if_free(new, named):
            return None
        before = _read(named)
        if before is not None and before.host != me.host:
            raise TryAgainError(
                f"--lake {lake.root}: another run is at work on it: {before.described()}. If that process is no more, "
                f"remove {named}"
            )
        if not named.exists():
            raise TryAgainError(f"--lake {lake.root}: another run was at work on it: {_described(named)}")
        # This host's: the kernel lock says that its process is no more, and other hosts leave it alone.
        new.replace(named)
        # NFS may say that a link was there which it has just made.
        return before if before != me else None
    finally:
        new.unlink(missing_ok=True)


def _read(path: Path) -> Owner | None:
    """The owner in the file; None if there is none, or half of one, which nobody can have finished writing."""
    try:
        return Owner(**json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _described(path: Path) -> str:
    owner = _read(path)
    return owner.described() if owner else "it has just begun or just ended"
