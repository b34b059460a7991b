"""The format of the case files: cases are read with their tags, a malformed line is named with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_files import CASES_DIR, MalformedCase, read_cases

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Detection

FILES = [
    path
    for path in sorted(CASES_DIR.glob("*/*.tsv"))
    if path.parent.name not in ("corpora", "patients", "pattern", "policies")
]


def test_a_case_is_written_with_the_files_tag(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv"
    path.write_text("# tag: rule\n\nFrau Muster\\nkam\t[title Muster]\nkam\t-\n", encoding="utf-8")
    case, negative = read_cases(path)
    assert (case.group, case.text, case.place, negative.expected) == ("names", "Frau Muster\nkam", "names.tsv:3", "-")
    found = Detection(5, 11, Label.PER, PhiType.PATIENT, "test", "title")
    assert case.written([found, found]) == case.expected
    assert case.written([]) == "-"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nur ein Text", "0 tabs"),
        ("a\tb\tc", "2 tabs"),
        ("am 1.3.09\t1.3.09", "square brackets"),
        ("am 1.3.09\t[2.3.09]", "not in the text"),
        ("am 1.3.09\t[]", "empty"),
        ("a\\x\t-", "no escape"),
        ("\t-", "the text is empty"),
        ("# tag: colour", "no tag 'colour'"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "date.tsv"
    path.write_text(f"# cases\n\n{line}\n", encoding="utf-8")
    with pytest.raises(MalformedCase, match=r"date\.tsv:3: ") as raised:
        read_cases(path)
    assert says in str(raised.value)


def test_a_tag_or_a_group_that_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv"
    path.write_text("# tag: label\nFrau Muster\t[Muster]\n", encoding="utf-8")
    with pytest.raises(MalformedCase, match=r"names\.tsv:2: a found part needs its label"):
        read_cases(path)
    with pytest.raises(MalformedCase, match=r"names\.tsv:2: there is no group"):
        read_cases(path, ["date"])


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def test_no_case_is_there_twice(path: Path) -> None:
    texts = [case.text for case in read_cases(path)]
    assert len(texts) == len(set(texts)) > 0
