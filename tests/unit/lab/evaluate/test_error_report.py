"""The error report: what it shows, and that nobody but its owner may read it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from span_samples import at

from deid_core.core.errors import ConfigurationError
from deid_core.lab.evaluate.error_kinds import ErrorCase, ErrorOutcome, Kind, ScoredNote, find_errors
from deid_core.lab.evaluate.error_page import KINDS, OUTCOMES
from deid_core.lab.evaluate.error_report import EXAMPLES, kind_rows, outcome_rows, write_error_report
from deid_core.lab.evaluate.listed_words import ListedWords

TEXT = "Herr <Xylander> | kam\nnach Ulm"
NOTE = ScoredNote("brief_1", TEXT, [at(TEXT, "Xylander", "PER"), at(TEXT, "Ulm", "LOC")], [at(TEXT, "kam", "PER")])
NOBODY = ListedWords(frozenset(), frozenset(), frozenset())


@pytest.fixture
def cases() -> list[ErrorCase]:
    return find_errors([NOTE], NOBODY)


def test_tables_count_errors_and_their_part(cases: list[ErrorCase]) -> None:
    kinds = {row[0]: row[1:] for row in kind_rows(cases)}
    assert kinds["out_of_vocabulary"] == ("2", "100.0%", "1", "100.0%")
    assert kinds["total"] == ("2", "", "1", "")
    outcomes = {row[0]: row[1:] for row in outcome_rows(cases)}
    assert (outcomes["missed"], outcomes["spurious"]) == (("2", "100.0%", "0", "0.0%"), ("0", "0.0%", "1", "100.0%"))


def test_html_marks_the_span_and_escapes_the_rest(tmp_path: Path, cases: list[ErrorCase]) -> None:
    path = tmp_path / "run.errors.html"
    write_error_report(path, [NOTE], cases)
    content = path.read_text(encoding="utf-8")
    assert "Herr &lt;<mark>Xylander</mark>&gt; | kam⏎nach Ulm" in content
    assert "brief_1:6-14" in content
    assert "<Xylander" not in content


def test_the_page_says_in_words_what_happened_and_can_be_filtered(tmp_path: Path, cases: list[ErrorCase]) -> None:
    path = tmp_path / "run.errors.html"
    write_error_report(path, [NOTE], cases)
    content = path.read_text(encoding="utf-8")
    assert "2 spans were not found with the same place and label; 2 of them stay readable" in content
    assert "1 spans are not marked so" in content
    assert content.count("<td>missed: nothing was removed there</td><td>") == 2
    assert content.count('<tr data-side class="false_negative readable"') == 2
    assert content.count('<tr data-side class="false_positive"') == 1
    # Two labels, LOC and PER, in the order of their numbers.
    assert "> LOC</label>" in content and 'id="label-1" checked> PER' in content
    assert 'main:has(#label-1:not(:checked)) tr[data-label="1"]' in content
    assert "<script" not in content
    assert set(KINDS) == set(Kind) and set(OUTCOMES) == set(ErrorOutcome)


def test_markdown_escapes_what_would_break_a_table(tmp_path: Path, cases: list[ErrorCase]) -> None:
    path = tmp_path / "run.errors.md"
    write_error_report(path, [NOTE], cases)
    content = path.read_text(encoding="utf-8")
    assert r"Herr \<**Xylander**\> \| kam⏎nach Ulm" in content
    assert r"brief\_1:6-14" in content


@pytest.mark.parametrize("name", ["run.errors.html", "run.errors.md"])
def test_only_the_owner_may_read_it_whatever_was_there(tmp_path: Path, cases: list[ErrorCase], name: str) -> None:
    path = tmp_path / name
    path.write_text("readable by all")
    path.chmod(0o644)
    write_error_report(path, [NOTE], cases)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_examples_of_a_kind_are_limited_and_the_legible_come_first(tmp_path: Path) -> None:
    covered = ScoredNote("safe", "Xylander", [at("Xylander", "Xylander", "PER")], [at("Xylander", "Xylander", "LOC")])
    many = [covered, *[NOTE] * EXAMPLES]
    path = tmp_path / "x.md"
    write_error_report(path, many, find_errors(many, NOBODY))
    content = path.read_text(encoding="utf-8")
    assert content.count("**Xylander**") + content.count("**Ulm**") == EXAMPLES
    assert "safe:" not in content


def test_what_cannot_be_written_is_a_configuration_error(tmp_path: Path, cases: list[ErrorCase]) -> None:
    for path, problem in ((tmp_path / "x.txt", "ends in .html or .md"), (tmp_path / "absent" / "x.md", "cannot be")):
        with pytest.raises(ConfigurationError, match=problem) as error:
            write_error_report(path, [NOTE], cases)
        assert "Xylander" not in str(error.value)
