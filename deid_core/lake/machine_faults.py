"""Says in plain words what the machine did to a run: a disk that is full, storage that cannot be written or went away.

Such an error comes up as an OSError here or on an executor, as a Java exception from Spark, or as an error of delta-rs.
Its message may quote what was being written, so it is looked through for the operating system's own words and never
repeated. What an executor lacks comes in a line of its own, which is made here and quotes nothing.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from deid_core.core.errors import ConfigurationError, DeidError, TryAgainError

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
_LACKING = "an executor cannot work: "
_LACKING_LINE = re.compile(rf"^jobs\.worker\.TaskError: {_LACKING}(?P<problems>\[.*\])$", re.MULTILINE)
"""As Python's traceback ends with it; elsewhere in a message the words may be quoted from anything."""


@contextmanager
def machine_faults_told(lake: Path) -> Iterator[None]:
    """Turns an error of the machine's storage into a TryAgainError, what an executor lacks into a ConfigurationError.

    Other errors pass. lake: its root, for the message.
    """
    try:
        yield
    except DeidError:
        raise
    except Exception as error:
        if problems := _problems_in(error):
            raise ConfigurationError(problems) from None
        number = _number_of(error)
        if number is None:
            raise
        raise TryAgainError(
            f"--lake {lake}: {_TOLD[number]} (the lake's or that of temporary files). What was committed stays as it "
            "is and can be read; the next run goes on from there"
        ) from None


def system_words(error: BaseException) -> str | None:
    """The operating system's words for what storage did, if that is behind this error; None if not."""
    number = _number_of(error)
    return None if number is None else os.strerror(number)


def lacking(error: ConfigurationError) -> str:
    """One line that stands for what an executor lacks, whatever Java puts around it on its way to the driver."""
    return _LACKING + json.dumps(error.problems)


def _problems_in(error: BaseException) -> list[str]:
    """The problems that `lacking` put into this error or a cause of it; [] if it did not."""
    for cause in _causes(error):
        if line := _LACKING_LINE.search(str(cause)):
            with suppress(ValueError):
                problems = json.loads(line["problems"])
                if all(isinstance(problem, str) for problem in problems):
                    return list(problems)
    return []


def _number_of(error: BaseException) -> int | None:
    """The system's number of the fault of storage that this error, or what it tells of its causes, is; None if none."""
    causes = list(_causes(error))
    return next((number for number in _TOLD if any(_is(cause, number) for cause in causes)), None)


def _is(error: BaseException, number: int) -> bool:
    return (isinstance(error, OSError) and error.errno == number) or os.strerror(number) in str(error)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__
