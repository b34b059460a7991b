"""Strings in the table and Data streams: counted UTF-16, one after the other or in a string table (MS-DOC 2.2.4)."""

from __future__ import annotations

import struct

from deid_core.readers.msdoc.refused import DocRefused

_EXTENDED = 0xFFFF


def string(data: bytes, at: int, *, terminated: bool = False) -> tuple[str, int]:
    """Return an Xst or Xstz (2.9.353, 2.9.354) and where it ends, final zero included. Raises DocRefused if cut off."""
    length = int.from_bytes(data[at : at + 2], "little")
    end = at + 2 + 2 * length
    if at + 2 > len(data) or end > len(data):
        raise DocRefused("strings: cut off")
    return data[at + 2 : end].decode("utf-16-le", "replace"), end + (2 if terminated else 0)


def strings(data: bytes) -> list[str]:
    """Xsts up to the end of the bytes. Raises DocRefused if the last is cut off."""
    found, at = [], 0
    while at < len(data):
        text, at = string(data, at)
        found.append(text)
    return found


def string_table(data: bytes, at: int = 0) -> list[str]:
    """The strings of an STTB of UTF-16, without their extra data; [] for b"". Raises DocRefused for another kind."""
    if not data:
        return []
    if at + 6 > len(data):
        raise DocRefused("strings: cut off")
    mark, count, extra = struct.unpack_from("<HHH", data, at)
    if mark != _EXTENDED:
        raise DocRefused("strings: a table of bytes")
    found, at = [], at + 6
    for _ in range(count):
        text, at = string(data, at)
        found.append(text)
        at += extra
    return found
