"""Which files of a folder are read, and what they are called."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError, DeidError, TryAgainError
from deid_core.core.file_formats import ENDINGS
from deid_core.readers import SourceFile, list_files, source_files
from deid_core.readers.source_listing import _COUNTED_ENDINGS

REPOSITORY = Path(__file__).resolve().parents[3]


def test_files_of_a_folder_sorted_without_lock_files(tmp_path: Path) -> None:
    names = [
        "b.doc",
        "2010/a.DOCX",
        "2010/ü.Txt",
        "c.rtf",
        "~$b.doc",
        ".~lock.b.doc#",
        "x.pdf",
        "doc",
        "2010/11/a b.doc",
    ]
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = source_files(tmp_path)
    assert [s.relative for s in found] == ["2010/11/a b.doc", "2010/a.DOCX", "2010/ü.Txt", "b.doc", "c.rtf"]
    assert found[0] == SourceFile(tmp_path.resolve() / "2010/11/a b.doc", "2010/11/a b.doc", "a b")


@pytest.mark.parametrize("page", ["docs/inputs.md", "docs/quickstart.md", "docs/python-api.md"])
def test_a_page_names_all_endings(page: str) -> None:
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    lacking = [ending for ending in ENDINGS if not re.search(rf"{re.escape(ending)}(?!\w)", text)]
    assert lacking == [], f"{page} says which files are read: name these endings, too"


def test_what_is_read_is_not_counted_as_left_out() -> None:
    both = {ending for ending in ENDINGS if ending[1:] in _COUNTED_ENDINGS}
    assert both == set(), "deid_core/readers/source_listing.py: take them out of `_COUNTED_ENDINGS`"


def test_endings_of_documents_with_macros_templates_and_blanks_at_the_end(tmp_path: Path) -> None:
    names = ["a.docm", "b.dotx", "c.DOTM", "d.dot", "e.odt", "f.doc ", "g.docx\u00a0 ", "h.txt\t"]
    for name in names:
        (tmp_path / name).touch()
    found = list_files(tmp_path)
    assert [relative for _, relative in found.files] == names
    assert [source.note_id for source in source_files(tmp_path)] == list("abcdefgh")
    assert found.not_read == {}


def test_other_files_are_counted_by_ending_unless_it_may_be_a_name(tmp_path: Path) -> None:
    names = ["a.pdf", "b.PDF", "2010/c.pdf ", "d.jpg", "Brief an Dr.Muster", "Anna", ".hidden", "x.doc", "~$x.doc"]
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert list_files(tmp_path).not_read == {"jpg": 1, "other": 3, "pdf": 3}


def test_a_file_by_name_whatever_its_ending(tmp_path: Path) -> None:
    (tmp_path / "x.bak").touch()
    assert source_files(tmp_path / "x.bak") == [SourceFile(tmp_path.resolve() / "x.bak", "x.bak", "x")]
    (tmp_path / "link.doc").symlink_to(tmp_path / "x.bak")
    assert source_files(tmp_path / "link.doc") == [SourceFile(tmp_path.resolve() / "x.bak", "link.doc", "link")]


def test_names_that_are_not_utf8_can_be_written_as_json(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/M\xfcller.txt"))).touch()
    (source,) = source_files(tmp_path)
    assert source.relative == "M\\xfcller.txt"
    assert source.path.exists()


def test_no_two_names_have_one_printable_form(tmp_path: Path) -> None:
    for name in (b"a\xff.txt", b"a\\xff.txt", b"a\\\\xff.txt"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    found = source_files(tmp_path)
    assert len({s.relative for s in found}) == len({s.note_id for s in found}) == 3


def test_what_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        source_files(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.EACCES, ConfigurationError),
        (errno.ENOENT, TryAgainError),
        (errno.ESTALE, TryAgainError),
        (errno.EIO, TryAgainError),
    ],
)
def test_a_folder_that_cannot_be_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, expected: type[DeidError]
) -> None:
    """It must not look empty; whether the same call may work later, the system's error says."""
    (tmp_path / "Müller").mkdir()
    scandir = os.scandir

    def refused(path: str) -> object:
        if os.path.basename(path) == "Müller":
            raise OSError(number, os.strerror(number), path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(expected, match=f"input {tmp_path}: .*{os.strerror(number)}") as caught:
        source_files(tmp_path)
    assert "Müller" not in str(caught.value)
