"""A first run: every file has a ledger row, every readable note a redacted text, and the counts add up."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from lakes import Archive

from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables
from deid_core.readers import source_files

pytestmark = pytest.mark.spark


def test_ledger_has_a_row_for_each_file(first_run: Archive) -> None:
    ledger = first_run.ledger()
    assert set(ledger) == {source.relative for source in source_files(first_run.input)}
    states = Counter((row["state"], row["reason"]) for row in ledger.values())
    assert states == {("converted", None): 13, ("quarantined", "corrupt"): 1, ("quarantined", "empty"): 1}


def test_no_note_is_lost_or_duplicated(first_run: Archive) -> None:
    converted = {row["note_id"] for row in first_run.ledger().values() if row["state"] == "converted"}
    redacted = delta_reader.read(first_run.lake.deidentified, ["note_id"])["note_id"].to_pylist()
    raw = [n for f in first_run.lake.notes.rglob("*.parquet") for n in pq.ParquetFile(f).read()["note_id"].to_pylist()]
    assert sorted(redacted) == sorted(raw) == sorted(converted)


def test_quarantined_notes_have_no_clean_rows(first_run: Archive) -> None:
    quarantined = {row["note_id"] for row in first_run.ledger().values() if row["state"] == "quarantined"}
    for table in (first_run.lake.deidentified, first_run.lake.phi_audit):
        assert quarantined.isdisjoint(delta_reader.read(table, ["note_id"])["note_id"].to_pylist())


def test_the_audit_matches_the_placeholders(first_run: Archive) -> None:
    texts = {
        r["note_id"]: r["text"] for r in delta_reader.read(first_run.lake.deidentified, ["note_id", "text"]).to_pylist()
    }
    rows = delta_reader.read(first_run.lake.phi_audit, ["note_id", "output_start", "output_end", "label"]).to_pylist()
    placeholders = Counter(text.count("<") for text in texts.values())
    assert all(texts[r["note_id"]][r["output_start"] : r["output_end"]] == f"<{r['label']}>" for r in rows)
    assert len(rows) == sum(texts[n].count("<") for n in texts)
    assert placeholders[0] == 0


def test_places_in_the_raw_text_are_restricted(first_run: Archive) -> None:
    """They would tell how long each name is."""
    assert not {"start", "end"} & set(delta_reader.columns(first_run.lake.phi_audit))
    columns = ["note_id", "label", "type", "recogniser", "rule", "score"]
    of_output = delta_reader.read(first_run.lake.phi_audit, columns).to_pylist()
    of_raw = delta_reader.read(first_run.lake.detections, columns).to_pylist()
    assert sorted(map(str, of_output)) == sorted(map(str, of_raw))


def test_the_log_says_how_far_a_stage_is(archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second batch counts on from the first."""
    settings = tmp_path / "often.yaml"
    settings.write_text("run: {progress_s: 0.05, batch_notes: 7}\n")
    capsys.readouterr()
    archive.run(pipeline="variants", settings=settings)
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    lines = [event for event in events if event["message"] == "at work"]
    assert {line["stage"] for line in lines} == {"deidentify"}
    assert {line["of"] for line in lines} == {13}
    done = [line["notes_done"] for line in lines]
    assert done == sorted(done)
    assert 7 <= done[-1] <= 13
    assert all(line["seconds_left"] >= 0 for line in lines if "seconds_left" in line)


def test_texts_keep_the_diagnosis_and_lose_the_name(first_run: Archive) -> None:
    text = delta_reader.read(first_run.lake.deidentified, ["text"], where=None)["text"].to_pylist()
    letters = [t for t in text if "Diagnose" in t]
    assert len(letters) == 11
    assert all("Müller" not in t and "06221" not in t and "Diagnose:" in t for t in letters)


def test_year_comes_from_path_then_header_then_file(first_run: Archive) -> None:
    ledger = first_run.ledger()
    assert {(r["year"], r["year_source"]) for p, r in ledger.items() if p.startswith("201")} == {
        (2010, "path"),
        (2011, "path"),
    }
    assert (ledger["ohne Jahr/Brief.txt"]["year"], ledger["ohne Jahr/Brief.txt"]["year_source"]) == (2011, "header")
    assert (ledger["ohne Jahr/Notiz.txt"]["year"], ledger["ohne Jahr/Notiz.txt"]["year_source"]) == (2017, "file")


def test_counts_add_up_to_the_audit(first_run: Archive) -> None:
    audit = delta_reader.read(first_run.lake.phi_audit, ["note_id", "year", "label", "recogniser"]).to_pylist()
    texts = delta_reader.read(first_run.lake.deidentified, ["year", "tokens"]).to_pylist()
    tokens: Counter[int] = Counter()
    for row in texts:
        tokens[row["year"]] += row["tokens"]
    spans = Counter((r["year"], r["label"], r["recogniser"]) for r in audit)
    notes = Counter(k[:3] for k in {(r["year"], r["label"], r["recogniser"], r["note_id"]) for r in audit})
    expected = {
        key: (notes[key], count, tokens[key[0]], round(1000 * count / tokens[key[0]], 3))
        for key, count in spans.items()
    }
    columns = ["year", "label", "recogniser", "notes", "spans", "tokens", "per_1000_tokens"]
    rows = delta_reader.read(first_run.lake.phi_counts, columns).to_pylist()
    assert {tuple(r.values())[:3]: tuple(r.values())[3:] for r in rows} == expected


def test_a_run_is_recorded_once(first_run: Archive) -> None:
    [row] = delta_reader.read(first_run.lake.runs, ["pipeline", "counts", "fingerprint"]).to_pylist()
    counts = dict(row["counts"])
    assert (row["pipeline"], counts["listed"], counts["converted"], counts["quarantined"]) == ("baseline", 15, 13, 2)
    assert counts["deidentified"] == 13
    assert counts["spans"] == len(delta_reader.read(first_run.lake.phi_audit, ["note_id"]))
    in_lake = [count for name, count in counts.items() if name.startswith("lake.spans.")]
    assert (counts["lake.notes"], counts["lake.tokens"]) == (13, counts["tokens"])
    assert sum(in_lake) == counts["spans"]


def test_restricted_is_closed_to_others(first_run: Archive) -> None:
    assert first_run.lake.restricted.stat().st_mode & 0o777 == 0o700
    assert first_run.lake.key.stat().st_mode & 0o777 == 0o600


def test_nothing_stays_in_staging(first_run: Archive) -> None:
    assert not first_run.lake.staging.exists()


def test_every_column_has_a_comment(first_run: Archive) -> None:
    for table in Tables(first_run.lake).all():
        assert all(column.metadata[b"comment"] for column in table.columns)
