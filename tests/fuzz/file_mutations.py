"""Changes to files at random: to their bytes, to the members of an archive, to the elements of XML."""

from __future__ import annotations

import io
import re
import struct
import warnings
import zipfile
from collections.abc import Callable
from random import Random

Mutation = Callable[[Random, bytes], bytes]

_NUMBERS = (0, 1, 2, 0x7F, 0xFF, 0x100, 0xFFFE, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
"""Values at which counts and offsets go wrong."""
_BLOCK = 512
_TAG = re.compile(rb"<[^<>]*>")
_ELEMENTS = tuple(
    f"<{name}>".encode()
    for name in (
        "w:p w:r w:t w:tbl w:tr w:tc w:sdt w:ins w:del w:moveFrom w:delText w:instrText w:txbxContent w:fldSimple "
        "w:hyperlink w:altChunk w:sectPr w:footnote w:comment w:pict w:ffData w:ddList mc:AlternateContent mc:Choice "
        "a:p a:t m:t v:textpath"
    ).split()
)
_FRAGMENTS = (
    b'<w:fldChar w:fldCharType="begin"/>',
    b'<w:fldChar w:fldCharType="separate"/>',
    b'<w:fldChar w:fldCharType="end"/>',
    b'<w:sym w:char="110000"/>',
    b'<w:sym w:char="-1"/>',
    b'<w:sym w:char="D800"/>',
    b'<w:br w:type="page"/>',
    b'<w:altChunk r:id="rId1"/>',
    b'<w:ddList><w:result w:val="99999999999"/><w:listEntry w:val="a"/></w:ddList>',
    b'<w:ddList><w:result w:val="\xc2\xb2"/><w:listEntry w:val="a"/></w:ddList>',
    b"<!DOCTYPE a>",
    b"<!-- -->",
    b"<![CDATA[<w:p/>]]>",
    b"<?x y?>",
    b"&#0;",
    b"&#xD800;",
    b"&amp;",
    b"&x;",
    b"\x00",
    b"\xff\xfe",
    "\U0001f600\u200b\ufeff\ufffe".encode(),
)
_SOUND = 10
"""Fragments after so many spoil the XML."""
_MOST_TIMES = 2_000
_NAMELESS = "a name that becomes NUL"
"""zipfile reads a name up to a NUL, and writes no empty name."""


def flip_bytes(random: Random, data: bytes) -> bytes:
    """Change up to 30 bytes."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 30) if changed else 0):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def set_numbers(random: Random, data: bytes) -> bytes:
    """Overwrite up to 8 integers of 2 or 4 bytes, more often at the start, where headers are."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 8)):
        form = random.choice(("<H", "<I"))
        number = random.choice((*_NUMBERS, len(data), len(data) // _BLOCK)) & (0xFFFF if form == "<H" else 0xFFFFFFFF)
        end = random.choice((_BLOCK, 2 * _BLOCK, 8 * _BLOCK, len(data)))
        at = random.randrange(max(min(end, len(data)) // 2, 1)) * 2
        if at + 4 <= len(changed):
            struct.pack_into(form, changed, at, number)
    return bytes(changed)


def truncate(random: Random, data: bytes) -> bytes:
    """Cut off the end."""
    return data[: random.randrange(len(data) + 1)]


def swap_blocks(random: Random, data: bytes) -> bytes:
    """Swap two blocks of 512 bytes."""
    blocks = [data[at : at + _BLOCK] for at in range(0, len(data), _BLOCK)]
    if len(blocks) > 1:
        a, b = random.sample(range(len(blocks)), 2)
        blocks[a], blocks[b] = blocks[b], blocks[a]
    return b"".join(blocks)


def repeat_part(random: Random, data: bytes) -> bytes:
    """Repeat a short part up to 2,000 times."""
    start = random.randrange(len(data) + 1)
    end = min(start + random.randint(1, 200), len(data))
    return data[:end] + data[start:end] * random.randint(1, _MOST_TIMES) + data[end:]


def change_tags(random: Random, xml: bytes) -> bytes:
    """Delete, double, swap or replace tags."""
    parts = re.split(rb"(<[^<>]*>)", xml)
    places = range(1, len(parts), 2)
    for _ in range(random.randint(1, 10) if len(places) > 1 else 0):
        a, b = random.sample(places, 2)
        match random.randrange(4):
            case 0:
                parts[a] = b""
            case 1:
                parts[a] += parts[a]
            case 2:
                parts[a], parts[b] = parts[b], parts[a]
            case _:
                parts[a] = parts[b]
    return b"".join(parts)


def change_elements(random: Random, xml: bytes) -> bytes:
    """Insert fragments, or wrap a place in elements, up to 300 deep: well-formed where the place is text or a gap."""
    places = [match.end() for match in _TAG.finditer(xml)]
    for _ in range(random.randint(1, 5) if places else 0):
        at = random.choice(places)
        element = random.choice(_ELEMENTS)
        closing = b"</" + element[1:]
        sound = (*_FRAGMENTS[:_SOUND], element + b"Text" + closing, element + closing)
        fragment = random.choice(sound if random.random() < 0.8 else _FRAGMENTS)
        match random.randrange(3):
            case 0:
                inserted = fragment
            case 1:
                inserted = fragment * random.randint(1, _MOST_TIMES)
            case _:
                depth = random.randint(1, 300)
                inserted = element * depth + fragment + closing * depth
        xml = xml[:at] + inserted + xml[at:]
    return xml


def change_archive(random: Random, data: bytes) -> bytes:
    """Drop, rename, double or change members of a zip archive; checksums and sizes are right afterwards."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    except Exception:  # not every seed is a sound archive
        return flip_bytes(random, data)
    buffer = io.BytesIO()
    target = random.choice([name for name, _ in members if "document" in name or random.random() < 0.3] or [""])
    method = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members:
            if name == target:
                match random.randrange(12):
                    case 0:
                        continue
                    case 1:
                        name = random.choice((*(other for other, _ in members), name.upper(), "../" + name, "\0"))
                    case 2:
                        content = random.choice(members)[1]
                    case _:
                        content = random.choice(XML)(random, content)
            archive.writestr(name.replace("\0", "") or _NAMELESS, content)
    return buffer.getvalue().replace(_NAMELESS.encode(), b"\0" * len(_NAMELESS))


BYTES: tuple[Mutation, ...] = (flip_bytes, set_numbers, truncate, swap_blocks, repeat_part)
XML: tuple[Mutation, ...] = (*[change_elements] * 6, change_tags, repeat_part, flip_bytes)
ARCHIVE: tuple[Mutation, ...] = (*[change_archive] * 20, *BYTES)
