"""Formats by name and by ending, files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora import FORMATS, AnnotatedText, LabelledSpan, find_format, read_corpus, write_corpus

TEXTS = [
    AnnotatedText("2018/brief 1", "Anna kam", (LabelledSpan(0, 4, "PER"),)),
    AnnotatedText("2018/brief 2", "aus Ulm", (LabelledSpan(4, 7, "LOC"),)),
]


@pytest.mark.parametrize("name", ["notes.jsonl", "notes.ndjson"])
def test_the_ending_names_the_format(tmp_path: Path, name: str) -> None:
    write_corpus(tmp_path / name, TEXTS)
    assert read_corpus(tmp_path / name) == TEXTS


@pytest.mark.parametrize("format", [n for n, known in FORMATS.items() if known.write_one])
def test_a_format_of_one_text_a_file_takes_a_folder(tmp_path: Path, format: str) -> None:
    if format == "cas":
        pytest.importorskip("cassis", reason="needs the extra 'lab'")
    write_corpus(tmp_path / "notes", TEXTS, format)
    assert len(list((tmp_path / "notes").glob(f"*{FORMATS[format].suffixes[0]}"))) == 2
    assert read_corpus(tmp_path / "notes", format) == TEXTS
    assert read_corpus(tmp_path / "notes") == TEXTS
    with pytest.raises(ConfigurationError, match="holds one text, not 2"):
        write_corpus(tmp_path / f"notes{FORMATS[format].suffixes[0]}", TEXTS, format)


def test_one_text_goes_to_one_file(tmp_path: Path) -> None:
    write_corpus(tmp_path / "brief.tsv", TEXTS[:1])
    assert read_corpus(tmp_path / "brief.tsv") == [AnnotatedText("brief", TEXTS[0].text, TEXTS[0].spans)]


def test_unknown_names_are_answered_with_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    with pytest.raises(ConfigurationError, match="no format 'ann'; there are: jsonl, conll, germeval, webanno, cas"):
        read_corpus(path, "ann")
    with pytest.raises(ConfigurationError, match="the ending names no format"):
        read_corpus(path)
    with pytest.raises(ConfigurationError, match="no option words; there are: word, tag, comment"):
        read_corpus(path, "conll", words=2)
    with pytest.raises(
        ConfigurationError, match="germeval is read-only; jsonl, conll, webanno, cas, brat can be written"
    ):
        write_corpus(path, [], "germeval")


@pytest.mark.parametrize(
    ("format", "first", "second"),
    [
        ("jsonl", "a.jsonl", "b.ndjson"),
        ("conll", "a.conll", "a.bio"),
        ("webanno", "a.tsv", "%61.tsv"),
        ("cas", "a.xmi", "a.json"),
    ],
)
def test_a_repeated_id_in_a_folder_is_an_error(tmp_path: Path, format: str, first: str, second: str) -> None:
    if format == "cas":
        pytest.importorskip("cassis", reason="needs the extra 'lab'")
    for name in (first, second):
        write_corpus(tmp_path / name, [AnnotatedText("Vogel", "Anna kam", TEXTS[0].spans)], format)
    with pytest.raises(ConfigurationError, match="1 texts have the id of an earlier one, the first is text 2") as error:
        read_corpus(tmp_path, format)
    assert not any(word in str(error.value) for word in ("Vogel", "Anna", "kam"))


@pytest.mark.parametrize("name", ["a.TSV", "a.XMI", "a.Json"])
def test_endings_are_compared_without_case(tmp_path: Path, name: str) -> None:
    if name != "a.TSV":
        pytest.importorskip("cassis", reason="needs the extra 'lab'")
    write_corpus(tmp_path / name, TEXTS[:1])
    expected = [AnnotatedText("a", TEXTS[0].text, TEXTS[0].spans)]
    assert read_corpus(tmp_path / name) == expected
    assert read_corpus(tmp_path, "webanno" if name == "a.TSV" else "cas") == expected


def test_a_folder_without_a_file_of_the_format_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Anna B-PER\n")
    with pytest.raises(ConfigurationError, match=r"there is no file that ends in .conll or .bio or .iob or .iob2"):
        read_corpus(tmp_path, "conll")
    with pytest.raises(ConfigurationError, match="files of this format have no own ending; name a file"):
        read_corpus(tmp_path, "germeval")


def test_a_folders_files_name_its_format(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ulm")
    assert find_format(tmp_path) == "letters"
    (tmp_path / "a.ann").write_text("T1\tLOC 0 3\tUlm\n")
    assert find_format(tmp_path) == "brat"
    (tmp_path / "a.TSV").write_text("")
    with pytest.raises(ConfigurationError, match="has files of several formats; give one of webanno, brat"):
        find_format(tmp_path)
