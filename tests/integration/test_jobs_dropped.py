"""What the engine found and dropped is stored with its reason, counted, and withdrawn with its note."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from lakes import LETTER, Archive, Crash, write

from deid_core.core.spans import DropReason
from deid_core.lake.tables import delta_reader
from deid_core.spark import deidentify_notes

pytestmark = pytest.mark.spark

MORE = (
    "Apgar nach Stein. Kocher-Schnitt nach Billroth, Haldol, Winter in Essen. Die Frau Mai kam mit Braun nach Berlin.\n"
)
"""Words that rules take for names and places, and the stacking model does not."""
OPTIONS = {"pipeline": "default"}


def test_dropped_detections(spark: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive(tmp_path / "input", tmp_path / "lake")
    for number in range(2):
        write(archive.input / "2010" / f"{number}.txt", LETTER.format(name="Weber", number=number) + 3 * MORE)

    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(deidentify_notes, "write_texts", _crash)
        archive.run(**OPTIONS)
    left = delta_reader.read(archive.lake.dropped, ["note_id"]).num_rows
    assert left
    run = archive.run(**OPTIONS)
    rows = archive.rows()["dropped"]
    assert len(rows) == left == run.counts["dropped"]
    assert {row["reason"] for row in rows} <= set(DropReason)
    assert "Weber" not in repr(rows)
    assert _counted(archive) == Counter((row["label"], row["rule"], row["reason"]) for row in rows)
    assert not archive.run(**OPTIONS).did_something

    (archive.input / "2010" / "0.txt").unlink()
    archive.run(**OPTIONS)
    [kept] = [row["note_id"] for row in archive.ledger().values() if row["state"] == "converted"]
    rows = archive.rows()["dropped"]
    assert {row["note_id"] for row in rows} == {kept}
    assert sum(_counted(archive).values()) == len(rows)
    assert delta_reader.dead_files(archive.lake.dropped) == []


def _counted(archive: Archive) -> Counter[tuple[object, ...]]:
    rows = delta_reader.read(archive.lake.dropped_counts, ["label", "rule", "reason", "detections"]).to_pylist()
    counted: Counter[tuple[object, ...]] = Counter()
    for row in rows:
        counted[row["label"], row["rule"], row["reason"]] += row["detections"]
    return counted


def _crash(*args: object, **kwargs: object) -> None:
    raise Crash


def test_what_the_sweep_finds_is_counted_without_its_text(spark: object, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "input", tmp_path / "lake")
    header = "Herrn\nPeter Zqxkanari-Herz\nHauptstr. 5\n69120 Heidelberg\n\nSehr geehrte Kollegen,\n\n"
    write(archive.input / "2010" / "0.txt", header + "zqxkanari klagt am Abend. Das herz ist frei.\n")
    pipeline = tmp_path / "sweeping.yaml"
    pipeline.write_text("name: sweeping\ndescription: with sweep\nextends: baseline\nsweep: true\n", encoding="utf-8")
    archive.run(pipeline=str(pipeline))

    lake = archive.lake
    [text] = delta_reader.read(lake.deidentified, ["text"])["text"].to_pylist()
    assert "zqxkanari" not in text.lower()
    redacted = delta_reader.read(lake.phi_counts, ["label", "recogniser", "spans"]).to_pylist()
    assert {"label": "PER", "recogniser": "sweep"}.items() <= max(redacted, key=lambda r: r["recogniser"]).items()
    assert ("PER", "header.name.gazetteer", DropReason.COMMON) in _counted(archive)
    for table in (lake.phi_audit, lake.phi_counts, lake.runs, lake.dropped, lake.dropped_counts, lake.detections):
        assert "zqxkanari" not in repr(delta_reader.read(table, delta_reader.columns(table)).to_pylist()).lower()
