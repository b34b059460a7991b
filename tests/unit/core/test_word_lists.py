"""Word lists: every file of the project is well formed, and a malformed one is refused with its lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deid_core.core import word_lists
from deid_core.core.errors import ConfigurationError
from deid_core.core.word_lists import alternatives, flags_by_word, lists_dir, read_word_list, word_set

HEADER = "# sense: a test\n# case: lower\n# used by: tests\n"


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(word_lists, "lists_dir", lambda: tmp_path)
    word_lists.word_list.cache_clear()
    word_lists.word_lists_digest.cache_clear()
    (tmp_path / "kin").mkdir()
    (tmp_path / "kin" / "parents.txt").write_text(HEADER + "mutter\nvater\n\n# in Austria\nmama\n")
    (tmp_path / "kin" / "elders.txt").write_text(HEADER + "oma\nmutter\n")
    yield tmp_path
    word_lists.word_list.cache_clear()
    word_lists.word_lists_digest.cache_clear()


def test_every_list_is_well_formed() -> None:
    files = sorted(lists_dir().glob("**/*.txt"))
    assert [problem for file in files for problem in problems_of(file)] == []


def problems_of(file: Path) -> list[str]:
    try:
        entries = read_word_list(file)
    except ConfigurationError as error:
        return error.problems
    return [] if entries else [f"{file}: is empty"]


def test_entries_keep_their_order_and_flags_add_up(lists: Path) -> None:
    assert word_lists.word_list("kin/parents") == ("mutter", "vater", "mama")
    assert word_set("kin/parents", "kin/elders") == {"mutter", "vater", "mama", "oma"}
    assert flags_by_word({1: "kin/parents", 2: ["kin/elders"]}) == {"mutter": 3, "vater": 1, "mama": 1, "oma": 2}
    assert alternatives("kin/parents") == "mutter|vater|mama"


def test_a_malformed_list_is_refused_with_all_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("# sense: a test\n# case: lower\n\nmutter\n vater\nmutter\nOma\n", encoding="utf-8")
    assert problems_of(path) == [
        f"{path}:3: needs the header line '# used by: …'",
        f"{path}:5: blanks before or after the entry",
        f"{path}:6: is in the list already, in line 4",
        f"{path}:7: has a capital, but the list's case is lower",
    ]
    path.write_text(HEADER.replace("lower", "any"), encoding="utf-8")
    assert problems_of(path) == [f"{path}:2: case: must be one of exact, lower"]
    path.write_bytes(b"\xff")
    assert problems_of(path) == [f"{path}: is not UTF-8"]
    assert problems_of(tmp_path / "none.txt") == [f"{tmp_path / 'none.txt'}: cannot be read: No such file or directory"]


def test_the_digest_is_of_the_entries_alone(lists: Path) -> None:
    before = word_lists.word_lists_digest()

    def digest_with(text: str) -> str:
        (lists / "kin" / "elders.txt").write_text(HEADER + text)
        word_lists.word_list.cache_clear()
        word_lists.word_lists_digest.cache_clear()
        return word_lists.word_lists_digest()

    assert digest_with("# a comment\noma\nmutter\n") == before
    assert digest_with("oma\n") != before
