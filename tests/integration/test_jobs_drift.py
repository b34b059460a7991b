"""A night whose letters no longer name anybody is reported: in the log, in clean/runs, by exit code, on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lakes import PIPELINE, Archive, write
from night_rows import add_nights

from deid_core.cli import main
from deid_core.lake.checks import checksums
from deid_core.lake.runs import profiles
from deid_core.lake.tables import delta_reader

pytestmark = pytest.mark.spark

CANARY = "Zqxkanari"


def test_a_night_that_differs_is_reported(
    archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiles, "FEWEST_NOTES", 5)
    [fingerprint] = delta_reader.distinct(archive.lake.runs, "fingerprint")
    add_nights(archive.lake, 12, fingerprint=fingerprint)
    checksums.record(archive.lake)
    for number in range(10):
        write(archive.input / "2012" / f"{CANARY} {number}.txt", f"{CANARY} kam zur Kontrolle. Befund gut.\n" * 20)
    settings = tmp_path / "settings.yaml"
    settings.write_text("quarantine: {allowed_share: 0.5}\n", encoding="utf-8")
    command = [
        "run",
        "--settings",
        str(settings),
        "--input",
        str(archive.input),
        "--lake",
        str(archive.root),
        "--pipeline",
        PIPELINE,
    ]
    assert main([*command, "--fail-on-drift"]) == 65
    printed = capsys.readouterr()
    assert '"level": "warning"' in printed.err
    assert "names PER: 10 of 10 notes are below 1, expected 0" in printed.err
    assert "The notes differ from those of earlier runs" in printed.out
    assert "more than the allowed share" not in printed.err
    counts = [dict(row) for row in delta_reader.read(archive.lake.runs, ["counts"])["counts"].to_pylist()]
    [night] = [row for row in counts if "drift.alarms" in row]
    assert night["drift.nights"] == 12
    assert night["drift.alarms"] >= 1
    # A night without work does not look again, and writes nothing.
    before = archive.files()
    assert main([*command, "--fail-on-drift"]) == 0
    assert archive.files() == before
    page = tmp_path / "page.html"
    assert main(["report", "--lake", str(archive.root), "--html", str(page), "--json", str(tmp_path / "f.json")]) == 0
    text = re.sub(r"<[^>]+>|\s+", " ", page.read_text(encoding="utf-8"))
    assert "10 of 10 notes" in text
    columns = delta_reader.columns(archive.lake.run_profiles)
    rows = repr(delta_reader.read(archive.lake.run_profiles, columns).to_pylist())
    everything = printed.err + printed.out + capsys.readouterr().err + text + (tmp_path / "f.json").read_text() + rows
    assert CANARY.lower() not in everything.lower()
