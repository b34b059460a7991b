"""Read a .docx as a package of parts (ECMA-376, part 2): relationships, and the parts' XML, checked and parsed.

A part is unpacked and parsed on request. Only relationships to parts that can hold text are followed, and only within
the package, so styles, fonts, pictures and embedded objects are never unpacked. Part names are in lower case.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from urllib.parse import unquote

from lxml import etree

from deid_core.core.errors import NoteError, Reason
from deid_core.readers.docx.archive import ZipArchive
from deid_core.readers.settings import ReadingSettings

# Relationships whose target holds text, by the last part of their type; those of styles, pictures, fonts, embedded
# objects, settings and the glossary (building blocks that the document may use, not its content) are left out.
_TEXT_RELATIONS = frozenset(
    {
        "officeDocument", "header", "footer", "footnotes", "endnotes", "comments", "aFChunk",
        "chart", "chartUserShapes", "diagramData", "core-properties", "coreProperties",
        "extended-properties", "extendedProperties", "custom-properties", "customProperties",
    }
)  # fmt: skip
_TYPES = "[Content_Types].xml"
_WORD_TYPES = ("wordprocessingml", "ms-word")
"""One of these is in the content type of a Word document, a template or one with macros."""
_MARKUP = (b"<!", b"<\0!", b"<\0\0\0!")
"""Start of a declaration in UTF-8 and in both byte orders of UTF-16 and UTF-32."""
_DTD = re.compile(
    b"|".join(
        re.escape(mark.encode(code))
        for mark in ("<!DOCTYPE", "<!ENTITY")
        for code in ("ascii", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
    )
)
_ENCODING = re.compile(rb"""^[^>]{0,200}?encoding\s*=\s*["']([^"']*)["']""")
_ENCODINGS = frozenset({b"utf-8", b"utf-16", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252"})
"""Encodings in which no document type declaration can be hidden from the search."""
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/([a-zA-Z]+)/")
_PARSER = etree.XMLParser(
    resolve_entities=False,
    no_network=True,
    load_dtd=False,
    huge_tree=False,
    # A comment within a word would split its text. Only elements are kept.
    remove_comments=True,
    remove_pis=True,
    collect_ids=False,
)


@dataclass(frozen=True, slots=True)
class Relation:
    """A relationship: the last component of its type, such as "header", and the name of its target part."""

    kind: str
    target: str


class Package:
    """The parts of a Word document that can hold text."""

    main: str
    """Name of the part with the document's body."""
    xml_bytes: int
    """XML bytes parsed so far, including importing documents: the limit covers a document and its imports."""
    xml_nodes: int
    """Tags and, twice, attributes of the large parts among them: the memory of parsed XML depends on these."""

    def __init__(self, data: bytes, settings: ReadingSettings, *, importer: Package | None = None) -> None:
        """Raises NoteError: what `ZipArchive` raises; UNSUPPORTED if it holds no Word document."""
        self.xml_bytes = importer.xml_bytes if importer else 0
        self.xml_nodes = importer.xml_nodes if importer else 0
        self._archive = ZipArchive(data, settings)
        self._max_xml_bytes = settings.max_xml_bytes
        self._max_xml_nodes = settings.max_xml_nodes
        self._relations: dict[str, dict[str, Relation]] = {}
        types = self._content_types()
        found = [relation.target for relation in self.relations("").values() if relation.kind == "officeDocument"]
        if not found:
            raise NoteError(Reason.UNSUPPORTED, "archive without a Word document")
        self.main = found[0]
        content_type = types.get("/" + self.main) or types.get(posixpath.splitext(self.main)[1], "")
        if not any(word in content_type for word in _WORD_TYPES):
            raise NoteError(Reason.UNSUPPORTED, "archive of another Office program")

    def relations(self, source: str) -> dict[str, Relation]:
        """Return a part's relationships by id ("" is the package), limited to existing parts that can hold text.

        Each part is parsed once. Raises NoteError like `root`.
        """
        if source not in self._relations:
            self._relations[source] = self._parsed_relations(source)
        return self._relations[source]

    def root(self, name: str, without: re.Pattern[bytes] | None = None) -> etree._Element:
        """Return the root element of a part: elements only, in the namespaces of transitional OOXML.

        without: matches whole elements, which are removed from the bytes before parsing.
        Raises NoteError: CORRUPT for a part that does not unpack or parse; UNSAFE for a document type or entity
        declaration; UNSUPPORTED for an encoding that could hide one; TOO_LARGE if all parts so far exceed the limit.
        """
        # Check the declared size before allocating memory. `read` refuses a part that is larger.
        self.xml_bytes += self._archive.size_bytes(name)
        if self.xml_bytes > self._max_xml_bytes:
            raise NoteError(Reason.TOO_LARGE, f"over {self._max_xml_bytes} bytes of XML, limit max_xml_bytes")
        try:
            data = _checked(self._archive.read(name))
            # With CDATA sections or comments, a match may not be an element.
            if without is not None and b"<!" not in data:
                data = without.sub(b"", data)
            # A node takes a byte at least, an attribute's two take one. Counting takes time, and most parts are small.
            if 2 * len(data) > self._max_xml_nodes:
                self.xml_nodes += data.count(b"<") + 2 * data.count(b"=")
            if self.xml_nodes > self._max_xml_nodes:
                raise NoteError(Reason.TOO_LARGE, f"over {self._max_xml_nodes} nodes of XML, limit max_xml_nodes")
            return etree.fromstring(data, _PARSER)
        except (etree.XMLSyntaxError, ValueError):
            raise NoteError(Reason.CORRUPT, "XML that does not parse") from None

    def content(self, name: str) -> bytes:
        """Return the bytes of a part that need not be XML. Raises NoteError like `ZipArchive.read`, and TOO_LARGE."""
        if self._archive.size_bytes(name) > self._max_xml_bytes:
            raise NoteError(Reason.TOO_LARGE, f"over {self._max_xml_bytes} bytes in a part, limit max_xml_bytes")
        return self._archive.read(name)

    def _parsed_relations(self, source: str) -> dict[str, Relation]:
        folder, base = posixpath.split(source)
        name = posixpath.join(folder, "_rels", base + ".rels")
        if name not in self._archive:
            return {}
        found = {}
        for element in self.root(name):
            kind = element.get("Type", "").rpartition("/")[2]
            identifier = element.get("Id")
            if kind not in _TEXT_RELATIONS or identifier is None or element.get("TargetMode") == "External":
                continue
            path = posixpath.join("/", folder, unquote(element.get("Target", "")))
            target = posixpath.normpath(path).lstrip("/").lower()
            if target in self._archive:
                found[identifier] = Relation(kind, target)
        return found

    def _content_types(self) -> dict[str, str]:
        """Content types by "/part" and by ".ending", in lower case."""
        if _TYPES not in self._archive:
            raise NoteError(Reason.UNSUPPORTED, "archive without content types, no Office document")
        return {
            (element.get("PartName") or "." + element.get("Extension", "")).lower(): element.get("ContentType", "")
            for element in self.root(_TYPES)
        }


def _checked(data: bytes) -> bytes:
    """Return the XML with transitional instead of strict OOXML namespaces. Raises NoteError like `root`."""
    # Few parts contain "!" at all, and the search for one byte is fastest.
    if b"!" in data and any(mark in data for mark in _MARKUP) and _DTD.search(data):
        raise NoteError(Reason.UNSAFE, "XML with a document type or entity declaration")
    encoding = _ENCODING.match(data)
    if encoding and encoding.group(1).lower() not in _ENCODINGS:
        raise NoteError(Reason.UNSUPPORTED, "XML in a rare encoding")
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data)
