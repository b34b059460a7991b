"""Which files there are to read, and whether a file may be read: its path, its kind and its size. Opens no document.

Names of files hold names of patients: nothing here writes one into an error.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePath

from deid_core.core.errors import ConfigurationError, NoteError, Reason, TryAgainError

ENDINGS = frozenset({".doc", ".docx", ".rtf", ".txt"})
"""Files of a folder that are read, by ending, upper or lower case; what a file is, its first bytes say."""

_WENT_AWAY = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EIO, errno.ESTALE, errno.ENOTCONN, errno.ETIMEDOUT})
"""What a folder gives that was renamed or deleted during the walk, or whose storage is away."""
_LOCK_PREFIXES = ("~$", ".~lock")
"""Files that Word and LibreOffice lay beside an open document."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    path: absolute. relative: the path below the archive's root, with as many parts as lie below the root; it becomes
    the note's `source`. note_id: the file's name without ending, or what the caller sets.
    """

    path: Path
    relative: str
    note_id: str


def source_files(path: Path) -> list[SourceFile]:
    """The file, or the files below a folder with one of `ENDINGS`, sorted by relative path.

    Links to folders are not followed: what they hold is found at its own place if that lies below `path`; a link to a
    folder outside is listed, so that reading it gives `unsafe`. A file that is named itself may be a link.
    Raises ConfigurationError if the path does not exist or this account may not look into a folder below it,
    TryAgainError if a folder goes away meanwhile.
    """
    if not path.exists():
        raise ConfigurationError(f"{path}: there is no such file or folder")
    if not path.is_dir():
        return [SourceFile(path.resolve(), printable(path.name), printable(path.stem))]
    root = path.resolve()
    below = len(os.path.join(root, ""))
    sources = []

    def refuse(error: OSError) -> None:
        # A folder that cannot be listed must not look empty.
        raise listing_error(path, error)

    for folder, folders, files in os.walk(root, onerror=refuse):
        folders.sort()
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        links = [name for name in links if _escapes(Path(folder, name), root)]
        notes = [
            name
            for name in files
            if _stem_and_ending(name)[1].lower() in ENDINGS and not name.startswith(_LOCK_PREFIXES)
        ]
        # Strings, not paths: an archive has some hundred thousand files, and each is listed every night.
        for name in links + notes:
            file = os.path.join(folder, name)
            sources.append(SourceFile(Path(file), printable(file[below:]), printable(_stem_and_ending(name)[0])))
    return sorted(sources, key=lambda source: source.relative)


def _stem_and_ending(name: str) -> tuple[str, str]:
    """A file name's stem and ending, as pathlib has them."""
    dot = name.rfind(".")
    return (name[:dot], name[dot:]) if 0 < dot < len(name) - 1 else (name, "")


def read_bytes(source: SourceFile, max_bytes: int) -> bytes:
    """The file's bytes.

    Raises NoteError before reading any: UNSAFE for a path that leaves the archive's root or is no plain file,
    TOO_LARGE by the size that the file system says, VANISHED if it cannot be opened; TOO_LARGE also if it grew.
    """
    parts = PurePath(source.relative).parts
    if not parts or PurePath(source.relative).is_absolute() or ".." in parts or len(parts) > len(source.path.parents):
        raise NoteError(Reason.UNSAFE, "relative path is absolute or holds '..'")
    if _escapes(source.path, source.path.parents[len(parts) - 1]):
        raise NoteError(Reason.UNSAFE, "path leads out of the archive's root")
    try:
        # Not blocking: a named pipe would wait for a writer for ever.
        descriptor = os.open(source.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise NoteError(Reason.VANISHED, type(error).__name__) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NoteError(Reason.UNSAFE, "is no plain file")
        if status.st_size > max_bytes:
            raise NoteError(Reason.TOO_LARGE, f"{status.st_size} bytes, limit {max_bytes}")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise NoteError(Reason.VANISHED, type(error).__name__) from None
    finally:
        os.close(descriptor)
    if len(data) > max_bytes:
        raise NoteError(Reason.TOO_LARGE, f"over {max_bytes} bytes")
    return data


def _escapes(path: Path, root: Path) -> bool:
    try:
        return not path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a loop of links
        return True


def listing_error(root: Path, error: OSError) -> ConfigurationError | TryAgainError:
    """Return the error for a folder that cannot be listed; it holds no file's name, which may be a person's.

    root: the folder that the user gave.
    """
    if error.errno in _WENT_AWAY:
        return TryAgainError(
            f"input {root}: changed or went away while its files were listed: {error.strerror}; is it mounted? The "
            "next run looks again"
        )
    return ConfigurationError(
        f"input {root}: not all of it can be listed: {error.strerror}; this account needs the right to read (r) and to "
        "enter (x) every folder below it"
    )


def printable(name: str) -> str:
    r"""The name with bytes that are not UTF-8 written as "\xff": JSON, Arrow and Delta take no lone surrogates.

    A backslash is doubled, so no two names have the same form.
    """
    return os.fsencode(name).replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
