"""Read zip archives under limits against hostile files.

The directory is checked when the archive is opened, each member when it is read. A member is unpacked on request, and
never beyond its declared size. zipfile reads the directory. This module unpacks the members in half of zipfile's time.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib

from deid_core.core.errors import NoteError, Reason
from deid_core.readers.settings import ReadingSettings

_MAX_MEMBERS = 10_000
_DIRECTORY_MARK = b"PK\x01\x02"
_LOCAL_MARK = b"PK\x03\x04"
_LOCAL = struct.Struct("<4s2xH18xHH")
"""A member's local header: mark, flags, lengths of its name and of its extra field (APPNOTE 4.3.7)."""
_RATIO_FROM_BYTES = 1_000_000
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_FLAG_ENCRYPTED = 0x1
_FLAGS_UNREADABLE = 0x20 | 0x40
"""Compressed patched data, strong encryption (APPNOTE 4.4.4)."""
_FLAG_UTF8 = 0x800
_ESCAPING_PATH = re.compile(r"[/\\]|[A-Za-z]:|(?:.*[/\\])?\.\.(?:[/\\]|\Z)", re.DOTALL)
"""Absolute paths, paths with a drive letter, and paths with the component ".."."""


class ZipArchive:
    """The members of a zip archive by name; upper and lower case are the same, as in Word."""

    def __init__(self, data: bytes, settings: ReadingSettings) -> None:
        """Raises NoteError: CORRUPT; UNSAFE for zip bombs and paths outside the archive; TOO_LARGE; ENCRYPTED."""
        if data.count(_DIRECTORY_MARK) > _MAX_MEMBERS:
            raise NoteError(Reason.UNSAFE, f"archive of more than {_MAX_MEMBERS} members")
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = archive.infolist()
        except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, OverflowError) as error:
            raise NoteError(Reason.CORRUPT, f"archive: {type(error).__name__}") from None
        self._data = memoryview(data)
        self._members = _checked(members, settings)

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._members

    def size_bytes(self, name: str) -> int:
        """Size of a member as the directory declares it. Raises KeyError if there is no such member."""
        return self._members[name.lower()].file_size

    def read(self, name: str) -> bytes:
        """Return the content of a member.

        Raises KeyError if there is no such member. Raises NoteError: CORRUPT if offset, name, size or checksum differ
        from the directory, UNSUPPORTED for a compression method that Word does not use.
        """
        member = self._members[name.lower()]
        if member.compress_type not in _READABLE:
            raise NoteError(Reason.UNSUPPORTED, f"archive compressed by method {member.compress_type}")
        packed = self._packed(member)
        if member.compress_type == zipfile.ZIP_STORED:
            data = bytes(packed)
        else:
            try:
                # One byte over the declared size reveals a longer member. A limit of 0 would mean no limit.
                data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.file_size + 1)
            except zlib.error:
                raise NoteError(Reason.CORRUPT, "archive member that does not unpack") from None
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise NoteError(Reason.CORRUPT, "archive member of another size or checksum than declared")
        return data

    def _packed(self, member: zipfile.ZipInfo) -> memoryview:
        """Return the member's compressed bytes, which follow its local header."""
        if not 0 <= member.header_offset <= len(self._data) - _LOCAL.size:
            raise NoteError(Reason.CORRUPT, "archive member outside the archive")
        mark, flags, name_length, extra_length = _LOCAL.unpack_from(self._data, member.header_offset)
        if mark != _LOCAL_MARK or member.flag_bits & _FLAGS_UNREADABLE:
            raise NoteError(Reason.CORRUPT, "archive member without a readable header")
        start = member.header_offset + _LOCAL.size
        name = bytes(self._data[start : start + name_length])
        if name.decode("utf-8" if flags & _FLAG_UTF8 else "cp437", "replace") != member.orig_filename:
            raise NoteError(Reason.CORRUPT, "archive member of another name than in the directory")
        start += name_length + extra_length
        return self._data[start : start + member.compress_size]


def _checked(members: list[zipfile.ZipInfo], settings: ReadingSettings) -> dict[str, zipfile.ZipInfo]:
    """Return the members by lower-case name. Raises NoteError if the directory shows a hostile archive."""
    found: dict[str, zipfile.ZipInfo] = {}
    for member in members:
        key = member.filename.lower()
        if _ESCAPING_PATH.match(member.filename):
            raise NoteError(Reason.UNSAFE, "archive member that leads out of the archive")
        if key in found:
            raise NoteError(Reason.UNSAFE, "two archive members of one name")
        if member.flag_bits & _FLAG_ENCRYPTED:
            raise NoteError(Reason.ENCRYPTED, "archive with a password")
        if member.file_size > _RATIO_FROM_BYTES:
            ratio = member.file_size / max(member.compress_size, 1)
            if ratio > settings.max_compression_ratio:
                raise NoteError(Reason.UNSAFE, f"archive member compressed {ratio:.0f} to 1")
        found[key] = member
    total = sum(member.file_size for member in members)
    if total > settings.max_unpacked_bytes:
        raise NoteError(Reason.TOO_LARGE, f"{total} bytes unpacked, limit {settings.max_unpacked_bytes}")
    return found
