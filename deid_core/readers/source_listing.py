"""List the files to read, and read their bytes if path, kind and size allow it. Opens no document.

File names contain names of patients: nothing here writes one into an error.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import Counter
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path, PurePath

from deid_core.core.errors import ConfigurationError, NoteError, Reason, TryAgainError
from deid_core.core.file_formats import ENDINGS

_COUNTED_ENDINGS = frozenset(
    "bak bmp csv db dcm eml gif htm html ini jpeg jpg json lnk log md mdb mht msg odp ods ott pages pdf png ppt pptx "
    "ps rar tif tiff tmp wpd wps xls xlsx xml zip".split()
)
"""Endings counted by name. What follows the dot in any other name may be a person's: "Brief an Dr.Muster"."""
OTHER = "other"
"""Stands for all other endings and for none."""

_WENT_AWAY = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EIO, errno.ESTALE, errno.ENOTCONN, errno.ETIMEDOUT})
"""Errors of a folder that was renamed or deleted during the walk, or whose storage is away."""
_LOCK_PREFIXES = ("~$", ".~lock")
"""Files that Word and LibreOffice create beside an open document."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    path: absolute. relative: the path below the archive's root, all parts of it; it becomes the note's `source`.
    note_id: the file's name without ending, or what the caller sets.
    """

    path: Path
    relative: str
    note_id: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The files to read, sorted by relative path, and how many others there are, by ending without dot.

    files: absolute path, and the relative one of a SourceFile. Strings, not paths: an archive has some hundred thousand
    files, and each is listed every night.
    """

    files: list[tuple[str, str]]
    not_read: dict[str, int]


def source_files(path: Path) -> list[SourceFile]:
    """Return the files that `list_files` finds."""
    return [
        SourceFile(Path(file), relative, _stem_and_ending(os.path.basename(relative))[0])
        for file, relative in list_files(path).files
    ]


def list_files(path: Path) -> Listing:
    """List the file, or the files below a folder that have one of `ENDINGS`, and count the others.

    Blanks after an ending do not matter. Links to folders are not followed: their files are found at their own place if
    that is below `path`; a link to a folder outside is listed, so that reading it gives `unsafe`. `path` itself may be
    a link. Lock files of open documents are neither read nor counted.
    Raises ConfigurationError if the path does not exist or this account may not list a folder below it, TryAgainError
    if a folder disappears meanwhile.
    """
    if not path.exists():
        raise ConfigurationError(f"{path}: there is no such file or folder")
    if not path.is_dir():
        return Listing([(str(path.resolve()), printable(path.name))], {})
    root = path.resolve()
    below = len(os.path.join(root, ""))
    found = []
    not_read: Counter[str] = Counter()

    def refuse(error: OSError) -> None:
        # A folder that cannot be listed must not look empty.
        raise listing_error(path, error)

    for folder, folders, files in os.walk(root, onerror=refuse):
        folders.sort()
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        links = [name for name in links if _escapes(Path(folder, name), root)]
        notes = []
        for name in files:
            if (ending := not_read_as(name)) is None:
                notes.append(name)
            elif ending:
                not_read[ending] += 1
        for name in links + notes:
            file = os.path.join(folder, name)
            found.append((file, printable(file[below:])))
    return Listing(sorted(found, key=itemgetter(1)), dict(sorted(not_read.items())))


def holds_sources(folder: Path) -> bool:
    """Return whether there is anything below the folder that the listing of its files would name.

    Ends at the first such file. Raises as the listing does.
    """

    def refuse(error: OSError) -> None:
        raise listing_error(folder, error)

    return any(
        any(os.path.islink(os.path.join(parent, name)) for name in folders)
        or any(not_read_as(name) is None for name in files)
        for parent, folders, files in os.walk(folder, onerror=refuse)
    )


def not_read_as(name: str) -> str | None:
    """Return the ending under which a file of this name is counted, "" for none; None if the file is read."""
    if name.startswith(_LOCK_PREFIXES):
        return ""
    ending = _stem_and_ending(name)[1].rstrip().lower()
    if ending in ENDINGS:
        return None
    return ending[1:] if ending[1:] in _COUNTED_ENDINGS else OTHER


def _stem_and_ending(name: str) -> tuple[str, str]:
    """Return a file name's stem and ending, split as pathlib does."""
    dot = name.rfind(".")
    return (name[:dot], name[dot:]) if 0 < dot < len(name) - 1 else (name, "")


def read_bytes(source: SourceFile, max_bytes: int) -> bytes:
    """Return the file's bytes.

    Raises NoteError before reading: UNSAFE for a path that leaves the archive's root or is no regular file, TOO_LARGE
    by the file's size, VANISHED if it cannot be opened; while reading: TOO_LARGE if it grew.
    """
    parts = PurePath(source.relative).parts
    if not parts or PurePath(source.relative).is_absolute() or ".." in parts or len(parts) > len(source.path.parents):
        raise NoteError(Reason.UNSAFE, "relative path is absolute or holds '..'")
    if _escapes(source.path, source.path.parents[len(parts) - 1]):
        raise NoteError(Reason.UNSAFE, "path leads out of the archive's root")
    try:
        # Not blocking: opening a named pipe would wait for a writer forever.
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
    r"""Return the name with bytes that are not UTF-8 written as "\xff": JSON, Arrow and Delta take no lone surrogates.

    Backslashes are doubled, so no two names have the same form.
    """
    if name.isascii() and "\\" not in name:
        return name
    return os.fsencode(name).replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
