"""Says in plain words what the machine did to a run: a disk that is full, storage that cannot be written or went away.

Such an error comes up as an OSError here, as a Java exception from Spark, or as an error of delta-rs. Its message may
quote what was being written, so it is looked through for the operating system's own words and never repeated.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deid_core.errors import DeidError, TryAgainError

_TOLD = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the account's disk quota is used up",
    errno.EFBIG: "a file would be larger than this process may write",
    errno.EROFS: "the storage is read only",
    errno.EACCES: "the account may not write there",
    errno.EIO: "the storage reports an input or output error",
    errno.ESTALE: "the network storage went away",
    errno.ENOTCONN: "the network storage went away",
}


@contextmanager
def storage_faults_told(lake: Path) -> Iterator[None]:
    """Turns an error of the machine's storage into a TryAgainError; others pass.

    lake: its root, for the message.
    """
    try:
        yield
    except DeidError:
        raise
    except Exception as error:
        told = next((told for number, told in _TOLD.items() if _is(error, number)), None)
        if told is None:
            raise
        raise TryAgainError(
            f"--lake {lake}: {told} (the lake's or that of temporary files). What was committed stays as it is and can "
            "be read; the next run goes on from there"
        ) from None


def _is(error: BaseException, number: int) -> bool:
    """Whether this error, or what it tells of its causes, is the system's error of this number."""
    words = os.strerror(number)
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        if isinstance(cause, OSError) and cause.errno == number:
            return True
        if words in str(cause):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
