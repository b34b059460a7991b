"""Document properties: property sets beside the document (MS-OLEPS), as Word fills them (MS-OSHARED 2.3.3)."""

from __future__ import annotations

import codecs
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from deid_core.core.note import BlockKind
from deid_core.readers.msdoc.budget import Budget
from deid_core.readers.properties import is_value

_PROPERTY, _AUTHOR = BlockKind.PROPERTY, BlockKind.AUTHOR
_SUMMARY = {2: _PROPERTY, 3: _PROPERTY, 4: _AUTHOR, 5: _PROPERTY, 6: _PROPERTY, 8: _AUTHOR}
"""Title, subject, author, keywords, comments, who saved it last."""
_DOCUMENT_SUMMARY = {2: _PROPERTY, 27: _PROPERTY, 15: _PROPERTY, 14: _AUTHOR}
"""Category, content status, company, manager."""
_SUMMARY_SET = bytes.fromhex("e0859ff2f94f6810ab9108002b27b3d9")
_DOCUMENT_SET = bytes.fromhex("02d5cdd59c2e1b10939708002b2cf9ae")
_CUSTOM_SET = bytes.fromhex("05d5cdd59c2e1b10939708002b2cf9ae")
_HEADER_SIZE = 28
_CODE_PAGE = 1
_DICTIONARY = 0
_NARROW = (8, 30)
"""VT_BSTR and VT_LPSTR: bytes in the set's code page."""
_WIDE = 31
_UTF_16 = 1200
_CODECS = {_UTF_16: "utf-16-le", 65001: "utf-8", 10000: "mac_roman", 20127: "ascii", 28591: "iso8859-1"}
_SOFTWARE_NAMES = frozenset({"AppVersion", "Application"})
_MAX_PROPERTIES = 1000


def summary_values(summary: bytes, document_summary: bytes, budget: Budget) -> Iterator[tuple[BlockKind, str]]:
    """The values that may name somebody, in the order of properties.py; a broken set gives those before the break.

    Custom properties come by their names, as LibreOffice has them. Word's own come before, wherever they stand.
    """
    sets = {**dict(_sets(document_summary, budget)), **dict(_sets(summary, budget))}
    first, second, custom = (sets.get(name) for name in (_SUMMARY_SET, _DOCUMENT_SET, _CUSTOM_SET))
    named = [(kind, first.text(number)) for number, kind in _SUMMARY.items()] if first else []
    named += [(kind, second.text(number)) for number, kind in _DOCUMENT_SUMMARY.items()] if second else []
    if custom:
        names = custom.names()
        numbers = sorted(custom.places, key=lambda number: (names.get(number, ""), number))
        named += ((_PROPERTY, custom.text(number)) for number in numbers if names.get(number) not in _SOFTWARE_NAMES)
    yield from ((kind, value) for kind, value in named if is_value(value))


def _sets(data: bytes, budget: Budget) -> Iterator[tuple[bytes, _PropertySet]]:
    """The property sets of a stream by their format identifiers (MS-OLEPS 2.21)."""
    if len(data) < _HEADER_SIZE or data[:2] != b"\xfe\xff":
        return
    count = min(int.from_bytes(data[24:28], "little"), 2)
    for at in range(_HEADER_SIZE, _HEADER_SIZE + 20 * count, 20):
        identifier, start = data[at : at + 16], int.from_bytes(data[at + 16 : at + 20], "little")
        size, properties = (
            int.from_bytes(data[start : start + 4], "little"),
            int.from_bytes(data[start + 4 : start + 8], "little"),
        )
        area = data[start : start + size]
        pairs = [
            struct.unpack_from("<II", area, 8 + 8 * n)
            for n in range(min(properties, _MAX_PROPERTIES, max(len(area) - 8, 0) // 8))
        ]
        yield identifier, _PropertySet(area, dict(pairs), budget)


@dataclass(frozen=True, slots=True)
class _PropertySet:
    """The bytes of one set and the places of its properties by number."""

    area: bytes
    places: dict[int, int]
    budget: Budget

    def text(self, number: int) -> str:
        """The string of a property; "" for none and for a value of another type."""
        at = self.places.get(number, len(self.area))
        kind, length = self._number(at), self._number(at + 4)
        if number in (_DICTIONARY, _CODE_PAGE) or kind not in (*_NARROW, _WIDE):
            return ""
        size, encoding = (2 * length, "utf-16-le") if kind == _WIDE else (length, self.encoding)
        return self._decoded(at + 8, size, encoding)

    def names(self) -> dict[int, str]:
        """The names of custom properties by number (MS-OLEPS 2.17 Dictionary)."""
        at = self.places.get(_DICTIONARY, len(self.area))
        count, at, names = min(self._number(at), _MAX_PROPERTIES), at + 4, {}
        for _ in range(count):
            number, length = self._number(at), self._number(at + 4)
            size = (2 * length + 3) // 4 * 4 if self.encoding == "utf-16-le" else length
            names[number] = self._decoded(at + 8, size, self.encoding)
            at += 8 + size
        return names

    @property
    def encoding(self) -> str:
        """Python's codec for the set's code page; CP1252 where it says none or one that is not known."""
        at = self.places.get(_CODE_PAGE)
        page = self._number(at + 4) & 0xFFFF if at is not None else 1252
        name = _CODECS.get(page, f"cp{page}")
        try:
            return codecs.lookup(name).name
        except LookupError:
            return "cp1252"

    def _decoded(self, at: int, size: int, encoding: str) -> str:
        raw = self.area[at : at + size]
        self.budget.spend(len(raw))
        return raw.decode(encoding, "replace").partition("\0")[0]

    def _number(self, at: int) -> int:
        return int.from_bytes(self.area[at : at + 4], "little")
