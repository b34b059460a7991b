"""An archive's members are zipfile's; whatever is done to its bytes gives the same content or an error of a note."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_package import package, paragraph

from deid_core.core.errors import NoteError, Reason
from deid_core.readers.docx.archive import ZipArchive
from deid_core.readers.docx.package import Package
from deid_core.readers.settings import ReadingSettings

_METHODS = st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
_MEMBERS = st.dictionaries(
    st.text("abäß漢/", min_size=1, max_size=5).filter(lambda name: not name.startswith("/")), st.binary(), max_size=4
)
_AROUND = st.binary(max_size=20).filter(lambda data: b"PK" not in data)
"""What may stand before and behind an archive; marks of the format in it would make it another archive."""


def zipped(members: dict[str, bytes], method: int, prefix: bytes = b"", comment: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        archive.comment = comment
    return prefix + buffer.getvalue()


@given(_MEMBERS, _METHODS, _AROUND, _AROUND)
def test_members_are_those_of_zipfile(members: dict[str, bytes], method: int, prefix: bytes, comment: bytes) -> None:
    data = zipped(members, method, prefix, comment)
    archive = ZipArchive(data, ReadingSettings())
    with zipfile.ZipFile(io.BytesIO(data)) as reference:
        assert {name: archive.read(name) for name in members} == {name: reference.read(name) for name in members}
    assert [archive.size_bytes(name) for name in members] == [len(content) for content in members.values()]


def test_names_are_the_same_in_upper_and_lower_case() -> None:
    archive = ZipArchive(zipped({"Word/Anhang.XML": b"x"}, zipfile.ZIP_STORED), ReadingSettings())
    assert archive.read("word/anhang.xml") == archive.read("WORD/Anhang.xml") == b"x"
    assert "word/anhang" not in archive


_SOUND = {"a": b"Absatz " * 40, "b": bytes(range(256))}


@given(_METHODS, st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=5))
def test_changed_bytes_give_the_same_content_or_an_error(method: int, changes: list[tuple[int, int]]) -> None:
    changed = bytearray(zipped(_SOUND, method))
    for place, value in changes:
        changed[place % len(changed)] = value
    try:
        archive = ZipArchive(bytes(changed), ReadingSettings())
        found = {name: archive.read(name) for name in _SOUND if name in archive}
    except NoteError as error:
        assert error.reason in (Reason.CORRUPT, Reason.UNSAFE, Reason.ENCRYPTED, Reason.TOO_LARGE, Reason.UNSUPPORTED)
    else:
        assert found.items() <= _SOUND.items()


def header(data: bytes, at: int, value: bytes) -> bytes:
    """The archive with bytes of its first member's own header changed."""
    return data[:at] + value + data[at + len(value) :]


def directory(data: bytes, at: int, value: bytes) -> bytes:
    """The archive with bytes of its directory's first entry changed."""
    return header(data, data.index(b"PK\x01\x02") + at, value)


_ONE = zipped({"a": b"Absatz " * 40}, zipfile.ZIP_DEFLATED)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (header(_ONE, 0, b"XX"), Reason.CORRUPT),
        (header(_ONE, 30, b"b"), Reason.CORRUPT),  # another name than in the directory
        (header(_ONE, 40, b"\xff\xff"), Reason.CORRUPT),
        (directory(_ONE, 8, b"\x20"), Reason.CORRUPT),  # patched data
        (directory(_ONE, 8, b"\x40"), Reason.CORRUPT),  # strong encryption
        (directory(_ONE, 10, b"\x0c"), Reason.UNSUPPORTED),  # bzip2
        (directory(_ONE, 16, b"\0\0\0\0"), Reason.CORRUPT),  # checksum
        (directory(_ONE, 20, b"\x05\0\0\0"), Reason.CORRUPT),  # fewer packed bytes
        (directory(_ONE, 24, b"\0\0\0\0"), Reason.CORRUPT),  # fewer bytes than there are
        (directory(_ONE, 24, b"\xff\0\0\0"), Reason.CORRUPT),
        (directory(_ONE, 42, b"\xff\xff\0\0"), Reason.CORRUPT),  # a place behind the end
    ],
)
def test_members_that_are_not_as_declared(data: bytes, expected: Reason) -> None:
    assert ZipArchive(_ONE, ReadingSettings()).read("a") == b"Absatz " * 40
    with pytest.raises(NoteError) as caught:
        ZipArchive(data, ReadingSettings()).read("a")
    assert caught.value.reason is expected


def test_a_part_is_unpacked_when_it_is_asked_for() -> None:
    """A broken picture or style sheet keeps no note from being read; a broken body does."""
    data = package(paragraph("Text"), extra={"word/styles.xml": b"Formatvorlagen" * 9})
    at = data.index(b"word/styles.xml") + len("word/styles.xml")
    broken = data[:at] + b"\xff\xff\xff\xff" + data[at + 4 :]
    with pytest.raises(NoteError):
        ZipArchive(broken, ReadingSettings()).read("word/styles.xml")
    assert "Text" in "".join(map(str, Package(broken, ReadingSettings()).root("word/document.xml").itertext()))


def test_the_limit_of_xml_holds_for_a_document_with_what_it_imports() -> None:
    data = package(paragraph("Text"))
    first = Package(data, ReadingSettings())
    first.root(first.main)
    assert first.xml_bytes > 1000
    limit = ReadingSettings(max_xml_bytes=2 * first.xml_bytes - 1)
    second = Package(data, limit, importer=first)
    with pytest.raises(NoteError) as caught:
        second.root(second.main)
    assert caught.value.reason is Reason.TOO_LARGE


@pytest.mark.parametrize("encoding", ["ascii", "utf-16", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("declaration", ["<!DOCTYPE a>", '<!DOCTYPE a [<!ENTITY x "Text">]>', "<!ENTITY"])
def test_declarations_are_found_in_every_encoding(declaration: str, encoding: str) -> None:
    data = package("", raw_document=f"{declaration}<a/>".encode(encoding))
    document = Package(data, ReadingSettings())
    with pytest.raises(NoteError) as caught:
        document.root(document.main)
    assert caught.value.reason is Reason.UNSAFE
