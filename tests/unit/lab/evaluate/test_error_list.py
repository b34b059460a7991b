"""The list of errors: every span without an exact counterpart stands in a line, and says what it is."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from span_samples import spans

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.corpora import LabelledSpan
from deid_core.lab.evaluate.error_list import ErrorKind, error_lines, write_error_list

TEXT = "Frau Anna Stein\nkam am 3.4.\taus Ulm nach <Bonn>."
TYPES = {"PER": PhiType.PATIENT, "LOC": PhiType.TOWN, "DATE": PhiType.DATE}


def gold_span(span: LabelledSpan) -> GoldSpan:
    return GoldSpan(span.start, span.end, Label(span.label), TYPES[span.label])


def found_span(span: LabelledSpan) -> Span:
    return Span(span.start, span.end, Label(span.label), TYPES[span.label], "context", "salute")


def of(surface: str, label: str) -> LabelledSpan:
    start = TEXT.index(surface)
    return LabelledSpan(start, start + len(surface), label)


GOLD = [gold_span(of(*pair)) for pair in (("Anna Stein", "PER"), ("3.4.", "DATE"), ("Ulm", "LOC"), ("Bonn", "LOC"))]
FOUND = [found_span(of(*pair)) for pair in (("Anna", "PER"), ("kam", "PER"), ("Ulm", "PER"), ("Bonn", "LOC"))]


def test_an_error_says_what_it_should_have_been_and_who_did_it() -> None:
    lines = error_lines("n1", TEXT, GOLD, FOUND)
    told = [(e.kind, e.legible, e.gold, e.label, e.recogniser, e.rule, e.text, e.predicted) for e in lines]
    assert told == [
        (ErrorKind.BOUNDARY, "yes", "patient", "PER", "context", "salute", "Anna Stein", "Anna"),
        (ErrorKind.SPURIOUS, "", "", "PER", "context", "salute", "", "kam"),
        (ErrorKind.MISSED, "yes", "date", "", "", "", "3.4.", ""),
        (ErrorKind.WRONG_LABEL, "", "town", "PER", "context", "salute", "Ulm", "Ulm"),
    ]
    assert (lines[1].left, lines[1].right) == ("Frau Anna Stein⏎", " am 3.4.⇥aus Ulm nach <Bonn>.")


@given(spans(), spans())
def test_every_span_without_a_counterpart_stands_in_a_line(gold: list[LabelledSpan], found: list[LabelledSpan]) -> None:
    text = "abcdefghijkl"
    exact = set(gold) & set(found)
    lines = error_lines("n1", text, map(gold_span, gold), map(found_span, found))
    assert bool(lines) == (set(gold) | set(found) != exact)
    for span in set(gold) - exact:
        assert text[span.start : span.end] in {line.text for line in lines if line.gold == TYPES[span.label]}
    for span in set(found) - exact:
        assert text[span.start : span.end] in {line.predicted for line in lines if line.label == span.label}


def test_the_file_has_a_line_an_error_and_is_its_owners(tmp_path: Path) -> None:
    rows = [("letters", "default", line) for line in error_lines("n1", TEXT, GOLD, FOUND)]
    write_error_list(tmp_path / "e.tsv", rows)
    write_error_list(tmp_path / "e.html", rows)
    head, *lines = [line.split("\t") for line in (tmp_path / "e.tsv").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len(rows) and {len(line) for line in lines} == {len(head)}
    assert dict(zip(head, lines[0], strict=True))["text"] == "Anna Stein"
    html = (tmp_path / "e.html").read_text(encoding="utf-8")
    assert html.count("<tr>") == len(rows) + 1
    assert "&lt;Bonn&gt;" in html and "<Bonn>" not in html
    assert stat.S_IMODE((tmp_path / "e.tsv").stat().st_mode) == 0o600


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"\.tsv or \.html"):
        write_error_list(tmp_path / "e.txt", [])
