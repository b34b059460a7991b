"""The zip package of a .docx, checked before anything opens it and rebuilt from the parts that hold text.

python-docx unpacks and parses whatever a package holds. So it gets another package: only parts that can hold text, each
checked for size, compression, document type and encoding, only relationships between them, nothing outside.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from dataclasses import dataclass
from urllib.parse import unquote
from xml.sax.saxutils import quoteattr

from lxml import etree

from deid_core.config import ReadingSettings
from deid_core.errors import NoteError, Reason

_MAX_MEMBERS = 10_000
_MEMBER_MARK = b"PK\x01\x02"
_RATIO_FROM_BYTES = 1_000_000
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_FLAG_ENCRYPTED = 0x1

# Relationships whose target holds text, by the last part of their type; those of styles, pictures, fonts, embedded
# objects, settings and the glossary (building blocks that the document may use, not its content) are left out.
_TEXT_RELATIONS = frozenset(
    {
        "officeDocument", "header", "footer", "footnotes", "endnotes", "comments", "aFChunk", "chart",
        "diagramData", "core-properties", "coreProperties", "extended-properties", "extendedProperties",
        "custom-properties", "customProperties",
    }
)  # fmt: skip
_DOCUMENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_OPAQUE_TYPE = "application/octet-stream"
_DTD = re.compile(
    b"|".join(
        re.escape(mark.encode(code))
        for mark in ("<!DOCTYPE", "<!ENTITY")
        for code in ("ascii", "utf-16-le", "utf-16-be")
    )
)
_ENCODING = re.compile(rb"""^[^>]{0,200}?encoding\s*=\s*["']([^"']*)["']""")
_ENCODINGS = frozenset({b"utf-8", b"utf-16", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252"})
"""In these the search for a document type cannot be fooled."""
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/([a-zA-Z]+)/")
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)


@dataclass(frozen=True, slots=True)
class _Relation:
    id: str
    type: str
    target: str
    """Name of a part in the package."""


class Package:
    """A zip archive under limits: declared sizes are checked when it is opened, real ones as parts are read."""

    def __init__(self, data: bytes, settings: ReadingSettings) -> None:
        """Raises NoteError: CORRUPT, UNSAFE, TOO_LARGE, ENCRYPTED or UNSUPPORTED (no Word document in it)."""
        if data.count(_MEMBER_MARK) > _MAX_MEMBERS:
            raise NoteError(Reason.UNSAFE, f"archive of more than {_MAX_MEMBERS} members")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, OverflowError) as error:
            raise NoteError(Reason.CORRUPT, f"archive: {type(error).__name__}") from None
        self._settings = settings
        self._xml_bytes = 0
        self._members: dict[str, zipfile.ZipInfo] = {}
        self._check_members()
        self._types = self._content_types()

    def rebuilt(self) -> bytes:
        """A package of the checked parts that hold text, stored without compression.

        Raises NoteError as the constructor.
        """
        parts: dict[str, bytes] = {}
        types: dict[str, str] = {}
        queue = [""]
        relations: dict[str, list[_Relation]] = {}
        main = None
        while queue:
            name = queue.pop()
            relations[name] = self._relations(name)
            for relation in relations[name]:
                if relation.type == "officeDocument" and name == "":
                    main = main or relation.target
                if relation.target not in parts:
                    # A document within the document is opened by its own bytes, whatever its type is called.
                    content_type = _OPAQUE_TYPE if relation.type == "aFChunk" else self._type(relation.target)
                    parts[relation.target] = self._part(relation.target, xml=_is_xml(content_type))
                    types[relation.target] = content_type
                    if content_type != _OPAQUE_TYPE:
                        queue.append(relation.target)
        if main is None:
            raise NoteError(Reason.UNSUPPORTED, "archive without a Word document")
        if "wordprocessingml" not in types[main] and "ms-word" not in types[main]:
            raise NoteError(Reason.UNSUPPORTED, "archive of another Office program")
        types[main] = _DOCUMENT_TYPE
        return _written(parts, types, relations)

    def _check_members(self) -> None:
        total = 0
        for member in self._archive.infolist():
            name = member.filename
            key = name.lower()
            if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or re.match(r"[A-Za-z]:", name):
                raise NoteError(Reason.UNSAFE, "archive member that leads out of the archive")
            if key in self._members:
                raise NoteError(Reason.UNSAFE, "two archive members of one name")
            if member.flag_bits & _FLAG_ENCRYPTED:
                raise NoteError(Reason.ENCRYPTED, "archive with a password")
            if member.file_size > _RATIO_FROM_BYTES:
                ratio = member.file_size / max(member.compress_size, 1)
                if ratio > self._settings.max_compression_ratio:
                    raise NoteError(Reason.UNSAFE, f"archive member compressed {ratio:.0f} to 1")
            total += member.file_size
            self._members[key] = member
        if total > self._settings.max_unpacked_bytes:
            raise NoteError(Reason.TOO_LARGE, f"{total} bytes unpacked, limit {self._settings.max_unpacked_bytes}")

    def _part(self, name: str, *, xml: bool = True) -> bytes:
        member = self._members[name.lower()]
        if member.compress_type not in _READABLE:
            raise NoteError(Reason.UNSUPPORTED, f"archive compressed by method {member.compress_type}")
        if xml:
            self._xml_bytes += member.file_size
            if self._xml_bytes > self._settings.max_xml_bytes:
                raise NoteError(Reason.TOO_LARGE, f"over {self._settings.max_xml_bytes} bytes of XML")
        try:
            with self._archive.open(member) as file:
                # zipfile stops at the size that the directory declares; a byte more shows if it ever should not.
                data = file.read(member.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, RuntimeError) as error:
            raise NoteError(Reason.CORRUPT, f"archive member: {type(error).__name__}") from None
        if len(data) > member.file_size:
            raise NoteError(Reason.UNSAFE, "archive member larger than declared")
        return _checked_xml(data) if xml else data

    def _relations(self, source: str) -> list[_Relation]:
        """Relations of a part ("" is the package) to parts that are there and can hold text."""
        folder, base = posixpath.split(source)
        name = posixpath.join(folder, "_rels", base + ".rels")
        if name.lower() not in self._members:
            if not source:
                raise NoteError(Reason.UNSUPPORTED, "archive without a Word document")
            return []
        found = []
        for element in _parse(self._part(name)):
            if not isinstance(element.tag, str) or element.get("TargetMode") == "External":
                continue
            kind = element.get("Type", "").rpartition("/")[2]
            target = posixpath.normpath(posixpath.join("/", folder, unquote(element.get("Target", "")))).lstrip("/")
            if kind in _TEXT_RELATIONS and target.lower() in self._members and "Id" in element.attrib:
                found.append(_Relation(element.get("Id", ""), kind, target))
        return found

    def _content_types(self) -> dict[str, str]:
        """Content types by "/part" and by ".ending", in lower case."""
        if "[content_types].xml" not in self._members:
            raise NoteError(Reason.UNSUPPORTED, "archive without content types, no Office document")
        types = {}
        for element in _parse(self._part("[Content_Types].xml")):
            key = element.get("PartName") or "." + element.get("Extension", "")
            types[key.lower()] = element.get("ContentType", "")
        return types

    def _type(self, name: str) -> str:
        ending = posixpath.splitext(name)[1]
        return self._types.get("/" + name.lower()) or self._types.get(ending.lower()) or _OPAQUE_TYPE


def _is_xml(content_type: str) -> bool:
    return content_type.endswith(("+xml", "/xml"))


def _checked_xml(data: bytes) -> bytes:
    """The part, with the namespaces of Strict OOXML put into the usual ones.

    Raises NoteError: UNSAFE for a document type or entity declaration, UNSUPPORTED for an encoding that could hide one.
    """
    if _DTD.search(data):
        raise NoteError(Reason.UNSAFE, "XML with a document type or entity declaration")
    encoding = _ENCODING.match(data)
    if encoding and encoding.group(1).lower() not in _ENCODINGS:
        raise NoteError(Reason.UNSUPPORTED, "XML in a rare encoding")
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data)


def _parse(data: bytes) -> etree._Element:
    try:
        return etree.fromstring(data, _PARSER)
    except (etree.XMLSyntaxError, ValueError):
        raise NoteError(Reason.CORRUPT, "XML that does not parse") from None


def _written(parts: dict[str, bytes], types: dict[str, str], relations: dict[str, list[_Relation]]) -> bytes:
    """The bytes of a zip archive of these parts and relations."""
    overrides = "".join(
        f"<Override PartName={quoteattr('/' + name)} ContentType={quoteattr(content_type)}/>"
        for name, content_type in types.items()
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f"{overrides}</Types>",
        )
        for source, outgoing in relations.items():
            if outgoing:
                folder, base = posixpath.split(source)
                archive.writestr(posixpath.join(folder, "_rels", base + ".rels"), _relations_xml(outgoing))
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _relations_xml(relations: list[_Relation]) -> str:
    rows = "".join(
        f"<Relationship Id={quoteattr(relation.id)} Type={quoteattr(_relation_type(relation.type))} "
        f"Target={quoteattr('/' + relation.target)}/>"
        for relation in relations
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def _relation_type(kind: str) -> str:
    if kind in ("core-properties", "coreProperties"):
        return "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
    return f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"
