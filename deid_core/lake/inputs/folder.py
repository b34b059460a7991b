"""A folder of files as source: each file is a note.

If the folder disappeared during the run, or was never mounted on an executor, its notes must keep their texts. A file
that nobody can read (another account's, or on bad sectors) is that file's own fault, however few other files a night
has.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from deid_core.core.errors import ConfigurationError, TryAgainError, quoted
from deid_core.lake.inputs.content_readers import LocalFiles
from deid_core.lake.inputs.plan import NOT_READ, SourceStat, ToRead
from deid_core.lake.inputs.source import LEFT_OUT, Chunk, ListedNotes, file_chunks, sample_of
from deid_core.lake.notes.ids import NoteIds
from deid_core.readers import ENDINGS, list_files
from deid_core.readers.source_listing import holds_sources, listing_error

_FIRST_NS, _LAST_NS = -(2**63), 2**63 - 1
"""What a 64-bit column can hold, the years 1677 to 2262. File systems hold other dates as well, and one file with a
date from a broken clock must not stop every night."""


class InputFolder:
    """The files of a folder. Executors see them under the same paths."""

    def __init__(self, path: Path, listed: Sequence[bytes] = ()) -> None:
        """listed: paths of all files; `list_notes` sets them."""
        self.path = path
        self.listed = listed
        self.contents = LocalFiles()

    def names(self) -> Iterator[str]:
        """Yield the names of all files, read or not."""
        return (name for _, _, names in os.walk(self.path) for name in names)

    def check(self, *, first_run: bool) -> None:
        """Raise ConfigurationError if there is no such folder, or before the first run no file in it that is read."""
        if self.path.is_file():
            raise ConfigurationError(f"--input {quoted(self.path)}: is a file; a table needs --id and --text")
        if not self.path.is_dir():
            raise ConfigurationError(f"--input {quoted(self.path)}: there is no such folder")
        if first_run and not holds_sources(self.path):
            # Later runs compare with the ledger, which tells more: most of the known files are missing.
            endings = ", ".join(sorted(ENDINGS))
            raise ConfigurationError(f"--input {quoted(self.path)}: holds no {endings} file; is it mounted?")

    def list_notes(self, ids: NoteIds) -> ListedNotes:
        """List the files with sizes and dates. Files that disappear meanwhile are skipped.

        Raises ConfigurationError if this account may not list a folder, TryAgainError if a folder disappears.
        """
        found, linked_folders = [], 0
        listing = list_files(self.path)
        for file, relative in listing.files:
            try:
                status = _status(file)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise listing_error(self.path, error) from None
            linked_folders += stat.S_ISDIR(status.st_mode)
            mtime_ns = max(_FIRST_NS, min(status.st_mtime_ns, _LAST_NS))
            found.append(SourceStat(ids.id_of(relative), os.fsencode(file), relative, status.st_size, mtime_ns))
        self.listed = [note.path for note in found]
        not_read = {NOT_READ + ending: count for ending, count in listing.not_read.items()}
        return ListedNotes(found, not_read, linked_folders)

    def chunks(self, to_read: Sequence[ToRead], size: int) -> Iterator[Chunk]:
        """Yield the files in their order."""
        return file_chunks(to_read, size)

    def check_available(self, unread: Sequence[bytes], allowed_share: float) -> None:
        """Test, from this process, the folder, a sample of its files and those that executors could not read.

        unread: paths of the files of a batch that executors could not open or read.
        allowed_share: share of the tested files that may be missing, or that may be readable here but not there.
        Raises TryAgainError if the folder is unavailable here or on executors; nothing may be committed then.
        """
        if not unread:
            return
        sample = sample_of(self.listed)
        missing = sum(not self.contents.is_readable(path) for path in sample)
        if not os.path.isdir(self.path) or (missing > 1 and missing > allowed_share * len(sample)):
            raise TryAgainError(
                f"--input {quoted(self.path)}: {len(unread)} files could not be opened after they were listed, and "
                f"{missing} of {len(sample)} tested files cannot be opened; is the folder still there, is it mounted, "
                f"may this account read it? {LEFT_OUT}"
            )
        sample = sample_of(unread)
        readable = sum(bool(self.contents.sha256_of(path)) for path in sample)
        # A single file may have been missing for the moment in which somebody saved it.
        if readable > 1 and readable > allowed_share * len(sample):
            raise TryAgainError(
                f"--input {quoted(self.path)}: executors could not open {len(unread)} files, but this process can read "
                f"{readable} of {len(sample)} tested; is the folder mounted on every worker, under this path and for "
                f"this account? {LEFT_OUT}"
            )


def _status(path: str) -> os.stat_result:
    """Return the status of a link's target, so that changes there are seen; of the link itself if it is broken."""
    try:
        return os.stat(path)
    except OSError:
        return os.lstat(path)
