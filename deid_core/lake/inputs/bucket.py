"""The objects below a prefix of an S3-compatible store as source: each is a file and a note.

Ids, years, endings and what is not read follow the same rules as in a folder. So an archive may move from a folder to
a store, and its notes stay the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyarrow.fs import FileInfo, FileSelector

from deid_core.core.errors import ConfigurationError, TryAgainError, quoted
from deid_core.core.s3_url import S3Url
from deid_core.lake.inputs.content_readers import StoredFiles
from deid_core.lake.inputs.plan import NOT_READ, SourceStat, ToRead
from deid_core.lake.inputs.source import LEFT_OUT, Chunk, ListedNotes, file_chunks, sample_of
from deid_core.lake.notes.ids import NoteIds
from deid_core.lake.object_store import StoreAddress, store_error
from deid_core.readers import ENDINGS
from deid_core.readers.source_listing import not_read_as, printable


class InputBucket:
    """The objects below a prefix. Executors ask the store for them, with credentials of their own environment."""

    def __init__(self, place: S3Url) -> None:
        self.contents = StoredFiles(place, StoreAddress.from_environment())
        self._place = place
        self._listed: list[bytes] = []

    def names(self) -> Iterator[str]:
        """Yield the names of all objects, read or not. Raises as `list_notes` does."""
        return (file.base_name for file in self._files())

    def check(self, *, first_run: bool) -> None:
        """Raise ConfigurationError if the store refuses, or before the first run there is no object that is read.

        Raises TryAgainError if it does not answer.
        """
        if not first_run:
            # Later runs compare with the ledger, which tells more. One request here, before anything is touched.
            try:
                self.contents.address.connect().get_file_info(self._place.path)
            except OSError as error:
                raise self._named(error) from None
        elif all(not_read_as(name) is not None for name in self.names()):
            endings = ", ".join(sorted(ENDINGS))
            raise ConfigurationError(f"--input {quoted(self._place)}: there is no {endings} object below it")

    def list_notes(self, ids: NoteIds) -> ListedNotes:
        """List the objects with sizes and dates. A date is that of the upload, in whole seconds on most stores.

        Raises ConfigurationError if the store refuses, TryAgainError if it does not answer.
        """
        found, not_read = [], dict[str, int]()
        below = len(self._place.path) + 1
        for file in self._files():
            if (ending := not_read_as(file.base_name)) is None:
                source = printable(file.path[below:])
                path, mtime_ns = file.path.encode(), file.mtime_ns or 0
                found.append(SourceStat(ids.id_of(source), path, source, file.size or 0, mtime_ns))
            elif ending:
                not_read[NOT_READ + ending] = not_read.get(NOT_READ + ending, 0) + 1
        found.sort(key=lambda stat: stat.source)
        self._listed = [stat.path for stat in found]
        return ListedNotes(found, dict(sorted(not_read.items())))

    def chunks(self, to_read: Sequence[ToRead], size: int) -> Iterator[Chunk]:
        """Yield the objects in their order."""
        return file_chunks(to_read, size)

    def check_available(self, unread: Sequence[bytes], allowed_share: float) -> None:
        """Test, from this process, a sample of the objects and those that executors could not read.

        unread: paths of the objects of a batch that executors were not given. allowed_share: share of the tested
        objects that may be refused, or that may be readable here but not there.
        Raises TryAgainError if the store refuses them here or executors; nothing may be committed then.
        """
        if not unread:
            return
        sample = sample_of(self._listed)
        missing = sum(not self.contents.is_readable(path) for path in sample)
        if missing > 1 and missing > allowed_share * len(sample):
            raise TryAgainError(
                f"--input {quoted(self._place)}: {len(unread)} objects could not be read after they were listed, and "
                f"{missing} of {len(sample)} tested ones cannot be read; may these credentials read them? {LEFT_OUT}"
            )
        sample = sample_of(unread)
        readable = sum(self.contents.is_readable(path) for path in sample)
        # A single object may have been replaced at that moment.
        if readable > 1 and readable > allowed_share * len(sample):
            raise TryAgainError(
                f"--input {quoted(self._place)}: executors could not read {len(unread)} objects, but this process can "
                f"read {readable} of {len(sample)} tested; does every worker have AWS_ACCESS_KEY_ID and "
                f"AWS_SECRET_ACCESS_KEY in its environment? {LEFT_OUT}"
            )

    def _files(self) -> list[FileInfo]:
        try:
            below = self.contents.address.connect().get_file_info(FileSelector(self._place.path, recursive=True))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._named(error) from None
        # A "folder" of the listing is a part of the objects' keys.
        return [file for file in below if file.is_file]

    def _named(self, error: OSError) -> Exception:
        """Return what to raise for a store's error. Its own message may name a file."""
        return store_error(self._place, error) or ConfigurationError(
            f"--input {quoted(self._place)}: cannot be listed ({type(error).__name__})"
        )
