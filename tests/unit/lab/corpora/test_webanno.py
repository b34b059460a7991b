"""WebAnno TSV 3: reading a file of INCEpTION, and writing files that read back unchanged."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from corpus_strategies import annotated_texts
from hypothesis import given

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.webanno import read_webanno, write_webanno
from deid_core.lab.corpora.webanno_lines import Utf16Offsets, parse_values

CASES = Path(__file__).resolve().parents[3] / "cases" / "corpora"
HEADER = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|label\n\n\n"


def test_other_layers_token_parts_stacks_and_wide_characters_are_read() -> None:
    (text,) = read_webanno(CASES / "two-layers.tsv")
    assert text.text == "Frau \U0001f600 Anna Vogel-Klein kam\\.\n  Ulm,\nBahnhof"
    assert [(text.text[span.start : span.end], span.label) for span in text.spans] == [
        ("Frau", "SALUTE"),
        ("Anna", "FIRST_NAME"),
        ("Anna Vogel-Klein", "PER"),
        ("Klein", "MAIDEN"),
        (".", "*"),
        ("Ulm,\nBahnhof", "LOC"),
    ]


def test_another_layer_is_read_by_its_name() -> None:
    pos = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
    (text,) = read_webanno(CASES / "two-layers.tsv", layer=pos, feature="coarseValue")
    assert [span.label for span in text.spans] == ["N", "N", "N", "V", "N", "N"]
    with pytest.raises(ConfigurationError, match=r"name the feature of .*POS; there are: PosValue, coarseValue"):
        read_webanno(CASES / "two-layers.tsv", layer=pos)
    with pytest.raises(ConfigurationError, match=r"name the span layer; there are: .*POS, .*NamedEntity$"):
        read_webanno(CASES / "two-layers.tsv", layer="webanno.custom.Relation")


def test_the_written_file_has_the_documented_format(tmp_path: Path) -> None:
    text = AnnotatedText(
        "a",
        "Frau Anna Vogel\n Ulm",
        (LabelledSpan(5, 15, "PER"), LabelledSpan(11, 14, "A|B"), LabelledSpan(17, 20, "LOC")),
    )
    write_webanno(tmp_path / "a.tsv", text)
    assert (tmp_path / "a.tsv").read_text() == (
        "#FORMAT=WebAnno TSV 3.3\n"
        "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value\n"
        "\n\n"
        "#Text=Frau Anna Vogel\n"
        "1-1\t0-4\tFrau\t_\t\n"
        "1-2\t5-9\tAnna\tPER[1]\t\n"
        "1-3\t10-15\tVogel\tPER[1]\t\n"
        "1-3.1\t11-14\toge\tA\\|B\t\n"
        "\n"
        "#Text=Ulm\n"
        "2-1\t17-20\tUlm\tLOC\t\n"
    )


@given(annotated_texts())
def test_writing_and_reading_round_trips(text: AnnotatedText) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "note.tsv"
        write_webanno(path, text)
        assert read_webanno(path) == [text]


def test_blanks_at_the_edges_of_a_span_are_lost_and_spans_of_blanks_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "note.tsv"
    write_webanno(path, AnnotatedText("note", "a b c", (LabelledSpan(1, 4, "X"),)))
    assert read_webanno(path)[0].spans == (LabelledSpan(2, 3, "X"),)
    with pytest.raises(ConfigurationError, match=r"span \[1, 2\) holds nothing but blanks"):
        write_webanno(path, AnnotatedText("note", "a b c", (LabelledSpan(1, 2, "X"),)))


@pytest.mark.parametrize(
    ("body", "line", "problem"),
    [
        ("#Text=Geheim\n1-1\t0-5\tGeheim\t_\t\n", "6", "is not at its offsets"),
        ("#Text=Geheim\n1-1\t0\tGeheim\t_\t\n", "6", "is not a line of a token"),
        ("#Text=Geheim\n1-1\t0-6\tGeheim\n", "6", "column 4 is missing or cannot be read"),
        ("#Text=Geheim\n1-1\t0-6\tGeheim\tGeheim[\n", "6", "column 4 is missing or cannot be read"),
        ("#Text=a\n1-1\t0-1\ta\t_\n\n#Text=Geheim\n2-1\t0-6\tGeheim\t_\n", "9", "before the last one's end"),
    ],
)
def test_bad_lines_are_named_and_not_quoted(tmp_path: Path, body: str, line: str, problem: str) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(HEADER + body)
    with pytest.raises(ConfigurationError) as error:
        read_webanno(path)
    assert problem in error.value.problems[0]
    assert error.value.problems[0].split(":")[1] == line
    assert "Geheim" not in str(error.value)


def test_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "germeval.tsv"
    path.write_text("1\tUlm\tB-LOC\tO\n")
    with pytest.raises(ConfigurationError, match="1: is not WebAnno TSV"):
        read_webanno(path)


def test_stacked_values() -> None:
    assert parse_values("PER[1]|A\\|B[2]|*") == [("PER", 1), ("A|B", 2), ("*", None)]
    assert parse_values("_") == []
    assert [parse_values(column) for column in ("PER[x]", "PER|", "[1]", "")] == [None] * 4


def test_offsets_count_utf16() -> None:
    offsets = Utf16Offsets("a\U0001f600b")
    assert [offsets.units(position) for position in range(4)] == [0, 1, 3, 4]
    assert [offsets.position(units) for units in (0, 1, 3, 4)] == [0, 1, 2, 3]
