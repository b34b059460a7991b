"""Read the text of a .docx from every place that can hold text, in the order of the canonical text.

Body; page headers and footers of every section (first, default, even), each text once; footnotes; endnotes; text
boxes, with watermarks, diagrams, charts and alternative texts of pictures; comments; tracked deletions; properties,
with the authors of comments and changes. A nested table is part of its outer cell: its rows are lines of the cell.
A merged cell occurs once, and the cells below a vertically merged cell are empty. Not read: embedded objects, the
glossary, document variables, data bindings of content controls, link targets. python-docx, the reader of seed 000, is
the reference (python_docx.py): a test checks that paragraphs, cells, headers and footers are equal. It is slower
because it parses all parts, above all the styles, and creates an object for each run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from deid_core.core.errors import NoteError, Reason
from deid_core.core.file_formats import Format
from deid_core.core.note import BlockKind
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.readers.docx.package import Package, Relation
from deid_core.readers.docx.wordml import FORMATTING, Element, Rows, Walker
from deid_core.readers.formats import format_of
from deid_core.readers.plain import read_plain
from deid_core.readers.properties import names_software, property_values
from deid_core.readers.settings import ReadingSettings

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_HEADER_ORDER = {"first": 0, "default": 1, "even": 2}
_PROPERTY_KINDS = (
    ("core-properties", "coreProperties"),
    ("extended-properties", "extendedProperties"),
    ("custom-properties", "customProperties"),
)
"""Kinds of relationships to property parts, those of strict OOXML second."""
_STORIES = ("header", "footer", "footnotes", "endnotes", "comments")
"""Kinds of parts with stories besides the body. They, too, may hold charts, diagrams and imported documents."""


def read_docx(data: bytes, builder: CanonicalBuilder, settings: ReadingSettings, *, recomputed: bool = False) -> None:
    """Add the document's text to the builder.

    recomputed: whether LibreOffice has recomputed DATE, TIME and FILENAME fields.
    Raises NoteError: what `Package` raises; TOO_LARGE for too much text or too many paragraphs and cells; UNSUPPORTED
    for an imported document of a format that is not read; TIMEOUT after the builder's deadline.
    """
    _DocxDocument(data, settings, builder.check_time, recomputed=recomputed).add_to(builder)


class _DocxDocument:
    """Reads one package into a builder."""

    def __init__(
        self,
        data: bytes,
        settings: ReadingSettings,
        check_time: Callable[[], None],
        *,
        recomputed: bool = False,
        importer: Package | None = None,
    ) -> None:
        self._settings = settings
        self._check_time = check_time
        self._package = Package(data, settings, importer=importer)
        self._root = self._package.root(self._package.main, FORMATTING)
        self._walker = Walker(
            None if importer else self._imported,
            recomputed=recomputed,
            max_blocks=settings.max_blocks,
            max_chars=settings.max_text_chars,
            check_time=check_time,
        )
        self._story = self._package.main
        """Name of the part being read. Relationship ids in its elements refer to this part."""

    def add_to(self, builder: CanonicalBuilder) -> None:
        builder.add_body(self.body(), lambda: self._check_length(builder))
        # Read the stories first: this also collects text boxes, deletions and authors.
        pages = list(self._pages())
        notes = [*self._notes("footnotes", BlockKind.FOOTNOTE), *self._notes("endnotes", BlockKind.ENDNOTE)]
        comments = list(self._notes("comments", BlockKind.COMMENT))
        boxes = [(BlockKind.TEXT_BOX, text) for text in (*self._walker.boxes, *self._drawing_texts())]
        deleted = [(BlockKind.DELETED_TEXT, text) for text in self._walker.deleted]
        for kind, text in (*pages, *notes, *boxes, *comments, *deleted, *self._properties()):
            if text.strip():
                builder.add(kind, text)
                self._check_length(builder)

    def body(self) -> Iterator[str | Rows]:
        """Yield the paragraphs and tables of every body element."""
        self._walker.note_authors(self._root)
        for body in self._root.iterchildren(_W + "body"):
            yield from self._walker.blocks(body)

    def _pages(self) -> Iterator[tuple[BlockKind, str]]:
        """Yield page headers, then page footers: first those that sections refer to, in their order, then others."""
        targets = self._targets("header", "footer")
        references = [
            (number, _HEADER_ORDER.get(reference.get(_W + "type", ""), 1), reference.get(_R + "id", ""))
            for number, section in enumerate(self._root.iter(_W + "sectPr"))
            for reference in section.iterchildren(_W + "headerReference", _W + "footerReference")
        ]
        ids = [identifier for _, _, identifier in sorted(references) if identifier in targets]
        for kind, wanted in ((BlockKind.PAGE_HEADER, "header"), (BlockKind.PAGE_FOOTER, "footer")):
            seen = set()
            for identifier in dict.fromkeys([*ids, *targets]):
                relation = targets[identifier]
                if relation.kind == wanted:
                    root = self._open_story(relation.target)
                    self._walker.note_authors(root)
                    # LibreOffice writes a header that sections share once for each of them.
                    text = self._walker.lines(root).strip("\n")
                    if text not in seen:
                        seen.add(text)
                        yield kind, text

    def _notes(self, relation: str, kind: BlockKind) -> Iterator[tuple[BlockKind, str]]:
        """Footnotes, endnotes or comments, each a block."""
        for target in self._targets(relation).values():
            root = self._open_story(target.target)
            self._walker.note_authors(root, ("author", "initials"))
            for note in root:
                yield kind, self._walker.lines(note).strip("\n")

    def _drawing_texts(self) -> Iterator[str]:
        """Yield one text per part: diagrams of all stories, then charts, then the drawings on charts."""
        stories = [self._package.main, *(story.target for story in self._targets(*_STORIES).values())]
        charts = self._parts_of_kind(stories, "chart")
        parts = [*self._parts_of_kind(stories, "diagramData"), *charts, *self._parts_of_kind(charts, "chartUserShapes")]
        for part in dict.fromkeys(parts):
            # Words of charts are in rich text (a:t) or in the cached data table (c:v).
            elements = self._package.root(part).iter("{*}t", "{*}v")
            words = [element.text for element in elements if element.text and not _is_number(element.text)]
            yield "\n".join(dict.fromkeys(words))

    def _properties(self) -> Iterator[tuple[BlockKind, str]]:
        targets: dict[str, str] = {}
        for relation in self._package.relations("").values():
            targets.setdefault(relation.kind, relation.target)
        core, extended, custom = (
            next((self._package.root(targets[name]) for name in names if name in targets), None)
            for names in _PROPERTY_KINDS
        )
        yield from property_values(core, extended, custom)
        yield from ((BlockKind.AUTHOR, name) for name in self._walker.authors if not names_software(name))

    def _targets(self, *kinds: str) -> dict[str, Relation]:
        """Return the related parts of these kinds by relationship id, each part once."""
        found: dict[str, Relation] = {}
        seen = set()
        for identifier, relation in self._package.relations(self._package.main).items():
            if relation.kind in kinds and relation.target not in seen:
                seen.add(relation.target)
                found[identifier] = relation
        return found

    def _parts_of_kind(self, sources: Iterable[str], kind: str) -> list[str]:
        """Return the names of the parts of one kind that these parts refer to."""
        relations = (relation for source in sources for relation in self._package.relations(source).values())
        return [relation.target for relation in relations if relation.kind == kind]

    def _open_story(self, name: str) -> Element:
        """Return the root of a story's part and make it the current part."""
        self._check_time()
        self._story = name
        return self._package.root(name, FORMATTING)

    def _imported(self, identifier: str) -> Iterable[str | Rows]:
        """Yield the paragraphs and tables of an imported document (w:altChunk)."""
        self._check_time()
        relation = self._package.relations(self._story).get(identifier)
        if relation is None:
            raise NoteError(Reason.UNSUPPORTED, "an imported document that lies elsewhere")
        data = self._package.content(relation.target)
        found = format_of(data, ending="")
        if found is Format.DOCX:
            imported = _DocxDocument(data, self._settings, self._check_time, importer=self._package)
            self._package.xml_bytes = imported._package.xml_bytes
            self._package.xml_nodes = imported._package.xml_nodes
            yield from imported.body()
            self._walker.add_imported(imported._walker)
        elif found is Format.TEXT:
            inner = CanonicalBuilder(self._settings.max_blocks)
            read_plain(data, inner, self._settings.max_text_chars)
            yield from inner.build("").text.split("\n")
        else:
            raise NoteError(Reason.UNSUPPORTED, f"an imported document of format {found.value}")

    def _check_length(self, builder: CanonicalBuilder) -> None:
        if builder.length > self._settings.max_text_chars:
            raise NoteError(Reason.TOO_LARGE, f"over {self._settings.max_text_chars} characters of text")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
