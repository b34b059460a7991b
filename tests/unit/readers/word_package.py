"""Builds .docx packages part by part, broken and hostile ones too."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping

NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    }.items()
)
_WML = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_TYPES = {
    "document": f"{_WML}.document.main+xml",
    "header": f"{_WML}.header+xml",
    "footer": f"{_WML}.footer+xml",
    "footnotes": f"{_WML}.footnotes+xml",
    "endnotes": f"{_WML}.endnotes+xml",
    "comments": f"{_WML}.comments+xml",
    "core": "application/vnd.openxmlformats-package.core-properties+xml",
    "app": "application/vnd.openxmlformats-officedocument.extended-properties+xml",
    "custom": "application/vnd.openxmlformats-officedocument.custom-properties+xml",
}
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_CORE = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
_RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"


def part(name: str, content: str) -> str:
    """The XML of a part: `name` is its root element, such as "w:hdr"."""
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><{name} {NAMESPACES}>{content}</{name}>'


def paragraph(text: str) -> str:
    return f'<w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def package(
    body: str,
    parts: Mapping[str, str | bytes] | None = None,
    *,
    extra: Mapping[str, bytes] | None = None,
    raw_document: str | bytes | None = None,
    external: str = "",
) -> bytes:
    """A .docx of a body and of parts such as "header1" or "core", whose relationship ids are their names.

    extra: archive members that nothing refers to. external: relationships of the document, as XML.
    """
    parts = dict(parts or {})
    document = raw_document or part("w:document", f"<w:body>{body}</w:body>")
    kinds = {name: name.rstrip("0123456789") for name in parts}
    types = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{_TYPES[kind]}"/>'
        for name, kind in {"document": "document", **kinds}.items()
        if kind in _TYPES
    )
    package_relations = f'<Relationship Id="rId1" Type="{_OFFICE}officeDocument" Target="word/document.xml"/>'
    document_relations = external
    for name, kind in kinds.items():
        if kind == "core":
            package_relations += f'<Relationship Id="{name}" Type="{_CORE}" Target="/word/{name}.xml"/>'
        elif kind in ("app", "custom"):
            full = {"app": "extended-properties", "custom": "custom-properties"}[kind]
            package_relations += f'<Relationship Id="{name}" Type="{_OFFICE}{full}" Target="word/{name}.xml"/>'
        else:
            document_relations += f'<Relationship Id="{name}" Type="{_OFFICE}{kind}" Target="{name}.xml"/>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            f'<Default Extension="xml" ContentType="application/xml"/>{types}</Types>',
        )
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{_RELATIONSHIPS}">{package_relations}</Relationships>')
        archive.writestr("word/document.xml", document)
        archive.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{_RELATIONSHIPS}">{document_relations}</Relationships>',
        )
        for name, content in parts.items():
            archive.writestr(f"word/{name}.xml", content)
        for name, data in (extra or {}).items():
            archive.writestr(name, data)
    return buffer.getvalue()


def compound_file(streams: Mapping[str, bytes]) -> bytes:
    """An OLE compound file (MS-CFB) to 7 MB; streams are filled up to 4,096 bytes, so that none is a short one."""
    end, table_mark, free = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
    directory_sectors = (len(streams) + 1 + 3) // 4
    sectors = directory_sectors + sum(-(-max(len(data), 4096) // 512) for data in streams.values())
    table_sectors = -(-sectors // 127)
    table = [table_mark] * table_sectors
    table += [*range(table_sectors + 1, table_sectors + directory_sectors), end]
    entries = [_entry("Root Entry", 5, end, 0, child=1 if streams else free)]
    body = b""
    for number, (name, data) in enumerate(streams.items(), start=1):
        data = data.ljust(4096, b"\0")
        data += b"\0" * (-len(data) % 512)
        first = len(table)
        entries.append(_entry(name, 2, first, len(data), right=number + 1 if number < len(streams) else free))
        table += [*range(first + 1, first + len(data) // 512), end]
        body += data
    directory = b"".join(entries).ljust(512 * directory_sectors, b"\0")
    header = struct.pack("<8s16xHHHHH6xIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6,
                         0, table_sectors, table_sectors, 0, 4096, end, 0, end, 0)  # fmt: skip
    header += struct.pack("<109I", *range(table_sectors), *[free] * (109 - table_sectors))
    table += [free] * (128 * table_sectors - len(table))
    return header + struct.pack(f"<{len(table)}I", *table) + directory + body


def _entry(name: str, kind: int, first: int, size: int, child: int = 0xFFFFFFFF, right: int = 0xFFFFFFFF) -> bytes:
    encoded = name.encode("utf-16-le")
    return struct.pack("<64sHBBIII36xIQ", encoded, len(encoded) + 2, kind, 1, 0xFFFFFFFF, right, child, first, size)


def word_document(identifier: int = 0xA5EC, flags: int = 0) -> bytes:
    """The first bytes of a WordDocument stream: a FIB's identifier and flags."""
    return struct.pack("<H8xH", identifier, flags)
