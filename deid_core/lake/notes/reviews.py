"""Reviews: what readers marked in notes, one JSON object a line in restricted/reviews.jsonl.

A line is synced before its reader hears that it is stored. One that a crash cut short is left out when the file is
read. Of several lines of one reader for a note the last one counts. Lines hold places and labels, never text.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from deid_core.core.errors import ConfigurationError
from deid_core.core.files import PRIVATE, write_whole
from deid_core.core.labels import TYPES, Label, PhiType
from deid_core.lake.layout import Lake


class ReviewRole(StrEnum):
    """As what somebody read a note."""

    READER = "reader"
    ADJUDICATOR = "adjudicator"
    """Decided where two readers differ."""


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A range [start, end) of the raw text that identifies somebody, as a reader marked it.

    readable: a letter or digit of it stood in the redacted text that the reader saw.
    """

    start: int
    end: int
    label: Label
    type: PhiType
    readable: bool

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"mark [{self.start}, {self.end}) is not a range with text")
        if TYPES[self.type].label is not self.label:
            raise ValueError(f"{self.type} is no type of {self.label}")


@dataclass(frozen=True, slots=True)
class Review:
    """All that one reader marked in one note.

    raw_sha256, text_sha256: of the raw text and of that with placeholders. finished: ISO 8601, UTC.
    marks: ascending, disjoint. output_sha256: of the text of an output, if that was read in place of placeholders.
    """

    note_id: str
    reader: str
    role: ReviewRole
    raw_sha256: str
    text_sha256: str
    finished: str
    marks: tuple[Mark, ...]
    output_sha256: str = ""

    @property
    def places(self) -> frozenset[tuple[int, int, str, str]]:
        """The marks without what was readable: two readers agree if these are equal."""
        return frozenset((mark.start, mark.end, str(mark.label), str(mark.type)) for mark in self.marks)


def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, hexadecimal."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def append_review(lake: Lake, review: Review) -> None:
    """Append a review, and return once it is on the disk.

    Raises ConfigurationError if this account may not write it, OSError if the disk is full.
    """
    line = json.dumps(asdict(review), ensure_ascii=False, sort_keys=True).encode() + b"\n"
    with _locked(lake) as descriptor:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            # A crash cut the last line short.
            line = b"\n" + line
        if os.write(descriptor, line) != len(line):
            os.ftruncate(descriptor, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)


def read_reviews(lake: Lake) -> list[Review]:
    """Return the reviews, the last one of each reader, role and note, in the order in which they were stored.

    Raises ConfigurationError if this account may not read them.
    """
    try:
        lines = lake.reviews.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except PermissionError:
        raise ConfigurationError(f"{lake.reviews}: this account may not read it") from None
    last: dict[tuple[str, str, str], Review] = {}
    for line in lines:
        if (review := _parsed(line)) is not None:
            key = (review.note_id, review.reader, review.role)
            last.pop(key, None)
            last[key] = review
    return list(last.values())


def forget_reviews(lake: Lake, note_ids: Collection[str]) -> int:
    """Remove the reviews of these notes, and lines cut short, from the disk. Return how many. May be repeated."""
    if not lake.reviews.exists():
        return 0
    with _locked(lake):
        lines = lake.reviews.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines if (review := _parsed(line)) is not None and review.note_id not in note_ids]
        if len(kept) < len(lines):
            write_whole(lake.reviews, b"".join(kept), mode=PRIVATE)
        return len(lines) - len(kept)


def _parsed(line: bytes) -> Review | None:
    """Return the review of a line; None if it is none, as what a crash left of one."""
    try:
        fields: dict[str, Any] = json.loads(line)
        marks = tuple(
            Mark(mark["start"], mark["end"], Label(mark["label"]), PhiType(mark["type"]), mark["readable"])
            for mark in fields.pop("marks")
        )
        return Review(**fields | {"role": ReviewRole(fields["role"]), "marks": marks})
    except (ValueError, KeyError, TypeError):
        return None


@contextmanager
def _locked(lake: Lake) -> Iterator[int]:
    """Yield the open file, which no other process appends to or replaces meanwhile.

    Raises ConfigurationError if this account may not write it.
    """
    flags = os.O_CREAT | os.O_APPEND | os.O_RDWR | os.O_CLOEXEC
    while True:
        try:
            descriptor = os.open(lake.reviews, flags, PRIVATE)
        except (PermissionError, FileNotFoundError) as error:
            raise ConfigurationError(f"{lake.reviews}: cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Another process may have replaced the file while this one waited.
            if lake.reviews.exists() and os.fstat(descriptor).st_ino == lake.reviews.stat().st_ino:
                yield descriptor
                return
        finally:
            os.close(descriptor)
