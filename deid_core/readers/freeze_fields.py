"""Keep the saved results of fields in .doc and .odt that LibreOffice would recompute.

A letter's "Heidelberg, den 12.03.2009" is often a DATE field. LibreOffice would write the day of the conversion
instead, and for FILENAME the name of its temporary input. A byte in the field tables holds the kind of each field
(MS-DOC 2.8.25 PlcFld, 2.9.89 Fld). With an unused kind, LibreOffice keeps the saved result as text. In an .odt the
result is the content of the field's element (OpenDocument 1.3, part 3, 7), and the tags are removed. Nothing else is
changed.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile

import olefile

from deid_core.core.errors import NoteError, Reason
from deid_core.readers.docx.archive import ZipArchive
from deid_core.readers.settings import ReadingSettings

_WORD_97 = 0xA5EC
_FLAG_TABLE = 0x0200
"""fWhichTblStm: which of the two table streams is in use (MS-DOC 2.5.2)."""
_TABLES_AT = 0x9A
"""FibRgFcLcb97, pairs of offset and length (MS-DOC 2.5.6)."""
_FIELD_TABLES = (16, 17, 18, 19, 48, 57, 59)
"""Fields of the body, headers, footnotes, comments, endnotes, text boxes, text boxes of headers: numbers of pairs."""
_BEGIN = 0x13
_NO_FIELD = 92
_RECOMPUTED = frozenset(
    (
        *range(15, 21),  # TITLE SUBJECT AUTHOR KEYWORDS COMMENTS LASTSAVEDBY
        *range(21, 26),  # CREATEDATE SAVEDATE PRINTDATE REVNUM EDITTIME
        *range(29, 33),  # FILENAME TEMPLATE DATE TIME
        *(60, 61, 62, 69, 85),  # USERNAME USERINITIALS USERADDRESS FILESIZE DOCPROPERTY
    )
)
"""Kinds of fields (MS-DOC 2.9.90 flt) that LibreOffice computes from the document, the clock or its user."""
_ODT_PARTS = ("content.xml", "styles.xml", "META-INF/manifest.xml")
_ODT_MANIFEST = _ODT_PARTS[-1]
_ODT_FIELDS = (
    "date|time|file-name|template-name|title|subject|keywords|description|author-name|author-initials|initial-creator|"
    "creator|printed-by|creation-date|creation-time|modification-date|modification-time|print-date|print-time|"
    "editing-cycles|editing-duration|sender-[a-z-]+|user-defined"
)
_ODT_FIELD_TAG = re.compile(rf"</?text:(?:{_ODT_FIELDS})(?:\s[^<>]*)?>".encode())
"""Start and end tags; programs write the prefix "text" and no ">" within an attribute."""


def with_saved_results(data: bytes) -> bytes | None:
    """Return the .doc with these kinds replaced, or None if it is older than Word 97 or has broken tables."""
    buffer = io.BytesIO(data)
    try:
        with olefile.OleFileIO(buffer, write_mode=True) as container:
            fib = container.openstream("WordDocument").read(_TABLES_AT + 8 * (max(_FIELD_TABLES) + 1))
            identifier, flags = struct.unpack_from("<H8xH", fib)
            if identifier != _WORD_97:
                return None
            name = "1Table" if flags & _FLAG_TABLE else "0Table"
            if container.get_size(name) > len(data):
                return None
            tables = bytearray(container.openstream(name).read())
            places = [struct.unpack_from("<II", fib, _TABLES_AT + 8 * number) for number in _FIELD_TABLES]
            if not any([_neutralise(tables, offset, length) for offset, length in places]):
                return data
            container.write_stream(name, bytes(tables))
    except Exception:
        # olefile raises many exceptions for broken files. LibreOffice may still read them.
        return None
    return buffer.getvalue()


def odt_with_saved_results(data: bytes, settings: ReadingSettings) -> bytes:
    """Return the .odt with these fields as plain text.

    Raises NoteError: what `ZipArchive` raises; TOO_LARGE for too much XML; ENCRYPTED for a document with a password.
    """
    archive = ZipArchive(data, settings)
    if sum(archive.size_bytes(name) for name in _ODT_PARTS if name in archive) > settings.max_xml_bytes:
        raise NoteError(Reason.TOO_LARGE, f"over {settings.max_xml_bytes} bytes of XML, limit max_xml_bytes")
    if _ODT_MANIFEST in archive and b":encryption-data" in archive.read(_ODT_MANIFEST):
        raise NoteError(Reason.ENCRYPTED, "an .odt with a password")
    buffer = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
            for name in old.namelist():
                content = archive.read(name)
                method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
                new.writestr(name, _ODT_FIELD_TAG.sub(b"", content) if name in _ODT_PARTS else content, method)
    except (ValueError, IndexError, OverflowError, struct.error) as error:
        # zipfile reads names that it cannot write, such as an empty one.
        raise NoteError(Reason.CORRUPT, f"archive: {type(error).__name__}") from None
    return buffer.getvalue()


def _neutralise(tables: bytearray, offset: int, length: int) -> bool:
    """Change one field table: n + 1 positions of 4 bytes, then n pairs of mark and kind. Return whether it changed."""
    fields = max(length - 4, 0) // 6
    start = offset + 4 * (fields + 1)
    changed = False
    for at in range(start, min(start + 2 * fields, len(tables) - 1), 2):
        if tables[at] & 0x1F == _BEGIN and tables[at + 1] in _RECOMPUTED:
            tables[at + 1] = _NO_FIELD
            changed = True
    return changed
