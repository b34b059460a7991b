"""The streams of a .doc's compound file (MS-CFB): sectors chained by a table, small streams in one of their own.

Checked all the way: chains end where they say, no stream is larger than the file. olefile, which reads a file's format
elsewhere, follows a chain that bites its tail as long as a stream's declared size lets it, and takes a quarter of the
time that a note takes here.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from deid_core.readers.msdoc.refused import DocRefused

_HEADER = struct.Struct("<8x16xHHHHH6xIIIIIIIII109I")
_SHIFTS = {3: 9, 4: 12}
"""Of the sector size, by the file's major version."""
_SHORT_SHIFT = 6
_CUTOFF = 4096
"""Streams below this size lie in the stream of short ones."""
_END = 0xFFFFFFFE
_LAST_SECTOR = 0xFFFFFFFA
_NO_ENTRY = 0xFFFFFFFF
_ENTRY = struct.Struct("<64sHBxIII36xIQ")
"""Name and its size, type, left and right neighbour, child, first sector, size (MS-CFB 2.6.1)."""
_STREAM = 2
_ROOT = 5
_FLAG_TABLE = 0x0200
"""fWhichTblStm of the FIB's flags: 1Table and not 0Table is in use (MS-DOC 2.5.2)."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The streams of a Word document (MS-DOC 2.1); one that is not there is empty."""

    word: bytes
    table: bytes
    data: bytes
    summary: bytes
    document_summary: bytes


def read_streams(data: bytes) -> Streams:
    """The streams of the file's bytes. Raises DocRefused if it is no sound compound file."""
    file = _CompoundFile(data)
    word = file.stream("WordDocument")
    flags = int.from_bytes(word[10:12], "little")
    table = file.stream("1Table" if flags & _FLAG_TABLE else "0Table")
    summaries = (file.stream(f"\x05{name}SummaryInformation") for name in ("", "Document"))
    return Streams(word, table, file.stream("Data"), *summaries)


class _CompoundFile:
    """The streams below the root by name, whatever its case; what is embedded has folders of its own."""

    def __init__(self, data: bytes) -> None:
        if len(data) < _HEADER.size:
            raise DocRefused("compound file: too short")
        (_, version, mark, shift, short_shift, _, tables, directory, _, cutoff, short_table, _, more, _, *first) = (
            _HEADER.unpack_from(data)
        )
        if mark != 0xFFFE or shift != _SHIFTS.get(version) or (short_shift, cutoff) != (_SHORT_SHIFT, _CUTOFF):
            raise DocRefused("compound file: of another layout")
        self._data, self._size = data, 1 << shift
        self._next = self._sector_table(tables, more, first)
        self._short_table = short_table
        content = self._content(self._chain(self._next, directory))
        entries = [_ENTRY.unpack_from(content, at) for at in range(0, len(content) - _ENTRY.size + 1, _ENTRY.size)]
        if not entries or entries[0][2] != _ROOT:
            raise DocRefused("compound file: no root")
        # Files of version 3 may hold anything in the upper half of a size.
        mask = 0xFFFFFFFF if version == 3 else 0xFFFFFFFFFFFFFFFF
        *_, child, self._short_start, short_size = entries[0]
        self._short_size = short_size & mask
        self._streams: dict[str, tuple[int, int]] = {}
        waiting, seen = [child], set()
        while waiting:
            number = waiting.pop()
            if number >= len(entries) or number in seen:
                if number == _NO_ENTRY:
                    continue
                raise DocRefused("compound file: entries in a circle or beyond the directory")
            seen.add(number)
            name, name_size, kind, left, right, _, start, size = entries[number]
            waiting += (left, right)
            if kind == _STREAM:
                self._streams[name[: max(name_size - 2, 0)].decode("utf-16-le", "replace").upper()] = (
                    start,
                    size & mask,
                )

    def stream(self, name: str) -> bytes:
        """The bytes of a stream, b"" if there is none. Raises DocRefused if they are not all there."""
        start, size = self._streams.get(name.upper(), (_END, 0))
        if not size:
            return b""
        if size > len(self._data):
            raise DocRefused("compound file: a stream larger than the file")
        if size < _CUTOFF:
            following, shorts = self._short
            places = self._chain(following, start, -(-size >> _SHORT_SHIFT))
            content = b"".join(shorts[at << _SHORT_SHIFT : at + 1 << _SHORT_SHIFT] for at in places)
        else:
            content = self._content(self._chain(self._next, start, -(-size // self._size)))
        if len(content) < size:
            raise DocRefused("compound file: a stream shorter than declared")
        return content[:size]

    @cached_property
    def _short(self) -> tuple[Sequence[int], bytes]:
        """Which short sector follows which, and the stream that holds them."""
        if self._short_size > len(self._data):
            raise DocRefused("compound file: a stream larger than the file")
        count = -(-self._short_size // self._size)
        return (
            _numbers(self._content(self._chain(self._next, self._short_table))),
            self._content(self._chain(self._next, self._short_start, count)),
        )

    def _sector_table(self, count: int, more: int, first: Sequence[int]) -> Sequence[int]:
        """Which sector follows which; sectors of this table are named in the header and, of large files, in a list."""
        if count * self._size > len(self._data):
            raise DocRefused("compound file: sector table incomplete")
        places = list(first[:count])
        while len(places) < count and more < _LAST_SECTOR:
            *named, more = _numbers(self._sector(more)) or [_END]
            if not named:
                raise DocRefused("compound file: a sector beyond the file")
            places += named[: count - len(places)]
        if len(places) != count:
            raise DocRefused("compound file: sector table incomplete")
        return _numbers(self._content(places))

    def _chain(self, following: Sequence[int], start: int, count: int | None = None) -> list[int]:
        """The sectors of a chain up to its end, or the first `count` of them."""
        places: list[int] = []
        while start < _LAST_SECTOR and len(places) != count:
            if start >= len(following) or len(places) > len(following):
                raise DocRefused("compound file: a chain that leaves the file or bites its tail")
            places.append(start)
            start = following[start]
        if len(set(places)) < len(places):
            raise DocRefused("compound file: a chain that leaves the file or bites its tail")
        return places

    def _content(self, places: Sequence[int]) -> bytes:
        return b"".join(map(self._sector, places))

    def _sector(self, number: int) -> bytes:
        start = (number + 1) * self._size
        return self._data[start : start + self._size]


def _numbers(data: bytes) -> Sequence[int]:
    return struct.unpack_from(f"<{len(data) // 4}I", data)
