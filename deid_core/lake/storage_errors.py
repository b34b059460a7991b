"""Translate storage errors of a run into plain words: a full disk, storage that is read only or disconnected.

Such an error appears as an OSError here or on an executor, as a Java exception of Spark, or as an error of delta-rs.
Its message may quote what was being written. So this module searches it for the operating system's own words and never
repeats it. An executor reports what it lacks on a line of its own, which is built here and quotes nothing.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import format_exception_only

from deid_core.core.errors import ConfigurationError, DeidError, TryAgainError, quoted

_MEANING = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the account's disk quota is used up",
    errno.EFBIG: "a file would be larger than this process may write",
    errno.EROFS: "the storage is read only",
    errno.EACCES: "the account may not write there",
    errno.EIO: "the storage reports an input or output error",
    errno.ESTALE: "the network storage was disconnected",
    errno.ENOTCONN: "the network storage was disconnected",
}
_LACKING, _AGAIN = "an executor cannot work", "an executor asks to try again"
_CARRIED_LINE = re.compile(
    rf"^deid_core\.spark\.task_base\.TaskError: (?P<kind>{_LACKING}|{_AGAIN}): (?P<problems>\[.*\])$", re.MULTILINE
)
"""The last line of Python's traceback. Elsewhere in a message the same words may be a quotation."""


@contextmanager
def storage_errors_translated(lake: Path) -> Iterator[None]:
    """Turn a storage error into a TryAgainError, and what an executor carried here into the executor's own error.

    Also one if another program wrote to a table meanwhile, since the lake's lock keeps out deid alone. Other errors
    pass. lake: its root, for the message.
    """
    try:
        yield
    except DeidError:
        raise
    except Exception as error:
        if from_executor := _carried_in(error):
            raise from_executor from None
        number = _errno_of(error)
        if number is None and _is_conflict(error):
            raise TryAgainError(
                f"--lake {quoted(lake)}: another program wrote to a table of the lake at the same time; only deid may "
                "write there. What was committed is intact and readable; the next run continues from there"
            ) from None
        if number is None:
            raise
        raise TryAgainError(
            f"--lake {quoted(lake)}: {_MEANING[number]} (the lake's or that of temporary files). What was committed is "
            "intact and readable; the next run continues from there"
        ) from None


def storage_error_text(error: BaseException) -> str | None:
    """Return the operating system's words for the storage error that caused this error; None if none did."""
    number = _errno_of(error)
    return None if number is None else os.strerror(number)


def carried(error: ConfigurationError | TryAgainError) -> str:
    """Return one line that carries an executor's error to the driver, whatever Java adds around it."""
    if isinstance(error, ConfigurationError):
        return f"{_LACKING}: {json.dumps(error.problems)}"
    return f"{_AGAIN}: {json.dumps([str(error)])}"


def _carried_in(error: BaseException) -> ConfigurationError | TryAgainError | None:
    """Return the error that `carried` put into this error or one of its causes; None if there is none."""
    for cause in _causes(error):
        if line := _CARRIED_LINE.search("".join(format_exception_only(cause))):
            with suppress(ValueError):
                problems = json.loads(line["problems"])
                if all(isinstance(problem, str) for problem in problems):
                    return TryAgainError(*problems) if line["kind"] == _AGAIN else ConfigurationError(problems)
    return None


def _is_conflict(error: BaseException) -> bool:
    # Executors have no deltalake.
    from deltalake.exceptions import CommitFailedError

    return any(isinstance(cause, CommitFailedError) for cause in _causes(error))


def _errno_of(error: BaseException) -> int | None:
    """Return the error number of the storage error among this error and its causes; None if there is none."""
    causes = list(_causes(error))
    return next((number for number in _MEANING if any(_is(cause, number) for cause in causes)), None)


def _is(error: BaseException, number: int) -> bool:
    return (isinstance(error, OSError) and error.errno == number) or os.strerror(number) in str(error)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its chain of causes."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__
