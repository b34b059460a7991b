"""Check that the input folder is still available when some of its files could not be read.

If the folder disappeared during the run, or was never mounted on an executor, its notes must keep their texts. A file
that nobody can read (another account's, or on bad sectors) is that file's own fault, however few other files a night
has.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deid_core.core.errors import TryAgainError
from deid_core.core.files import sha256_of

_SAMPLE = 100
"""Files to test, at most: enough to estimate a share, quick on network storage."""
_LEFT_OUT = "This batch was left out; earlier batches are kept"


@dataclass(frozen=True, slots=True)
class InputFolder:
    """The folder and the paths of all its files as they were listed."""

    path: Path
    listed: Sequence[bytes]

    def check_available(self, unread: Sequence[bytes], allowed_share: float) -> None:
        """Test, from this process, the folder, a sample of its files and those that executors could not read.

        unread: paths of the files of a batch that executors could not open or read.
        allowed_share: share of the tested files that may be missing, or that may be readable here but not there.
        Raises TryAgainError if the folder is unavailable here or on executors; nothing may be committed then.
        """
        if not unread:
            return
        sample = _spread(self.listed)
        missing = sum(not os.access(path, os.R_OK) for path in sample)
        if not os.path.isdir(self.path) or (missing > 1 and missing > allowed_share * len(sample)):
            raise TryAgainError(
                f"--input {self.path}: {len(unread)} files could not be opened after they were listed, and {missing} "
                f"of {len(sample)} tested files cannot be opened; is the folder still there, is it mounted, may this "
                f"account read it? {_LEFT_OUT}"
            )
        sample = _spread(unread)
        readable = sum(bool(sha256_of(path)) for path in sample)
        # A single file may have been missing for the moment in which somebody saved it.
        if readable > 1 and readable > allowed_share * len(sample):
            raise TryAgainError(
                f"--input {self.path}: executors could not open {len(unread)} files, but this process can read "
                f"{readable} of {len(sample)} tested; is the folder mounted on every worker, under this path and for "
                f"this account? {_LEFT_OUT}"
            )


def _spread(paths: Sequence[bytes]) -> Sequence[bytes]:
    """Return at most _SAMPLE of the paths, evenly spaced."""
    return paths[:: -(-len(paths) // _SAMPLE)]
