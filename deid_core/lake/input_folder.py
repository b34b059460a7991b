"""Whether the input folder is still there when some of its files could not be read.

If it went away in mid-run, or was never there on an executor, its notes must keep the texts that they have. A file that
nobody can read (of another account, on bad sectors) is that file's fault, however few others the night has.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deid_core.core.errors import TryAgainError
from deid_core.lake.hashing import sha256_of

_SAMPLE = 100
"""Files that are looked at, at most: enough for a share, quick on network storage."""
_LEFT_OUT = "This batch was left out, what was done before it stays"


@dataclass(frozen=True, slots=True)
class InputFolder:
    """The folder and the paths of all its files, as they were listed."""

    path: Path
    listed: Sequence[bytes]

    def check_still_there(self, unread: Sequence[bytes], allowed_share: float) -> None:
        """Looks, from this process, at the folder, at files of all of it and at those that executors could not read.

        unread: paths of the files of a batch that executors could not open or read. allowed_share: of the files looked
        at that may be away, or that may be read here and could not be there.
        Raises TryAgainError if the folder is away, here or for executors; nothing may be committed then.
        """
        if not unread:
            return
        sample = _spread(self.listed)
        away = sum(not os.access(path, os.R_OK) for path in sample)
        if not os.path.isdir(self.path) or (away > 1 and away > allowed_share * len(sample)):
            raise TryAgainError(
                f"--input {self.path}: {len(unread)} files could not be opened after they were listed, and of "
                f"{len(sample)} looked at {away} cannot; is the folder still there, is it mounted, may this account "
                f"read it? {_LEFT_OUT}"
            )
        sample = _spread(unread)
        readable = sum(bool(sha256_of(path)) for path in sample)
        # One may have been away for the moment in which somebody saved it.
        if readable > 1 and readable > allowed_share * len(sample):
            raise TryAgainError(
                f"--input {self.path}: executors could not open {len(unread)} files; of {len(sample)} looked at, this "
                f"process can read {readable}; is the folder mounted on every worker, under this path and for this "
                f"account? {_LEFT_OUT}"
            )


def _spread(paths: Sequence[bytes]) -> Sequence[bytes]:
    """At most so many of them, from all over."""
    return paths[:: -(-len(paths) // _SAMPLE)]
