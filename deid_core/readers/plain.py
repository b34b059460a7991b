"""Read plain text in UTF-8, UTF-16 with a byte order mark, or CP1252. Each line is a paragraph."""

from __future__ import annotations

import codecs
import re

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import BlockKind, Note
from deid_core.readers.canonical import CanonicalBuilder, check_blocks, clean

_BINARY = re.compile(r"[\x00-\x08\x0e-\x19\x1c-\x1f]")
"""Control characters that occur in no text. 0x1A (end of a DOS file) and 0x1B do occur."""
_MAX_BYTES_PER_CHAR = 4
"""In UTF-8 and UTF-16."""


def decode(data: bytes) -> str:
    """Return the text of the bytes, without byte order mark.

    The mark decides the encoding. Without one, valid UTF-8 is UTF-8 and everything else CP1252.
    Raises NoteError: CORRUPT if the bytes contradict their mark, UNSUPPORTED if they are not text.
    """
    marked = next(
        (
            encoding
            for mark, encoding in (
                (codecs.BOM_UTF8, "utf-8-sig"),
                (codecs.BOM_UTF16_LE, "utf-16"),
                (codecs.BOM_UTF16_BE, "utf-16"),
            )
            if data.startswith(mark)
        ),
        None,
    )
    try:
        text = data.decode(marked or "utf-8")
    except UnicodeDecodeError:
        if marked is not None:
            raise NoteError(Reason.CORRUPT, f"not {marked} though marked so") from None
        try:
            text = data.decode("cp1252")
        except UnicodeDecodeError:
            raise NoteError(Reason.UNSUPPORTED, "neither UTF-8 nor CP1252") from None
    if _BINARY.search(text):
        raise NoteError(Reason.UNSUPPORTED, "no text: holds control characters")
    return text


def read_plain(data: bytes, builder: CanonicalBuilder, max_chars: int | None = None) -> None:
    """Add a paragraph for each line. A final newline does not start another line.

    Raises NoteError like `decode`; TOO_LARGE for more lines than the builder accepts, or for more bytes than
    `max_chars` characters can have; TIMEOUT.
    """
    if max_chars is not None and len(data) > _MAX_BYTES_PER_CHAR * max_chars:
        raise NoteError(Reason.TOO_LARGE, f"over {max_chars} characters of text")
    text = decode(data).replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    check_blocks(text.count("\n") + 1, builder.max_blocks)
    for line in text.split("\n"):
        builder.check_time()
        builder.add(BlockKind.PARAGRAPH, line)


def read_text(text: str, builder: CanonicalBuilder, max_chars: int | None = None) -> None:
    """Add a paragraph for each line of a text that is in memory; every newline counts.

    Raises NoteError: TOO_LARGE for more lines than the builder accepts, or for more characters than `max_chars`;
    TIMEOUT.
    """
    if max_chars is not None and len(text) > max_chars:
        raise NoteError(Reason.TOO_LARGE, f"over {max_chars} characters of text")
    text = clean(text)
    check_blocks(text.count("\n") + 1, builder.max_blocks)
    for line in text.split("\n"):
        builder.check_time()
        builder.add(BlockKind.PARAGRAPH, line)


def note_from_text(text: str, note_id: str = "") -> Note:
    r"""Return the note of a text that is in memory: each line is a paragraph.

    CRLF and CR become LF, and control characters go (see `canonical`). Every other character stays, also a final
    newline. So offsets into `text` and into the note's text are the same unless the text has one of these.

    >>> note_from_text("Herr Muster\r\nkam.").text
    'Herr Muster\nkam.'
    """
    builder = CanonicalBuilder()
    read_text(text, builder)
    return builder.build(note_id)
