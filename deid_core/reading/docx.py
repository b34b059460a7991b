"""Word's .docx by python-docx: every place that can hold text, in the order of the canonical text.

Body; page headers and footers of every section (first, default, even), each text once; footnotes; endnotes; text
boxes, with watermarks, diagrams, charts and alternative texts of pictures; comments; tracked deletions; properties,
with the authors of comments and changes. A nested table is part of its outer cell's text: its rows are lines of the
cell. A merged cell stands once; the cells below a vertically merged one are empty. Not read, and so not in the note:
embedded objects (other programs' files), the glossary, document variables, data behind content controls, link targets.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

import docx
from docx.opc.exceptions import OpcError
from lxml import etree

from deid_core.config import ReadingSettings
from deid_core.errors import NoteError, Reason
from deid_core.note import BlockKind
from deid_core.reading.canonical import CanonicalBuilder
from deid_core.reading.formats import Format, format_of
from deid_core.reading.package import Package
from deid_core.reading.plain import read_plain
from deid_core.reading.properties import names_software, property_values
from deid_core.reading.wordml import Table, Walker

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_HEADER_ORDER = {"first": 0, "default": 1, "even": 2}
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)


def read_docx(data: bytes, builder: CanonicalBuilder, settings: ReadingSettings, *, recomputed: bool = False) -> None:
    """Adds the document's text; `recomputed` says that LibreOffice computed DATE, TIME and FILENAME fields anew.

    Raises NoteError: what `Package` refuses, and CORRUPT for XML that does not parse or is no document.
    """
    try:
        _Document(data, settings, recomputed=recomputed).add_to(builder)
    except (etree.LxmlError, OpcError, KeyError, ValueError, AttributeError) as error:
        raise NoteError(Reason.CORRUPT, f"Word document: {type(error).__name__}") from None


class _Document:
    """One package on its way into a builder."""

    def __init__(
        self, data: bytes, settings: ReadingSettings, *, recomputed: bool = False, imported: bool = False
    ) -> None:
        self._settings = settings
        self._document = docx.Document(io.BytesIO(Package(data, settings).rebuilt()))
        self._walker = Walker(None if imported else self._imported, recomputed=recomputed)

    def add_to(self, builder: CanonicalBuilder) -> None:
        table = 0
        for block in self.body():
            if isinstance(block, str):
                builder.add(BlockKind.PARAGRAPH, block)
            else:
                for row, cells in enumerate(block):
                    builder.add_row(cells, table=table, row=row)
                table += 1
            self._check_length(builder)
        # Text boxes, deletions and authors are collected while the other stories are read: these come first.
        pages = [(kind, text) for kind, text in self._pages()]
        notes = [*self._notes("footnotes", BlockKind.FOOTNOTE), *self._notes("endnotes", BlockKind.ENDNOTE)]
        comments = list(self._notes("comments", BlockKind.COMMENT))
        drawn = [*self._drawn("diagramData"), *self._drawn("chart")]
        boxes = [(BlockKind.TEXT_BOX, text) for text in self._walker.boxes + drawn]
        deleted = [(BlockKind.DELETED_TEXT, text) for text in self._walker.deleted]
        properties = [(BlockKind.PROPERTY, text) for text in self._properties()]
        for kind, text in (*pages, *notes, *boxes, *comments, *deleted, *properties):
            if text.strip():
                builder.add(kind, text)
                self._check_length(builder)

    def body(self) -> Iterator[str | Table]:
        """Paragraphs and tables; of all bodies, should there be more than one."""
        root = self._document.element
        self._walker.note_authors(root)
        for body in root.iterchildren(_W + "body"):
            yield from self._walker.blocks(body)

    def _pages(self) -> Iterator[tuple[BlockKind, str]]:
        """Page headers, then page footers: those that sections refer to in their order, then any others."""
        targets = self._targets("header", "footer")
        references = [
            (number, _HEADER_ORDER.get(reference.get(_W + "type"), 1), reference.get(_R + "id"))
            for number, section in enumerate(self._document.element.iter(_W + "sectPr"))
            for reference in section.iterchildren(_W + "headerReference", _W + "footerReference")
        ]
        ids = [identifier for _, _, identifier in sorted(references) if identifier in targets]
        for kind, wanted in ((BlockKind.PAGE_HEADER, "header"), (BlockKind.PAGE_FOOTER, "footer")):
            seen = set()
            for identifier in dict.fromkeys([*ids, *targets]):
                relation, root = targets[identifier]
                if relation == wanted:
                    self._walker.note_authors(root)
                    # LibreOffice writes a header that sections share once for each of them.
                    text = self._walker.lines(root).strip("\n")
                    if text not in seen:
                        seen.add(text)
                        yield kind, text

    def _notes(self, relation: str, kind: BlockKind) -> Iterator[tuple[BlockKind, str]]:
        """Footnotes, endnotes or comments, each a block."""
        for _, root in self._targets(relation).values():
            self._walker.note_authors(root, ("author", "initials"))
            for note in root:
                if isinstance(note.tag, str):
                    yield kind, self._walker.lines(note).strip("\n")

    def _drawn(self, relation: str) -> Iterator[str]:
        """Text of diagrams and charts, a text for each."""
        for _, root in self._targets(relation).values():
            # Words of charts stand in rich text (a:t) or in the cache of the table they were drawn from (c:v).
            words = [e.text for e in root.iter("{*}t", "{*}v") if isinstance(e.text, str) and not _is_number(e.text)]
            yield "\n".join(dict.fromkeys(words))

    def _properties(self) -> Iterator[str]:
        package = self._document.part.package
        roots = {}
        for relation in package.rels.values():
            name = relation.reltype.rpartition("/")[2]
            if name not in roots and not relation.is_external:
                roots[name] = _root(relation.target_part)
        yield from property_values(
            roots.get("core-properties"),
            roots.get("extended-properties", roots.get("extendedProperties")),
            roots.get("custom-properties", roots.get("customProperties")),
        )
        yield from (name for name in self._walker.authors if not names_software(name))

    def _targets(self, *relations: str) -> dict[str, tuple[str, Any]]:
        """The document's related parts: relationship id → its kind and the part's root element; each part once."""
        found: dict[str, tuple[str, Any]] = {}
        seen = set()
        for identifier, relation in self._document.part.rels.items():
            name = relation.reltype.rpartition("/")[2]
            if name in relations and relation.target_part.partname not in seen:
                seen.add(relation.target_part.partname)
                found[identifier] = (name, _root(relation.target_part))
        return found

    def _imported(self, identifier: str) -> Iterable[str | Table]:
        """Paragraphs and tables of a document that this one imports (w:altChunk), where it stands."""
        relation = self._document.part.rels.get(identifier)
        if relation is None:
            raise NoteError(Reason.UNSUPPORTED, "an imported document that lies elsewhere")
        data = relation.target_part.blob
        found = format_of(data, ending="")
        if found is Format.DOCX:
            imported = _Document(data, self._settings, imported=True)
            yield from imported.body()
            self._walker.boxes += imported._walker.boxes
            self._walker.deleted += imported._walker.deleted
        elif found is Format.TEXT:
            inner = CanonicalBuilder()
            read_plain(data, inner)
            yield from inner.build("").text.split("\n")
        else:
            raise NoteError(Reason.UNSUPPORTED, f"an imported document of format {found.value}")

    def _check_length(self, builder: CanonicalBuilder) -> None:
        if builder.length > self._settings.max_text_chars:
            raise NoteError(Reason.TOO_LARGE, f"over {self._settings.max_text_chars} characters of text")


def _root(part: Any) -> Any:
    """The root element of a part; python-docx keeps parts that it does not know as bytes."""
    element = getattr(part, "element", None)
    return element if element is not None else etree.fromstring(part.blob, _PARSER)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
