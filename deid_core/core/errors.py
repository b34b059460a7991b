"""Errors, named by what the caller should do, and the exit codes of the command line.

No message of these classes may hold text of a note: it ends up in logs. What a message may hold: a path that
the user gave, a setting's name, a file and line of a configuration or list, a reason from a closed list.
"""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Sequence
from enum import IntEnum, StrEnum
from pathlib import PurePath

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Of an OSError: storage is full, or takes no more from this account or process."""


class ExitCode(IntEnum):
    """Exit codes as in sysexits.h; a contract that schedulers rely on."""

    DONE = 0
    USAGE = 64
    QUARANTINE = 65
    INTERNAL = 70
    RETRY = 75
    SECRET = 78


def quoted(place: object) -> str:
    """Return a path or URL as it can be pasted into a shell."""
    return shlex.quote(str(place))


def no_such_lake(path: os.PathLike[str]) -> str:
    """Return the message for a lake that is not there."""
    return f"no such lake: {quoted(path)}; `deid run --input DIR --lake {quoted(path)}` makes one"


class DeidError(Exception):
    """Any error this project raises on purpose; `exit_code` is what the command line leaves with."""

    exit_code = ExitCode.INTERNAL


class ConfigurationError(DeidError):
    """The configuration, a list or the command line is wrong; fix it and start again.

    Holds every problem found, not the first: each a line "file:line: what is wrong, what to do".
    """

    exit_code = ExitCode.USAGE

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("\n".join(self.problems))


class SecretMissingError(DeidError):
    """A secret that must exist does not; restore it, do not make a new one."""

    exit_code = ExitCode.SECRET


class TryAgainError(DeidError):
    """Nothing is wrong with the input or the settings; the same call may work later."""

    exit_code = ExitCode.RETRY


class DamageFoundError(DeidError):
    """A file of a lake's table cannot be read. A run checks the whole lake then, and mends what it can."""

    exit_code = ExitCode.USAGE

    def __init__(self, table: PurePath) -> None:
        lake = table.parent.parent
        super().__init__(
            f"{table.relative_to(lake)}: a file is damaged; `deid check --lake {quoted(lake)}` says which, and what to "
            "do"
        )


class DamagedLakeError(DeidError):
    """Files of a lake are damaged, and only a person can repair them; `problems` says which, and how."""

    exit_code = ExitCode.USAGE

    def __init__(self, lake: os.PathLike[str], problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join([f"--lake {quoted(lake)}: files of the lake are damaged:", *self.problems]))


class NeedsAttentionError(DeidError):
    """A run is done, and somebody should look at its notes before they are used.

    `problems` has every reason, a line each: quarantine, years of files, a difference to the notes of earlier runs.
    """

    exit_code = ExitCode.QUARANTINE

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


class Reason(StrEnum):
    """Why a note is quarantined: the closed list of the ledger's column `reason`."""

    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    TOO_LARGE = "too_large"
    UNSUPPORTED = "unsupported"
    TIMEOUT = "timeout"
    EMPTY = "empty"
    UNSAFE = "unsafe"
    """Refused before it was opened: a zip bomb, an external entity, a path that leaves the archive."""
    VANISHED = "vanished"
    """Listed, but gone or unreadable when its turn came."""
    AMBIGUOUS = "ambiguous"
    """Rows of a table that differ have the same id, or rows have none. Equal rows count once."""
    CONVERTER_FAILED = "converter_failed"
    """LibreOffice crashed or gave nothing, in the batch and alone."""
    ENGINE_TIMEOUT = "engine_timeout"
    """A step of the engine ran out of time on this note, or a rule of recogniser `custom` out of its `timeout_s`."""
    KILLED = "killed"
    """The process that worked on it was killed, more than once: by the note, or since the machine ran out of memory."""
    LEAK = "leak"
    """The sweep found a known term in the note's output, redacted it, and found it again."""
    INTERNAL = "internal"
    """A fault of this program; the ledger's detail names the exception's class and place."""


class NoteError(DeidError):
    """One note could not be read or processed: quarantine it, go on with the others.

    `detail` says more without quoting the note: an exception's class, a size in bytes, a limit.
    """

    def __init__(self, reason: Reason, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason.value}: {detail}" if detail else reason.value)

    def __reduce__(self) -> tuple[type[NoteError], tuple[Reason, str]]:
        # By default it would be made of its message alone.
        return type(self), (self.reason, self.detail)


def place_of(error: BaseException) -> str:
    """Class, file and line of an exception, without its message, which might quote a note."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    return type(error).__name__ + where
