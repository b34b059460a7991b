"""The plan of a run: what is new, moved, changed, gone at the source, or as it was.

Functions over what was listed and what the ledger says; read are folders, files' sizes and dates, and the bytes of
those that may have moved.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from deid_core.core.errors import ConfigurationError, Reason
from deid_core.lake.hashing import sha256_of
from deid_core.lake.identity import NoteIds
from deid_core.lake.ledger import LedgerRow, ReaderFingerprint
from deid_core.lake.schemas import State, YearSource
from deid_core.readers import source_files
from deid_core.readers.sources import listing_error

_FIRST_NS, _LAST_NS = -(2**63), 2**63 - 1
"""What a column of whole numbers holds, the years 1677 to 2262. File systems hold other dates too, and one file that
was given such a date by a broken clock must not stop every night."""


@dataclass(frozen=True, slots=True)
class SourceStat:
    """A file of the input folder as it was listed; `source` is printable, `path` the file system's own.

    mtime_ns: the file's date, nanoseconds since 1970; the nearest that the ledger can hold.
    """

    note_id: str
    path: bytes
    source: str
    size_bytes: int
    mtime_ns: int


class Why(StrEnum):
    """Why a file is read."""

    NEW = "new"
    MOVED = "moved"
    """New under this path; a file with the same bytes is gone from another."""
    CHANGED = "changed"
    """Of another size or date; where the bytes are the same after all, nothing else is done."""
    READER = "reader"
    """Read, or refused, with other code or settings."""
    RETRY = "retry"
    """In quarantine, and to be tried again; or its raw text is lost."""


@dataclass(frozen=True, slots=True)
class ToRead:
    """A file that an executor must open; `known_sha256` is set where equal bytes mean that nothing changed."""

    stat: SourceStat
    why: Why
    known_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run has to do with the input folder; all in the order of the files' paths."""

    listed: int
    to_read: tuple[ToRead, ...]
    gone: tuple[LedgerRow, ...]
    """Files that are at their path no more, the moved ones too: an id belongs to a path."""
    known: Mapping[str, LedgerRow] = field(repr=False)
    """The ledger before the run, by note_id."""

    @property
    def counts(self) -> dict[str, int]:
        """Files by what is done with them. Where a file moved, its old path does not count as deleted."""
        why = Counter(item.why for item in self.to_read)
        read = {str(reason): why[reason] for reason in Why}
        deleted = len(self.gone) - why[Why.MOVED]
        return {"listed": self.listed} | read | {"deleted": deleted, "unchanged": self.listed - len(self.to_read)}


def list_sources(folder: Path, ids: NoteIds) -> list[SourceStat]:
    """The notes below a folder with their sizes and dates, sorted by path; a file that goes away meanwhile is left out.

    Raises ConfigurationError if this account may not list the folder or one below it, TryAgainError if one goes away.
    """
    found = []
    for source in source_files(folder):
        try:
            status = _status(source.path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise listing_error(folder, error) from None
        note_id, mtime_ns = ids.of(source.relative), max(_FIRST_NS, min(status.st_mtime_ns, _LAST_NS))
        found.append(SourceStat(note_id, os.fsencode(source.path), source.relative, status.st_size, mtime_ns))
    return found


def make_plan(
    listed: Sequence[SourceStat],
    known: Mapping[str, LedgerRow],
    prints: ReaderFingerprint,
    *,
    now: datetime,
    retry: bool = False,
) -> Plan:
    """Compares what is there with what the ledger says.

    now: UTC; says which files in quarantine are still tried again by themselves. retry: read all files again that were
    quarantined when they were read.
    """
    to_read = [item for stat in listed if (item := _unless_same(stat, known.get(stat.note_id), prints, now, retry))]
    here = {stat.note_id for stat in listed}
    gone = [row for row in known.values() if row.note_id not in here and row.state != State.DELETED]
    return Plan(
        listed=len(listed),
        to_read=tuple(_tell_moved(to_read, gone)),
        gone=tuple(sorted(gone, key=lambda row: row.path)),
        known=known,
    )


def check_deletions(plan: Plan, allowed_share: float) -> None:
    """An input folder that is not mounted, or another one, must not empty the lake.

    Raises ConfigurationError if more than this share of the ledger's files is gone, and not just moved.
    """
    present = sum(row.state != State.DELETED for row in plan.known.values())
    deleted = plan.counts["deleted"]
    if deleted > allowed_share * present:
        raise ConfigurationError(
            f"--input: {deleted} of the ledger's {present} files are not there, more than the allowed share "
            f"of {allowed_share:g}; is it the right folder, is it mounted? If they were deleted: --allow-deletions"
        )


def _unless_same(
    stat: SourceStat, row: LedgerRow | None, prints: ReaderFingerprint, now: datetime, retry: bool
) -> ToRead | None:
    if row is None or row.state == State.DELETED:
        return ToRead(stat, Why.NEW)
    changed = (stat.size_bytes, stat.mtime_ns) != (row.size_bytes, row.mtime_ns)
    if row.reader != (prints.refused if row.batch is None else prints.notes):
        return ToRead(stat, Why.CHANGED if changed else Why.READER)
    if row.batch is None:
        # Quarantined by the reader. What vanished once may be there now.
        there = row.reason == Reason.VANISHED and os.access(stat.path, os.R_OK)
        again = retry or there or row.may_succeed(now)
        return ToRead(stat, Why.CHANGED if changed else Why.RETRY) if changed or again else None
    # A year that came from the file's date may be another now.
    hashed = "" if row.year_source == YearSource.FILE else row.sha256
    return ToRead(stat, Why.CHANGED, hashed) if changed else None


def _tell_moved(to_read: Iterable[ToRead], gone: Iterable[LedgerRow]) -> Iterator[ToRead]:
    """The same files, the new ones whose bytes are gone from another path told as moved, one for each that is gone.

    Only a file of the same size and date is opened: moving keeps both. A moved file is read like a new one all the
    same: its year may follow from its path, and reading a note costs less than finding what was read before.
    """
    left = Counter((row.size_bytes, row.mtime_ns, row.sha256) for row in gone)
    stamps = {(size, date) for size, date, _ in left}
    for item in to_read:
        stamp = (item.stat.size_bytes, item.stat.mtime_ns)
        if item.why is Why.NEW and stamp in stamps:
            content = (*stamp, sha256_of(item.stat.path))
            if left[content]:
                left[content] -= 1
                yield replace(item, why=Why.MOVED)
                continue
        yield item


def _status(path: Path) -> os.stat_result:
    """Of what a link leads to, so that a change there is seen; of a broken link itself."""
    try:
        return os.stat(path)
    except OSError:
        return os.lstat(path)
