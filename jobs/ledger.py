"""The ledger as Python objects, and the plan of a run: what is new, moved, changed, gone at the source, or as it was.

Functions over what was listed and what the ledger says; read are folders, files' sizes and dates, and the bytes of
those that may have moved.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path

import deid_core
from deid_core.config import Settings
from deid_core.errors import ConfigurationError, Reason
from deid_core.reading import source_files
from deid_core.reading.sources import listing_error
from jobs import reader
from jobs.hashing import sha256_of
from jobs.identity import NoteIds
from jobs.lake import Lake
from jobs.rows import State, YearSource

RUN_TIME = "%Y%m%dT%H%M%S"
"""How a run's id begins: the time of its start, UTC."""
_OF_THE_HOUR = frozenset({Reason.TIMEOUT, Reason.CONVERTER_FAILED, Reason.ENGINE_TIMEOUT})
"""Reasons that other work on the machine, too little memory or a full /tmp may have given."""
_TRIED_AGAIN_FOR = timedelta(days=3)
"""So a note that really hangs costs some nights its time limit, not all."""


@dataclass(frozen=True, slots=True)
class SourceStat:
    """A file of the input folder as it was listed; `source` is printable, `path` the file system's own."""

    note_id: str
    path: bytes
    source: str
    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A row of restricted/ledger; the fields are the columns, tables.LEDGER says what they mean."""

    note_id: str
    path: str
    size_bytes: int
    mtime_ns: int
    sha256: str
    state: str
    reader: str
    run_id: str
    reason: str | None = None
    detail: str | None = None
    batch: str | None = None
    year: int | None = None
    year_source: str | None = None
    pipeline: str | None = None

    def may_succeed(self, now: datetime) -> bool:
        """Whether a note in quarantine is tried again by itself: for some days if the machine's hour may have been why.

        now: UTC. A run's id begins with its time, and a row is not written anew for the same failure.
        """
        if self.reason not in _OF_THE_HOUR:
            return False
        try:
            since = datetime.strptime(self.run_id.partition("-")[0], RUN_TIME).replace(tzinfo=UTC)
        except ValueError:
            return False
        return now - since < _TRIED_AGAIN_FOR

    def quarantined(self, reason: str, detail: str, *, run_id: str, pipeline: str) -> LedgerRow:
        """The row after the engine failed on the note; its text stays, for another pipeline may manage."""
        return replace(self, state=State.QUARANTINED, reason=reason, detail=detail, run_id=run_id, pipeline=pipeline)

    def recovered(self, *, run_id: str) -> LedgerRow:
        """The row after an engine managed the note on which another had failed."""
        return replace(self, state=State.CONVERTED, reason=None, detail=None, run_id=run_id, pipeline=None)

    def deleted(self, *, run_id: str) -> LedgerRow:
        """The row after its file went away at the source."""
        return LedgerRow(
            self.note_id, self.path, self.size_bytes, self.mtime_ns, self.sha256, State.DELETED, self.reader, run_id
        )


@dataclass(frozen=True, slots=True)
class ReaderPrint:
    """Fingerprints of reading: what a note was read with, and what a file was refused with.

    A note is read again when the reading code, the choice of reader or the rule for its year changes, a refused file
    also when a limit does.
    (The header's code, which may give the year, is left out: it changes often and a year seldom with it.)
    """

    notes: str
    refused: str

    @staticmethod
    def of(settings: Settings) -> ReaderPrint:
        """The fingerprints of these settings and this code, 16 hexadecimal digits each."""
        notes = f"{_reading_code()}\0{settings.reading.doc_reader}\0{settings.year.model_dump_json()}"
        refused = f"{notes}\0{settings.reading.model_dump_json()}"
        return ReaderPrint(_digits(notes), _digits(refused))


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
        note_id = ids.of(source.relative)
        found.append(SourceStat(note_id, os.fsencode(source.path), source.relative, status.st_size, status.st_mtime_ns))
    return found


def read_ledger(lake: Lake) -> dict[str, LedgerRow]:
    """The ledger by note_id; {} for a new lake."""
    columns = list(LedgerRow.__dataclass_fields__)
    return {row["note_id"]: LedgerRow(**row) for row in reader.read(lake.ledger, columns).to_pylist()}


def without_lost_texts(known: Mapping[str, LedgerRow], lake: Lake) -> dict[str, LedgerRow]:
    """The ledger as if it did not name the raw texts whose folder is gone, so that their files are read again."""
    there = {(folder.parent.name, folder.name) for folder in lake.note_folders()}
    return {
        note_id: row
        if row.batch is None or (f"year={row.year}", f"batch={row.batch}") in there
        else replace(row, state=State.QUARANTINED, reason=Reason.VANISHED, detail="no raw text", batch=None)
        for note_id, row in known.items()
    }


def make_plan(
    listed: Sequence[SourceStat],
    known: Mapping[str, LedgerRow],
    prints: ReaderPrint,
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
    stat: SourceStat, row: LedgerRow | None, prints: ReaderPrint, now: datetime, retry: bool
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


def superseded(rows: Iterable[LedgerRow], known: Mapping[str, LedgerRow]) -> list[LedgerRow]:
    """The old rows of those notes whose text in restricted/notes the new rows no longer name."""
    old = ((known.get(row.note_id), row) for row in rows)
    return [before for before, row in old if before is not None and before.batch and before.batch != row.batch]


def _reading_code() -> str:
    """A hash over the code that makes raw notes."""
    digest = hashlib.sha256()
    core = Path(deid_core.__file__).parent
    for path in [core / "note.py", Path(__file__).with_name("years.py"), *sorted((core / "reading").rglob("*.py"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
