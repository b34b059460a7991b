"""Read texts, write whole files, name them without replacing others, hash them, and keep them private."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deid_core.core.errors import ConfigurationError, TryAgainError, quoted

READABLE, PRIVATE = 0o644, 0o600
"""Modes of a file: readable by everybody, and by its owner alone."""
_UMASK = 0o077
_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""Errors of a file system that has no hard links."""


def write_whole(path: Path, data: bytes, *, mode: int = READABLE, synced: bool = False) -> None:
    """Write a temporary file beside the target and rename it. The mode is never wider than `mode`, not for a moment.

    synced: after a power cut the path has the old bytes or the new ones, each whole.

    Raises OSError; then nothing is left.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if synced:
                file.flush()
                os.fsync(file.fileno())
        # mkstemp made it private. Storage without modes refuses the call.
        if mode != PRIVATE:
            os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def name_if_free(new: Path, name: Path) -> bool:
    """Give the file `new` this name as well, unless another file has it. Return whether it did.

    Of two hosts that do this at once, one gets False. On storage without hard links the function checks and then
    renames, which two hosts may do at once. The lake's lock has to prevent that. The caller removes `new`, which may
    or may not exist afterwards.
    """
    try:
        os.link(new, name)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(name):
            return False
        new.replace(name)
    return True


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8. Raises ConfigurationError if it is none or cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: is not UTF-8") from None


def write_text(path: Path, text: str) -> None:
    """Write a text in UTF-8. Raises ConfigurationError if that fails."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written: {error.strerror}") from None


def part_of(folder: Path) -> Path:
    """Return the place where `new_folder` makes a folder."""
    return folder.with_name(f".{folder.name}.part")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty folder beside `folder`, which gets this name at the end: it is whole, or not there.

    After an error nothing is left. What a killed process left is removed.
    Raises TryAgainError if another process is making it, OSError.
    """
    part = part_of(folder)
    part.mkdir(exist_ok=True)
    descriptor = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            # Ends with this process, however that ends.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The other one may have ended in between, and given the folder its name.
            if not part.exists() or not os.path.samestat(os.fstat(descriptor), part.stat()):
                raise BlockingIOError
        except BlockingIOError:
            raise TryAgainError(
                f"{quoted(folder)}: another process is writing it; start again when it has ended"
            ) from None
        try:
            for path in part.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            yield part
            part.rename(folder)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    finally:
        os.close(descriptor)


def content_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, hexadecimal. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of(path: bytes) -> str:
    """Return the SHA-256 of a file's bytes, hexadecimal; "" if they cannot be read."""
    try:
        # Non-blocking: the path may name a pipe by now.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def protect_process() -> None:
    """Make this process write private files only (umask 077) and never dump core, so that raw notes do not escape.

    Processes that it starts later inherit both: the JVM and local Python workers. Executors of a cluster call it in
    their Python workers. Their JVMs write below `restricted`, which is closed as a whole.
    """
    os.umask(_UMASK)
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
