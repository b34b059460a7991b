"""The direct reader of .doc compared with LibreOffice: the same words, the same cells.

On letters that are made here, and on a document with nearly everything in it, the notes are equal to the last
character. On Word's own files of all ages the two differ as `DIFFERENCES` says, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path

import pytest

from deid_core.core.errors import NoteError
from deid_core.core.note import BlockKind, Note
from deid_core.lab.synthetic import iter_notes
from deid_core.lab.synthetic.note_files import write_notes
from deid_core.readers import NoteReader, source_files
from deid_core.readers.settings import ReadingSettings

Results = Mapping[str, Note | NoteError]
Words = list[tuple[BlockKind, str]]

COMPANY = "the company of the document's properties: LibreOffice writes none into the .docx"
PAGE = "the number of a page: saved in the file, counted anew by LibreOffice"
NO_RESULT = "a field that was saved without a result; LibreOffice computes one"
FRAME = "a page number in a frame of the page header or footer: LibreOffice makes a text box of it, and counts anew"
HIDDEN_PAGES = "page headers and footers that no page shows; LibreOffice leaves them out, though they hold a name"
KEYWORDS = "LibreOffice takes the commas out of the keywords"
CUSTOM = "a custom property in a stream of its own, which LibreOffice does not look for"

_HEADER, _FOOTER, _BOX, _PROPERTY = "page_header", "page_footer", "text_box", "property"

# File → what differs, in order: words of LibreOffice, of the direct reader, and why; the kind of block comes first.
DIFFERENCES: dict[str, list[tuple[str, str, str]]] = {
    "53379.doc": [("", f"{_PROPERTY}: Gateway EMEA", COMPANY)],
    "AIOOB-Tap.doc": [("", f"{_PROPERTY}: Ministerie van Financiën", COMPANY)],
    "Bug28627.doc": [("", f"{_PROPERTY}: Torchbox", COMPANY)],
    "Bug33519.doc": [("", f"{_PROPERTY}: _", COMPANY)],
    "Bug34898.doc": [("", f"{_PROPERTY}: BEB", COMPANY)],
    "Bug45473.doc": [("", f"{_PROPERTY}: IBM", COMPANY)],
    "Bug46610_2.doc": [("", f"{_PROPERTY}: Polarion Software GmbH", COMPANY)],
    "Bug47742.doc": [("", f"{_PROPERTY}: 24translate", COMPANY)],
    "Bug49908.doc": [("", f"{_PROPERTY}: KIOS s.r.o", COMPANY)],
    "Bug49919.doc": [("", f"{_PROPERTY}: KIOS s.r.o", COMPANY)],
    "Bug50075.doc": [("", f"{_PROPERTY}: Ing. Milan Remiar", COMPANY)],
    "Bug51834.doc": [("", f"{_PROPERTY}: .", COMPANY)],
    "Bug51890.doc": [("", f"{_PROPERTY}: enpc", COMPANY)],
    "Bug52032_2.doc": [("", f"{_PROPERTY}: xxxxxxxxxx", COMPANY)],
    "Bug52583.doc": [("", f"{_PROPERTY}: Netfective Technology", COMPANY)],
    "Bug53182.doc": [("", f"{_PROPERTY}: Tate", COMPANY)],
    "Bug53380_1.doc": [("", f"{_PROPERTY}: Medicines Control Agency", COMPANY)],
    "Bug53380_2.doc": [(f"{_HEADER}: 0", f"{_HEADER}: 2", PAGE), ("", f"{_PROPERTY}: BWC", COMPANY)],
    "Bug53380_4.doc": [(f"{_HEADER}: 0", f"{_HEADER}: 2", PAGE)],
    "Bug53453Section.doc": [("", f"{_PROPERTY}: Hewlett-Packard Company", COMPANY)],
    "GaiaTest.doc": [(f"{_FOOTER}: 0", "", NO_RESULT)],
    "ListEntryNoListTable.doc": [("", f"{_PROPERTY}: Home", COMPANY)],
    "au.edu.utas.www___data_assets_word_doc_0003_154335_International-Travel-Approval-Request-Form.doc": [
        ("", f"{_PROPERTY}: University of Tasmania - IT Services", COMPANY)
    ],
    "cap.stanford.edu_profiles_viewbiosketch_facultyid=4009&name=m_maciver.doc": [
        (
            "",
            f"{_HEADER}: Principal Investigator/Program Director (Last, First, Middle): MacIver, M. Bruce",
            HIDDEN_PAGES,
        ),
        ("", f"{_FOOTER}: Page Continuation Format Page PHS 398/2590 (Rev. 09/04)", HIDDEN_PAGES),
        (f"{_PROPERTY}: Application", f"{_PROPERTY}: Application,", KEYWORDS),
        (f"{_PROPERTY}: 9/04)", f"{_PROPERTY}: 9/04),", KEYWORDS),
        ("", f"{_PROPERTY}: DHHS/PHS/NIH", COMPANY),
    ],
    "documentProperties.doc": [("", f"{_PROPERTY}: This is user field value", CUSTOM)],
    "header_image.doc": [("", f"{_PROPERTY}: Jet Infosystem", COMPANY)],
    "ob_is.doc": [
        ("", f"{_HEADER}: 2", FRAME),
        (f"{_BOX}: 31", "", FRAME),
        ("", f"{_PROPERTY}: HCMS", COMPANY),
    ],
    "saved-by-table.doc": [("", f"{_PROPERTY}: default", COMPANY)],
    "simple.doc": [("", f"{_PROPERTY}: CIBC World Markets", COMPANY)],
    "test-fields.doc": [("", f"{_PROPERTY}: Novell, Inc.", COMPANY)],
    "test2.doc": [("", f"{_PROPERTY}: Torchbox", COMPANY)],
    "testCroppedPictures.doc": [("", f"{_PROPERTY}: 1", COMPANY)],
    "two_images.doc": [("", f"{_PROPERTY}: Torchbox", COMPANY)],
}

# Documents of many pages, which LibreOffice counts anew. Where a page ends depends on the fonts of the machine, so its
# numbers do as well. Of page headers and footers with the same text only one is kept, so the number of dashes around
# page numbers depends on them too. Both are left out of the comparison, in these files and these places only.
PAGES_BY_FONTS = frozenset(
    {
        "53379.doc",
        "au.edu.utas.www___data_assets_word_doc_0003_154335_International-Travel-Approval-Request-Form.doc",
        "saved-by-table.doc",
    }
)
_PAGE_KINDS = (BlockKind.PAGE_HEADER, BlockKind.PAGE_FOOTER, BlockKind.TEXT_BOX)

# Why a reason of the direct reader sends files of the samples to LibreOffice; all others are read directly.
REFUSED = {
    "header: older than Word 97": 3,
    "tables: a cell mark outside of a table": 1,  # Bug48075.doc: property pages that name places of another text
    "property pages: runs do not ascend": 1,  # a file made to crash readers
}


def read(folder: Path, ending: str = ".doc", **settings: object) -> tuple[Results, dict[str, int]]:
    """Read the files of a folder; return the results by name, and why files went to LibreOffice."""
    files = [source for source in source_files(folder) if source.path.suffix == ending]
    with NoteReader(ReadingSettings.model_validate(settings)) as reader:
        return {source.relative: result for source, result in reader.read(files)}, dict(reader.refusals)


def words(note: Note) -> Words:
    return [(block.kind, word) for block in note.blocks for word in note.block_text(block).split()]


def without_page_numbers(found: Words) -> Words:
    """Return the words but numbers and dashes of page headers, page footers and text boxes."""
    return [(kind, word) for kind, word in found if kind not in _PAGE_KINDS or not (word.isdecimal() or word == "-")]


def cells(note: Note) -> list[tuple[object, ...]]:
    """Return the cells with words: kind, table, row, column and words."""
    found = note.blocks_of(BlockKind.HEADER_CELL, BlockKind.TABLE_CELL)
    rows = [(b.kind, b.table, b.row, b.column, *note.block_text(b).split()) for b in found]
    return [row for row in rows if len(row) > 4]


def differences(first: Words, second: Words) -> Iterator[tuple[str, str]]:
    """Return the stretches of words in which two notes differ, in the form of `DIFFERENCES`."""
    for operation, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if operation != "equal":
            yield described(first[a:b]), described(second[c:d])


def described(stretch: Words) -> str:
    return " ".join(
        f"{kind.value}: {' '.join(word for _, word in group)}" for kind, group in groupby(stretch, lambda item: item[0])
    )


def assert_equal_letters(folder: Path, count: int) -> None:
    """Check that so many letters of each split, written by LibreOffice, are the same notes both ways."""
    for split in ("train", "test"):
        write_notes(list(iter_notes(count, seed=31, split=split)), folder / split, "doc")
        directly, refusals = read(folder / split)
        assert refusals == {}
        through, _ = read(folder / split, doc_reader="libreoffice")
        assert len(directly) == count
        assert directly == through


@pytest.mark.libreoffice
def test_letters_are_the_same_notes(tmp_path: Path, soffice: str) -> None:
    assert_equal_letters(tmp_path, 30)


@pytest.mark.slow
@pytest.mark.libreoffice
def test_five_hundred_letters_are_the_same_notes(tmp_path: Path, soffice: str) -> None:
    assert_equal_letters(tmp_path, 250)


@pytest.mark.libreoffice
def test_a_document_with_everything_is_the_same_note(tmp_path: Path, soffice: str, repository: Path) -> None:
    from test_reading_word import convert

    convert(soffice, repository / "tests" / "cases" / "reading" / "everything.fodt", "doc:MS Word 97", tmp_path)
    directly, refusals = read(tmp_path)
    through, _ = read(tmp_path, doc_reader="libreoffice")
    assert refusals == {}
    assert directly == through
    note = directly["everything.doc"]
    assert isinstance(note, Note)
    assert {block.kind for block in note.blocks} == set(BlockKind) - {BlockKind.TABLE_CELL}


@pytest.fixture(scope="module")
def sample_results(shared_dir: Path, soffice: str) -> tuple[Results, Results, dict[str, int]]:
    """Read the .doc files of word-samples directly and through LibreOffice; return why some were not read directly."""
    directly, refusals = read(shared_dir / "word-samples")
    through, _ = read(shared_dir / "word-samples", doc_reader="libreoffice")
    return directly, through, refusals


@pytest.mark.shared
@pytest.mark.libreoffice
def test_samples_have_the_same_words(sample_results: tuple[Results, Results, dict[str, int]]) -> None:
    directly, through, refusals = sample_results
    assert len(directly) == 72
    assert refusals == REFUSED
    found = {}
    for name, note in directly.items():
        other = through[name]
        if isinstance(note, Note) and isinstance(other, Note):
            both = words(other), words(note)
            if name in PAGES_BY_FONTS:
                both = without_page_numbers(both[0]), without_page_numbers(both[1])
            found[name] = list(differences(*both))
    assert {name: those for name, those in found.items() if those} == {
        name: [(libreoffice, direct) for libreoffice, direct, _ in rows] for name, rows in DIFFERENCES.items()
    }


@pytest.mark.shared
@pytest.mark.libreoffice
def test_samples_have_the_same_cells(sample_results: tuple[Results, Results, dict[str, int]]) -> None:
    directly, through, _ = sample_results
    with_cells = 0
    for name, note in directly.items():
        other = through[name]
        if isinstance(note, Note) and isinstance(other, Note):
            assert cells(note) == cells(other), name
            with_cells += bool(cells(note))
    assert with_cells > 15


@pytest.mark.shared
@pytest.mark.libreoffice
def test_samples_have_the_same_errors(sample_results: tuple[Results, Results, dict[str, int]]) -> None:
    directly, through, _ = sample_results
    reasons = [{n: r.reason for n, r in way.items() if isinstance(r, NoteError)} for way in (directly, through)]
    assert reasons[0] == reasons[1]
