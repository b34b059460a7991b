"""What a run asks of the place that notes come from.

docs/inputs.md says what a source has to promise. folder.py, bucket.py and table.py are the sources
that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import NamedTuple, Protocol

import pyarrow as pa

from deid_core.lake.inputs.content_readers import ContentReader
from deid_core.lake.inputs.plan import SourceStat, ToRead
from deid_core.lake.notes.ids import NoteIds
from deid_core.lake.tables import task_schemas
from deid_core.lake.tables.arrow_codec import record_batch

LEFT_OUT = "This batch was left out; earlier batches are kept"
"""The end of an error of `check_available`."""
_SAMPLE = 100
"""Files to test, at most: enough to estimate a share, quick on network storage."""


class ListedNotes(NamedTuple):
    """The notes of a source, sorted by `source`, and how many other files it has, by `NOT_READ` and ending.

    linked_folders: of the notes, those that are links to folders outside; reading them gives `unsafe`.
    """

    notes: list[SourceStat]
    not_read: dict[str, int]
    linked_folders: int = 0


class Chunk(NamedTuple):
    """Notes that one executor reads together, and their rows of task_schemas.LISTING, in the same order."""

    notes: Sequence[ToRead]
    listing: pa.Table


class NoteSource(Protocol):
    """A place that notes come from. One object serves one run."""

    def check(self, *, first_run: bool) -> None:
        """Check what can be told before anything is touched.

        first_run: there is no ledger that an empty source could be compared with.
        Raises ConfigurationError with all problems.
        """
        ...

    def list_notes(self, ids: NoteIds) -> ListedNotes:
        """List all notes that are there now, each once.

        Raises ConfigurationError if they cannot all be listed, TryAgainError if the source changes meanwhile.
        """
        ...

    @property
    def contents(self) -> ContentReader:
        """How executors get the contents of listed notes."""
        ...

    def chunks(self, to_read: Sequence[ToRead], size: int) -> Iterator[Chunk]:
        """Yield the listed notes that are to be read, at most `size` at once. Leave out those that are gone by now.

        Raises TryAgainError if the source went away.
        """
        ...

    def check_available(self, unread: Sequence[bytes], allowed_share: float) -> None:
        """Check that the source is still there, after executors could not read some notes.

        unread: their paths. allowed_share: of the tested notes, which may be unreadable without a general fault.
        Raises TryAgainError if the source is unavailable here or on executors; nothing may be committed then.
        """
        ...


def file_chunks(to_read: Sequence[ToRead], size: int) -> Iterator[Chunk]:
    """Yield files in their order. Whether they are still there shows when executors open them."""
    for start in range(0, len(to_read), size):
        notes = to_read[start : start + size]
        rows = [asdict(note.stat) | {"known_sha256": note.known_sha256} for note in notes]
        yield Chunk(notes, pa.Table.from_batches([record_batch(rows, task_schemas.LISTING)]))


def sample_of(paths: Sequence[bytes]) -> Sequence[bytes]:
    """Return at most 100 of the paths, evenly spaced."""
    return paths[:: -(-len(paths) // _SAMPLE) or 1]
