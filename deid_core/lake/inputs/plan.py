"""Plan what a run reads, and which notes are gone: the listing of the source compared with the ledger.

Of files that may have been moved it reads the bytes. notes/pending.py says which notes the engine gets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from deid_core.core.errors import ConfigurationError, Reason
from deid_core.lake.inputs.content_readers import ContentReader, LocalFiles
from deid_core.lake.notes.ledger import LedgerRow, ReaderFingerprint
from deid_core.lake.states import State, YearSource
from deid_core.readers.source_listing import not_read_as

_PRESENT = (State.CONVERTED, State.QUARANTINED)
"""States of notes that were in the source when it was last listed, and are expected there."""

_MISSING_SHARE = 0.05
"""A night on which more of the known notes are missing is worth a warning."""
_MANY = 20
"""Notes of a folder: of smaller ones, as of a patient, the next night has some and the next none."""

NOT_READ = "not_read."
"""Before an ending: the name of a run's count of files that are not read."""


@dataclass(frozen=True, slots=True)
class SourceStat:
    """A listed note of the source.

    path: how executors find it, a file's path in the file system's own bytes. source: what names it within the source,
    printable: a path below the input folder, a row's id. size_bytes: of its content.
    mtime_ns: its date, nanoseconds since 1970. sha256: of its content where the listing has read it, hexadecimal; else
    "", and another size or date means that it changed.
    """

    note_id: str
    path: bytes
    source: str
    size_bytes: int
    mtime_ns: int
    sha256: str = ""

    def is_changed(self, row: LedgerRow) -> bool:
        """Return whether it may differ from what the ledger's row was made from."""
        if self.sha256:
            return self.sha256 != row.sha256
        return (self.size_bytes, self.mtime_ns) != (row.size_bytes, row.mtime_ns)


class ReadReason(StrEnum):
    """Why a file is read."""

    NEW = "new"
    MOVED = "moved"
    """New under this path. A file with the same bytes disappeared from another path."""
    CHANGED = "changed"
    """Its size or date, or a row's content, differs. If the bytes turn out to be the same, nothing else is done."""
    READER = "reader"
    """Read, or refused, with other code or settings."""
    RETRY = "retry"
    """Quarantined and due for a retry; or its raw text is lost."""


@dataclass(frozen=True, slots=True)
class ToRead:
    """A file that an executor must open. `known_sha256` is set where the same bytes mean that nothing changed."""

    stat: SourceStat
    reason: ReadReason
    known_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run has to do with the notes of the source, everything in the order of `source`."""

    listed: int
    to_read: tuple[ToRead, ...]
    gone: tuple[LedgerRow, ...]
    """Files that are no longer at their path, moved ones included, since an id belongs to a path."""
    known: Mapping[str, LedgerRow] = field(repr=False)
    """The ledger before the run, by note_id."""
    left_out: int = 0
    """Listed files that are not read, since their patient is withdrawn."""

    @property
    def counts(self) -> dict[str, int]:
        """Return files by what is done with them. The old path of a moved file does not count as deleted."""
        reasons = Counter(item.reason for item in self.to_read)
        read = {str(reason): reasons[reason] for reason in ReadReason}
        deleted = len(self.gone) - reasons[ReadReason.MOVED]
        unchanged = self.listed - len(self.to_read) - self.left_out
        return {"listed": self.listed} | read | {"deleted": deleted, "unchanged": unchanged, "left_out": self.left_out}


def make_plan(
    listed: Sequence[SourceStat],
    known: Mapping[str, LedgerRow],
    reader: ReaderFingerprint,
    *,
    now: datetime,
    retry: bool = False,
    contents: ContentReader | None = None,
) -> Plan:
    """Compare the listing with the ledger.

    reader: of this program and its settings. now: UTC; decides which quarantined files are still retried automatically.
    retry: read all files again that were quarantined on reading. contents: of the listed notes; None is `LocalFiles`.
    """
    contents = contents or LocalFiles()

    def tries_again(stat: SourceStat, row: LedgerRow) -> bool:
        """Return whether to read a note that was quarantined on reading. A file that vanished may be back."""
        is_back = row.reason == Reason.VANISHED and contents.is_readable(stat.path)
        return retry or is_back or row.retries_itself(now)

    to_read = [item for stat in listed if (item := _unless_same(stat, known.get(stat.note_id), reader, tries_again))]
    present = {stat.note_id for stat in listed}
    gone = [row for row in known.values() if row.note_id not in present and row.state in _PRESENT]
    return Plan(
        listed=len(listed),
        to_read=tuple(_mark_moved(to_read, gone, contents)),
        gone=tuple(sorted(gone, key=lambda row: row.path)),
        known=known,
        left_out=sum(known[note_id].state == State.WITHDRAWN for note_id in present & known.keys()),
    )


def missing_notes(plan: Plan) -> dict[str, int]:
    """Return counts for a warning if many known notes are missing, though not enough to stop a run; else {}.

    Many: more than a twentieth, or all of a folder at the top of the input that had at least 20.
    """
    before = Counter(_top_folder(row.path) for row in plan.known.values() if row.state in _PRESENT)
    gone = Counter(_top_folder(row.path) for row in plan.gone)
    folders = sum(bool(name) and number == before[name] >= _MANY for name, number in gone.items())
    deleted, present = plan.counts["deleted"], before.total()
    if deleted > _MISSING_SHARE * present or (deleted and folders):
        return {"missing": deleted, "known": present, "whole_folders": folders}
    return {}


def _top_folder(source: str) -> str:
    """Return the first folder of a path below the input; "" if it is in none."""
    return source.partition("/")[0] if "/" in source else ""


def check_deletions(plan: Plan, allowed_share: float) -> None:
    """Keep an unmounted or wrong input folder from emptying the lake.

    Raises ConfigurationError if more than this share of the ledger's files disappeared and was not moved.
    """
    present = sum(row.state in _PRESENT for row in plan.known.values())
    deleted = plan.counts["deleted"]
    if deleted == present > 0 and allowed_share < 1:
        # No word of --allow-deletions, which would empty the lake.
        known = _kind(row.path for row in plan.gone)
        found = f"{plan.listed} ({_kind(item.stat.source for item in plan.to_read)})" if plan.listed else "0"
        raise ConfigurationError(
            f"--input: none of the lake's {present} notes ({known}) is among the {found} of the input; one lake "
            "belongs to one input: is it the right one, is it mounted? (run.allowed_deleted_share)"
        )
    if deleted > allowed_share * present:
        raise ConfigurationError(
            f"--input: {deleted} of the ledger's {present} notes are missing, more than the allowed share of "
            f"{allowed_share:g} (run.allowed_deleted_share); is it the right input, is it mounted? If they were "
            "deleted: --allow-deletions"
        )


def _kind(sources: Iterable[str]) -> str:
    """Return of what kind of input these are, by their names."""
    are_files = any(not_read_as(source) is None for source in sources)
    return "files" if are_files else "rows of a table"


def _unless_same(
    stat: SourceStat,
    row: LedgerRow | None,
    reader: ReaderFingerprint,
    tries_again: Callable[[SourceStat, LedgerRow], bool],
) -> ToRead | None:
    if row is None or row.state == State.DELETED:
        return ToRead(stat, ReadReason.NEW)
    if row.state == State.WITHDRAWN:
        return None
    changed = stat.is_changed(row)
    if stat.sha256 and not changed:
        # A row has no date of its own: it keeps that of the table when its content was first read.
        stat = replace(stat, mtime_ns=row.mtime_ns)
    if row.reader != (reader.refused if row.batch is None else reader.notes):
        return ToRead(stat, ReadReason.CHANGED if changed else ReadReason.READER)
    if row.batch is None:
        if changed:
            return ToRead(stat, ReadReason.CHANGED)
        return ToRead(stat, ReadReason.RETRY) if tries_again(stat, row) else None
    # A year that came from the file's date may differ now, so the file is read even if its bytes are the same.
    known_sha256 = "" if row.year_source == YearSource.FILE or stat.sha256 else row.sha256
    return ToRead(stat, ReadReason.CHANGED, known_sha256) if changed else None


def _mark_moved(to_read: Iterable[ToRead], gone: Iterable[LedgerRow], contents: ContentReader) -> Iterator[ToRead]:
    """Yield the same notes; mark new ones as moved whose content disappeared from elsewhere, one for each of these.

    Of files whose hash is not known, only those of the same size and date are opened, since moving keeps both. A moved
    file is still read like a new one: its year may follow from its path, and reading a note costs less than finding
    what was read before.
    """
    left: Counter[object] = Counter()
    stamps = set()
    for row in gone:
        stamp = (row.size_bytes, row.mtime_ns)
        stamps.add(stamp)
        left.update([(*stamp, row.sha256), row.sha256])
    for item in to_read:
        stat = item.stat
        stamp = (stat.size_bytes, stat.mtime_ns)
        if item.reason is ReadReason.NEW and (stat.sha256 or stamp in stamps):
            content = stat.sha256 or (*stamp, contents.sha256_of(stat.path))
            if left[content]:
                left[content] -= 1
                yield replace(item, reason=ReadReason.MOVED)
                continue
        yield item
