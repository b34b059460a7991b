"""Plain text: encodings, line ends, blocks."""

from __future__ import annotations

import codecs
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import Note
from deid_core.readers.plain import decode

Read = Callable[..., Note | NoteError]
TEXT = "Frau Müller, 80 €,\nStraße"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode("utf-8"),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("cp1252"),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.replace("\n", "\r\n").encode("cp1252"),
        TEXT.replace("\n", "\r").encode("utf-8") + b"\r",
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a.doc"])
def test_encodings_and_line_ends(read_note: Read, data: bytes, name: str) -> None:
    note = read_note(data, name)
    assert isinstance(note, Note)
    assert note.text == TEXT
    assert [note.block_text(block) for block in note.blocks] == TEXT.split("\n")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (codecs.BOM_UTF8 + b"M\xfcller", Reason.CORRUPT),
        (codecs.BOM_UTF16_LE + b"abc", Reason.CORRUPT),
        (b"M\xfcller \x81", Reason.UNSUPPORTED),
        (b"a\x00b", Reason.UNSUPPORTED),
        (b"\xff\xfe\x00\x00a\x00\x00\x00", Reason.UNSUPPORTED),
        (b" \r\n\t\n", Reason.EMPTY),
    ],
)
def test_bytes_that_are_no_text(read_note: Read, data: bytes, expected: Reason) -> None:
    result = read_note(data, "a.txt")
    assert isinstance(result, NoteError)
    assert result.reason is expected


def test_markup_in_a_text_file_is_text(read_note: Read) -> None:
    note = read_note(b"<html>Befund", "a.TXT")
    assert isinstance(note, Note)
    assert note.text == "<html>Befund"


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc",))))
def test_utf8_is_read_as_it_was_written(text: str) -> None:
    assert decode(codecs.BOM_UTF8 + text.encode()) == text


@given(st.binary())
def test_any_bytes_give_text_or_a_reason(data: bytes) -> None:
    try:
        assert isinstance(decode(data), str)
    except NoteError as error:
        assert error.reason in (Reason.CORRUPT, Reason.UNSUPPORTED)
