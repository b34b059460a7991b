"""Detect the format of a file from its bytes, because many files named .doc are RTF or web pages."""

from __future__ import annotations

import codecs
import io
import struct

import olefile

from deid_core.core.errors import NoteError, Reason
from deid_core.core.file_formats import Format

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_MARKUP = (b"<!doctype", b"<html", b"<?xml", b"<head", b"<body", b"<meta", b"mime-version:")
_ODT = b"mimetypeapplication/vnd.oasis.opendocument.text"
"""Name and content of the first archive member of an .odt, uncompressed, after the local header of 30 bytes."""
_ODT_AT = 30
_OTHER_PROGRAMS = {b"%PDF-": "a PDF document", b"%!PS": "a PostScript document"}
"""First bytes of files that may consist of ASCII characters alone and are no text."""
_WORD_2 = b"\xdb\xa5"
"""wIdent of Word 2, whose files are no compound files."""
_FIB_LENGTH = 12
_MAX_STREAM_RATIO = 4
"""Highest ratio of a stream's declared size to the file's size. A truncated file exceeds 1. Larger ratios are refused
because olefile follows a cyclic sector chain up to the declared size."""
_WORD_6_TO_2019 = (0xA5DC, 0xA5EC, 0xA699)
"""wIdent of the FIB: Word 6 and 95, Word 97 and later (MS-DOC 2.5.2), and one that LibreOffice reads as Word 6."""
_ENCRYPTED = 0x0100
"""fEncrypted in the FIB's flags, the same bit in Word 2, 6 and 97; set for XOR obfuscation as well."""


def format_of(data: bytes, *, ending: str) -> Format:
    """Return the format of a file's bytes. `ending`, such as ".txt", only decides whether markup is plain text.

    Raises NoteError: EMPTY for no bytes, ENCRYPTED, CORRUPT for a broken container, UNSUPPORTED otherwise. Web pages
    are refused, because opening them may load external content.
    """
    if not data:
        raise NoteError(Reason.EMPTY, "0 bytes")
    if is_compound(data):
        _check_word_document(data)
        return Format.DOC
    if data.startswith(_ZIP):
        return Format.ODT if data.startswith(_ODT, _ODT_AT) else Format.DOCX
    if data.startswith(_WORD_2):
        _check_header(data[:_FIB_LENGTH])
        return Format.DOC
    for mark, name in _OTHER_PROGRAMS.items():
        if data.startswith(mark):
            raise NoteError(Reason.UNSUPPORTED, name)
    start = data[:512].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    if start.startswith(b"{\\rtf"):
        return Format.RTF
    if start.startswith(_MARKUP) and ending.lower() != ".txt":
        raise NoteError(Reason.UNSUPPORTED, "a web page or XML document")
    return Format.TEXT


def is_compound(data: bytes) -> bool:
    """Whether the bytes start like a compound file, the container of .doc and of other formats."""
    return data.startswith(_OLE)


def _check_word_document(data: bytes) -> None:
    """Raise NoteError unless the compound file holds a Word document without a password."""
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as container:
            if container.exists("EncryptedPackage"):
                raise NoteError(Reason.ENCRYPTED, "a .docx with a password")
            if not container.exists("WordDocument"):
                raise NoteError(Reason.UNSUPPORTED, "a compound file without a Word document")
            if max(container.root.size, container.get_size("WordDocument")) > _MAX_STREAM_RATIO * len(data):
                raise NoteError(Reason.CORRUPT, "compound file: a stream far larger than the file")
            fib = container.openstream("WordDocument").read(_FIB_LENGTH)
    except NoteError:
        raise
    except Exception as error:
        # olefile raises many exceptions for broken files: OSError, struct.error, IndexError, TypeError and others.
        raise NoteError(Reason.CORRUPT, f"compound file: {type(error).__name__}") from None
    identifier = _check_header(fib)
    if identifier not in _WORD_6_TO_2019:
        raise NoteError(Reason.UNSUPPORTED, f"Word document of identifier 0x{identifier:04X}")


def _check_header(fib: bytes) -> int:
    """Return the identifier of a file information block. Raises NoteError: CORRUPT if cut off, ENCRYPTED."""
    if len(fib) < _FIB_LENGTH:
        raise NoteError(Reason.CORRUPT, "Word document without a header")
    identifier, flags = struct.unpack_from("<H8xH", fib)
    if flags & _ENCRYPTED:
        raise NoteError(Reason.ENCRYPTED, "a .doc with a password")
    return int(identifier)
