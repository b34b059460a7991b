"""Annotated letters: reading them, errors with their lines, and validity of the project's own letters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.note import BlockKind
from deid_core.lab.corpora import load_corpora, read_corpus, read_named
from deid_core.lab.corpora.letters import LetterHead, read_letter, read_letters
from deid_core.lab.corpora.named import LettersSource
from deid_core.lab.evaluate.evaluation_sets import LETTERS

HEAD = "kind: Arztbrief\nspeciality: Kardiologie\ncountry: DE\nyear: 2009\n---\n"
BODY = """\
<hospital>Klinik Tal</hospital>
| Patient: | <patient>Beispiel, Erika</patient> | geb.: | <birth_date>1.4.1950</birth_date> |
| | |

Sehr geehrter Herr Kollege,
wir berichten über <salute>Frau</salute> <patient>Beispiel</patient>, CRP <5 mg/l.
| Hb | <date>3.4.</date> |
"""
TEXT = (
    "Klinik Tal\nPatient:\tBeispiel, Erika\tgeb.:\t1.4.1950\n\t\n\nSehr geehrter Herr Kollege,\n"
    "wir berichten über Frau Beispiel, CRP <5 mg/l.\nHb\t3.4."
)


def written(folder: Path, body: str, head: str = HEAD, name: str = "a01-1") -> Path:
    path = folder / f"{name}.txt"
    path.write_text(head + body, encoding="utf-8")
    return path


def test_a_letter_has_the_blocks_of_its_word_file(tmp_path: Path) -> None:
    letter = read_letter(written(tmp_path, BODY))
    assert letter.head == LetterHead("Arztbrief", "Kardiologie", "DE", 2009)
    assert letter.note.text == TEXT
    assert (letter.note.note_id, letter.note.source, letter.note.year) == ("a01-1", "a01-1.txt", None)
    header = [letter.note.block_text(block) for block in letter.note.blocks_of(BlockKind.HEADER_CELL)]
    assert header == ["Patient:", "Beispiel, Erika", "geb.:", "1.4.1950", "", ""]
    cells = [(b.table, b.row, b.column) for b in letter.note.blocks if b.kind is BlockKind.TABLE_CELL]
    assert cells == [(1, 0, 0), (1, 0, 1)]


def test_annotations_are_gold_spans_with_the_labels_of_their_types(tmp_path: Path) -> None:
    letter = read_letter(written(tmp_path, BODY))
    assert [(letter.note.text[g.start : g.end], str(g.type)) for g in letter.gold] == [
        ("Klinik Tal", "hospital"),
        ("Beispiel, Erika", "patient"),
        ("1.4.1950", "birth_date"),
        ("Frau", "salute"),
        ("Beispiel", "patient"),
        ("3.4.", "date"),
    ]
    assert all(span.label is label_of(span.type) for span in letter.gold)


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("in <town>Muster</town>-\n<town>stadt</town>.", ["Muster-\nstadt"]),
        ("in <town>Nieder-</town>\n<town>Muster</town>.", ["Nieder-\nMuster"]),
        ("<date>3. Septem</date>- \n <date>ber</date>-\n<date>ende</date>", ["3. Septem- \n ber-\nende"]),
        (
            "<town>Nieder-</town>\n    <town>Muster</town>, <town>Ober</town>\u00ad\n<town>au</town>",
            ["Nieder-\n    Muster", "Ober\u00ad\nau"],
        ),
        ("<clinician>Muster</clinician>\n<clinician>Beispiel</clinician>", ["Muster", "Beispiel"]),
        ("<clinician>Muster</clinician> -\n\n<clinician>Beispiel</clinician>", ["Muster", "Beispiel"]),
        ("<patient>Mus</patient>-\n<clinician>ter</clinician>", ["Mus", "ter"]),
        ("<town>Muster</town>-<town>stadt</town>", ["Muster", "stadt"]),
    ],
)
def test_parts_of_a_word_that_a_line_end_divides_are_one_span(tmp_path: Path, body: str, read: Sequence[str]) -> None:
    letter = read_letter(written(tmp_path, body))
    assert [letter.note.text[span.start : span.end] for span in letter.gold] == read


WORDS = st.text("abcÄß.,<5 ", min_size=1, max_size=8).map(str.strip).filter(bool)
PIECES = st.lists(st.tuples(WORDS, st.none() | st.sampled_from(PhiType)), min_size=1, max_size=4)


@given(st.lists(st.lists(PIECES, min_size=1, max_size=3), min_size=1, max_size=5))
def test_all_annotations_are_read(
    tmp_path_factory: pytest.TempPathFactory, lines: Sequence[Sequence[Sequence[tuple[str, PhiType | None]]]]
) -> None:
    """Lines of cells of pieces, each annotated or not; a line of one cell is a paragraph."""
    body = ""
    for line in lines:
        cells = [" ".join(f"<{t}>{word}</{t}>" if t else word for word, t in pieces) for pieces in line]
        body += (cells[0] if len(cells) == 1 else f"| {' | '.join(cells)} |") + "\n"
    letter = read_letter(written(tmp_path_factory.mktemp("letter"), body))
    plain = "\n".join("\t".join(" ".join(word for word, _ in pieces) for pieces in line) for line in lines)
    assert letter.note.text == plain
    annotated = [(word, t) for line in lines for pieces in line for word, t in pieces if t]
    assert [(letter.note.text[g.start : g.end], g.type) for g in letter.gold] == annotated


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        ("<name>Beispiel</name>", 6, "no such type"),
        ("\n<town>Ulm", 7, "not closed"),
        ("Ulm</town>", 6, "without its opening tag"),
        ("<town>Ulm</street>", 6, "without its opening tag"),
        ("| <town>Ulm | Bonn</town> |", 6, "not closed"),
        ("<patient>Frau <patient>Beispiel</patient></patient>", 6, "a tag within an annotation"),
        ("<town> Ulm</town>", 6, "a blank at its edge"),
        ("<town></town>", 6, "empty"),
        ("Ulm\x07", 6, "control character"),
    ],
)
def test_a_wrong_tag_is_named_by_its_line_and_never_quoted(tmp_path: Path, body: str, line: int, said: str) -> None:
    path = written(tmp_path, body)
    with pytest.raises(ConfigurationError, match=said) as error:
        read_letter(path)
    assert error.value.problems[0].startswith(f"{path}:{line}: ")
    assert "Ulm" not in str(error.value) and "Beispiel" not in str(error.value)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("kind: Arztbrief\n", "no line --- ends the head"),
        (HEAD.replace("country: DE\n", ""), "lacks country"),
        (HEAD.replace("2009", "um 2009"), ":4: year is four digits"),
        (HEAD.replace("country: DE", "country:"), ":3: not a line of the head"),
        (f"kind: Befund\n{HEAD}", ":2: kind is repeated"),
    ],
)
def test_a_wrong_head_is_named(tmp_path: Path, head: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        read_letter(written(tmp_path, "Text\n", head))


def test_all_errors_of_all_files_are_reported(tmp_path: Path) -> None:
    written(tmp_path, "<town>Ulm\nUlm</town>\n", HEAD.replace("DE", ""), "a01-1")
    written(tmp_path, "<nobody>Ulm</nobody>", name="a02-1")
    for read in (read_letters, lambda folder: read_corpus(folder, "letters")):
        with pytest.raises(ConfigurationError) as error:
            read(tmp_path)
        assert [problem.split(": ")[0].rpartition("/")[2] for problem in error.value.problems] == [
            "a01-1.txt:3",
            "a01-1.txt:1",
            "a01-1.txt:6",
            "a01-1.txt:7",
            "a02-1.txt:6",
            "a02-1.txt:6",
        ]


def test_a_folder_without_letters_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no letter"):
        read_letters(tmp_path)


def test_letters_as_a_corpus_have_labels_or_types(tmp_path: Path) -> None:
    written(tmp_path, BODY)
    (labelled,) = read_corpus(tmp_path, "letters")
    (typed,) = read_corpus(tmp_path / "a01-1.txt", "letters", types=True)
    assert labelled.id == typed.id == "a01-1" and labelled.text == typed.text == TEXT
    assert {span.label for span in labelled.spans} <= set(Label)
    assert [span.label for span in typed.spans][:3] == ["hospital", "patient", "birth_date"]


def test_all_letters_are_valid_and_no_author_is_in_two_parts() -> None:
    parts = {part: read_letters(letters_dir() / part) for part in LETTERS.values()}
    authors = [{letter.note.note_id.rpartition("-")[0] for letter in letters} for letters in parts.values()]
    assert len(set().union(*authors)) == sum(map(len, authors))
    # Only the texts of writers ua, xa and xc have nothing to find.
    empty = {letter.note.note_id for letters in parts.values() for letter in letters if not letter.gold}
    assert {name[:2] for name in empty} == {"ua", "xa", "xc"}


def test_corpora_of_letters_are_the_train_parts_only(tmp_path: Path) -> None:
    for name, part in (("letters-train", "train/dense"), ("letters-train-long", "train/long")):
        texts = read_named(name, tmp_path)
        assert {text.id for text in texts} == {file.stem for file in (letters_dir() / part).glob("*.txt")}
    sources = [c.source for c in load_corpora().corpora.values() if isinstance(c.source, LettersSource)]
    assert [source.part for source in sources] == ["train/dense", "train/long"]
