"""The figures of the audit page, computed by hand for a small lake."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from deltalake import DeltaTable
from page_lake import CANARY, NOON, append, page_lake

from deid_core.audit_page.corpus import corpus_rows
from deid_core.audit_page.figures import Figures, Rows, gather, type_rows
from deid_core.audit_page.findings import Finding, Severity
from deid_core.audit_page.page import html_page
from deid_core.audit_page.sweep import by_find, by_year
from deid_core.core.errors import DamageFoundError
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import LakeTable, Tables


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return page_lake(tmp_path)


@pytest.fixture
def figures(lake: Lake) -> Figures:
    return gather(lake, NOON)


def some(rows: Rows, *names: str) -> list[tuple[object, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def names_of(figures: Figures) -> list[str]:
    return [finding.name for finding in figures.findings]


def test_totals(figures: Figures) -> None:
    expected = {
        "received": 5, "first_year": 2010, "last_year": 2011, "deidentified": 3, "quarantined": 2, "waiting": 0,
        "deleted": 1, "tokens": 200, "spans": 4, "per_1000_tokens": 20.0, "without_spans": 1,
        "spans_with_low_score": 1, "dropped": 2, "version": "0.5.0", "pipeline": "default", "policy": "thesis",
    }  # fmt: skip
    assert {name: figures.summary[name] for name in expected} == expected
    assert figures.summary["last_run_finished"].isoformat() == "2026-03-02T01:02:00+00:00"


def test_withdrawn_notes_are_told_apart_from_deleted_ones(lake: Lake) -> None:
    tables = Tables(lake)
    rows = delta_reader.read(lake.ledger, tables.ledger.columns.names).to_pylist()
    tables.ledger.upsert([row | {"state": "withdrawn"} for row in rows if row["note_id"] == "d"])
    found = gather(lake, NOON)
    assert [found.summary[name] for name in ("received", "deleted", "withdrawn")] == [4, 1, 1]
    page = html_page(found, "en")
    assert "1 more was deleted at the source" in page and "1 more was withdrawn" in page
    assert "1 weiterer wurde zurückgezogen" in html_page(found, "de")


def test_years(figures: Figures) -> None:
    columns = ("year", "received", "deidentified", "quarantined", "without_spans", "tokens", "spans", "per_1000_tokens")
    assert some(figures.tables["years"], *columns) == [
        (2010, 1, 1, 0, 0, 100, 3, 30.0),
        (2011, 3, 2, 1, 1, 100, 1, 10.0),
        (None, 1, 0, 1, 0, 0, 0, 0.0),
    ]


def test_rates_by_label_type_and_recogniser_have_years_without_spans(figures: Figures) -> None:
    assert some(figures.tables["labels"], "label", "year", "spans", "per_1000_tokens") == [
        ("DATE", 2010, 1, 10.0), ("DATE", 2011, 0, 0.0), ("PER", 2010, 2, 20.0), ("PER", 2011, 1, 10.0),
    ]  # fmt: skip
    assert some(figures.tables["types"], "label", "type", "year", "spans") == [
        ("DATE", "date", 2010, 1), ("DATE", "date", 2011, 0),
        ("PER", "clinician", 2010, 1), ("PER", "clinician", 2011, 0),
        ("PER", "patient", 2010, 1), ("PER", "patient", 2011, 1),
    ]  # fmt: skip
    assert some(figures.tables["recognisers"], "recogniser", "year", "spans") == [
        ("letterhead", 2010, 1), ("letterhead", 2011, 1), ("pattern", 2010, 1), ("pattern", 2011, 0),
        ("stacking", 2010, 1), ("stacking", 2011, 0),
    ]  # fmt: skip


def test_scores_are_counted_in_tenths(figures: Figures) -> None:
    assert some(figures.tables["scores"], "label", "recogniser", "score_from", "spans") == [
        ("DATE", "pattern", 0.9, 1), ("PER", "letterhead", 0.5, 1), ("PER", "letterhead", 0.9, 1),
        ("PER", "stacking", 0.3, 1),
    ]  # fmt: skip


def test_quarantine_sources_of_years_and_dropped_detections(figures: Figures) -> None:
    tables = figures.tables
    assert some(tables["quarantine"], "reason", "year", "notes") == [("empty", None, 1), ("engine_timeout", 2011, 1)]
    assert some(tables["year_sources"], "source", "notes") == [("file", 1), ("path", 2)]
    assert some(tables["dropped"], "recogniser", "rule", "reason", "notes", "detections") == [
        ("crf", "crf.PER", "stacking.drop_above", 2, 2)
    ]


def test_runs_and_their_difference(figures: Figures) -> None:
    columns = ("run_id", "seconds", "listed", "deid", "spark")
    assert some(figures.tables["runs"], *columns) == [("r2", 120.0, 5, "0.5.0", ""), ("r1", 120.0, 0, "0.5.0", "")]
    columns = ("label", "spans_before", "spans_after", "per_1000_tokens_before", "per_1000_tokens_after")
    assert some(figures.tables["last_two_runs"], *columns) == [("DATE", 0, 1, 0.0, 5.0), ("PER", 2, 3, 12.5, 15.0)]


def test_what_needs_a_look(figures: Figures) -> None:
    """A third of the notes has the year of the file; nothing disagrees."""
    assert figures.findings == [
        Finding(Severity.LOOK, "without_spans", {"n": 1}),
        Finding(Severity.LOOK, "quarantined", {"n": 2}),
        Finding(Severity.LOOK, "year_of_file", {"n": 1, "share": 1 / 3}),
    ]


def test_outputs_of_other_policies(lake: Lake) -> None:
    """Of three notes one has a text of the policy, one failed and one waits."""
    assert gather(lake, NOON).tables["outputs"] == []
    tables = Tables(lake)
    table = LakeTable.of_output(lake, "own")
    table.create()
    row = {"patient_key": "k", "patient_key_id": "k", "patient_source": "note", "fingerprint": "p", "key_id": "i"}
    append(table, [row | {"note_id": "a", "year": 2010, "text": CANARY, "run_id": "r"}])
    failure = dict.fromkeys(tables.output_failures.columns.names, "x") | {"policy": "own", "note_id": "b"}
    append(tables.output_failures, [failure])
    counted = delta_reader.read(lake.runs, tables.runs.columns.names).to_pylist()[0]
    append(tables.runs, [counted | {"run_id": "r3", "counts": [("unparsed.own", 4)]}])
    figures = gather(lake, NOON)
    assert figures.tables["outputs"] == [{"policy": "own", "texts": 1, "unparsed": 4, "failed": 1, "waiting": 1}]
    page = html_page(figures, "en")
    assert "steht sein Label, etwa" in html_page(figures, "de") and "Klasse" not in html_page(figures, "de")
    assert "Outputs of other policies" in page and CANARY not in page
    assert "Ausgaben anderer Regelwerke" in html_page(figures, "de")


def test_what_the_sweep_found(lake: Lake) -> None:
    """Three notes of the corpus and one in quarantine were searched."""
    tables = Tables(lake)
    names = tables.leak_sweep.columns.names
    rows = [
        (2011, "", "", "searched", "", 3, 0),
        (2010, "", "", "searched", "", 1, 0),
        (2010, "header", "name", "redacted", "stacking", 1, 2),
        (2011, "header", "name", "redacted", "stacking", 1, 1),
        (2011, "patient", "number", "common", "none", 1, 1),
        (2011, "header", "name", "quarantined", "crf", 1, 1),
    ]
    found = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], tables.leak_sweep.columns)
    tables.leak_sweep.overwrite(found, {})
    ledger = delta_reader.read(lake.ledger, tables.ledger.columns.names).to_pylist()
    tables.ledger.upsert([row | {"reason": "leak"} for row in ledger if row["note_id"] == "e"])
    figures = gather(lake, NOON)
    assert {name: figures.summary[name] for name in ("searched", "found_again", "left_as_common")} == {
        "searched": 3, "found_again": 3, "left_as_common": 1,
    }  # fmt: skip
    assert figures.summary["quarantined_by_sweep"] == 1
    assert "not_searched" not in {finding.name for finding in figures.findings}
    assert by_year(figures.tables["sweep"]) == [
        {"year": 2010, "searched": 1, "redacted": 2, "common": 0, "quarantined": 0},
        {"year": 2011, "searched": 3, "redacted": 1, "common": 1, "quarantined": 1},
    ]
    first, *others = by_find(figures.tables["sweep"])
    assert (first["recogniser"], first["notes"], first["places"]) == ("stacking", 2, 3)
    assert {row["outcome"] for row in others} == {"common", "quarantined"}


def test_a_lake_of_a_version_without_the_sweep_says_so(lake: Lake) -> None:
    shutil.rmtree(lake.leak_sweep)
    figures = gather(lake, NOON)
    assert figures.tables["sweep"] == []
    assert {finding.name: finding.values["n"] for finding in figures.findings}["not_searched"] == 3


def test_counts_that_were_not_made_again_disagree(lake: Lake) -> None:
    span = delta_reader.read(lake.phi_audit, delta_reader.columns(lake.phi_audit)).to_pylist()[0]
    append(Tables(lake).phi_audit, [span, span])
    assert gather(lake, NOON).findings[0] == Finding(Severity.WRONG, "counts_disagree", {"n": 2})


def test_texts_and_ledger_that_disagree(lake: Lake) -> None:
    """The text of b is gone, and there is one of a deleted file and of another version."""
    tables = Tables(lake)
    other = {"note_id": "f", "year": 2010, "batch": "b", "text": "", "tokens": 1, "fingerprint": "g", "run_id": "r"}
    other |= {"patient_key": "k", "patient_key_id": "k", "patient_source": "note"}
    append(tables.deidentified, [other])
    DeltaTable(str(lake.deidentified)).delete("note_id = 'b'")
    wrong = [(f.name, f.values["n"]) for f in gather(lake, NOON).findings if f.severity == Severity.WRONG]
    assert wrong == [("waiting", 1), ("leftover", 1), ("stray", 1), ("fingerprints", 2)]


def test_a_run_at_work_is_told(lake: Lake) -> None:
    (lake.restricted / "lock.json").write_text("{}")
    assert names_of(gather(lake, NOON))[0] == "running"


def test_a_file_cut_short_is_told_or_ends_it(lake: Lake) -> None:
    [file, *_] = delta_reader.data_files(lake.dropped)
    file.write_bytes(file.read_bytes()[:-9])
    assert names_of(gather(lake, NOON))[0] == "damaged"
    [file, *_] = delta_reader.data_files(lake.phi_audit)
    file.write_bytes(b"PAR1")
    with pytest.raises(DamageFoundError, match="clean/phi_audit"):
        gather(lake, NOON)


def test_a_year_with_half_as_many_spans_is_marked(lake: Lake) -> None:
    """With 200 spans of 200 tokens 100 are expected of each year; 2011 has 49, and then 51."""
    tables = Tables(lake)
    span = {"output_start": 0, "output_end": 1, "type": "uri", "recogniser": "p", "rule": "r", "score": 1.0}
    spans = [span | {"label": "URI", "note_id": "a", "year": 2010}] * 151
    append(tables.phi_audit, spans + [span | {"label": "URI", "note_id": "b", "year": 2011}] * 49)
    append(tables.phi_audit, [row | {"label": "AGE"} for row in spans[:149]])
    append(tables.phi_audit, [span | {"label": "AGE", "note_id": "b", "year": 2011}] * 51)
    found = gather(lake, NOON)
    assert some([row for row in found.tables["labels"] if row["low"]], "label", "year") == [("URI", 2011)]
    case = {"label": "URI", "year": 2011, "per_1000_tokens": 490.0, "in_all_years": 1000.0}
    assert Finding(Severity.LOOK, "low_years", {"n": 1, "cases": [case]}) in found.findings
    assert "URI 2011: 490.0 against 1,000.0 (per 1,000 tokens)." in html_page(found, "en")
    # In print the letters become smaller with the columns, so that none is cut off: two years and all years.
    assert html_page(found, "en").count('<table class="rates" style="--columns:3">') == 3
    # The marks are explained below each table that has some: of labels and of types.
    assert html_page(found, "en").count('<p class="muted">▼ less than half as often') == 2
    assert "URI 2011: 490,0 statt 1.000,0 (je 1.000 Tokens)." in html_page(found, "de")


def test_a_lake_in_which_nothing_was_done(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path / "lake")
    lake.prepare()
    Tables(lake).ledger.create()
    found = gather(lake, NOON)
    assert (found.summary["received"], found.summary["spans"], found.findings) == (0, 0, [])
    assert all(rows == [] for rows in found.tables.values())


def test_types(lake: Lake) -> None:
    assert some(type_rows(lake), "year", "type", "spans") == [
        (2010, "date", 1), (2010, "clinician", 1), (2010, "patient", 1), (2011, "patient", 1),
    ]  # fmt: skip


def test_corpus_counts_lines_that_are_not_blank(lake: Lake) -> None:
    assert corpus_rows(lake) == [
        {"year": 2010, "notes": 1, "lines": 2, "tokens": 100},
        {"year": 2011, "notes": 2, "lines": 4, "tokens": 100},
    ]
