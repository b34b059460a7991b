"""`deid report` and `deid show` on a lake with dropped detections, without Spark."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from deltalake import write_deltalake

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError
from deid_core.lake.checks import audit_counts
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ledger import LedgerRow
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables
from deid_core.lake.tables.task_schemas import STORED

NOTE = "0" * 32
KEYS = {"note_id": NOTE, "year": 2010}
TEXT = "Herr Weber hat Morbus Weber.\n"
DETECTION = {"type": "other", "recogniser": "crf", "rule": "r", "score": 0.5, "label": "PER"}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A note with a removed span and a dropped detection, and its counts."""
    lake = Lake.at(tmp_path / "lake")
    tables = Tables(lake)
    tables.create()
    row = LedgerRow(NOTE, "a.txt", 1, 2, "", State.CONVERTED, "reader", "run", batch="b", year=2010, year_source="path")
    tables.ledger.upsert([asdict(row)])
    folder = lake.notes / "year=2010" / "batch=b"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist([{"note_id": NOTE, "text": TEXT}], schema=STORED), folder / "part-0.parquet")
    text = {"batch": "b", "text": TEXT.replace("Weber", "<PER>", 1), "tokens": 6, "fingerprint": "f", "run_id": "run"}
    text |= {"patient_key": "p", "patient_key_id": "k", "patient_source": "note"}
    span = DETECTION | {"output_start": 5, "output_end": 10}
    detection = DETECTION | {"start": 5, "end": 10}
    dropped = DETECTION | {"start": 22, "end": 27, "reason": "drop_above", "run_id": "run"}
    made = {"deidentified": text, "phi_audit": span, "detections": detection, "dropped": dropped}
    for name, row_of_note in made.items():
        getattr(tables, name).add(KEYS | row_of_note)
    audit_counts.update(tables)
    return lake


def test_report_of_dropped_detections(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--lake", str(lake.root), "--dropped", "--json"]) == 0
    [row] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = {"year": 2010, "label": "PER", "recogniser": "crf", "rule": "r", "reason": "drop_above"}
    assert row == found | {"notes": 1, "detections": 1}
    assert main(["report", "--lake", str(lake.root), "--dropped"]) == 0
    assert "drop_above" in capsys.readouterr().out


def test_report_of_removed_spans(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--lake", str(lake.root), "--by", "label", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"label": "PER", "spans": 1, "tokens": 6, "per_1000_tokens": 166.667}


def test_show_lists_what_a_rule_found_and_the_pipeline_dropped(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", NOTE, "--lake", str(lake.root), "--no-colour"]) == 0
    shown = capsys.readouterr().out
    assert "Herr [Weber|PER] hat Morbus Weber." in shown
    assert "Herr <PER> hat Morbus Weber." in shown
    section = shown.partition("Found by a rule, then dropped\n")[2].splitlines()
    assert [line.split()[0] for line in section] == ["label", "PER"]
    assert section[1].endswith("drop_above  'Weber'")


def test_check_warns_of_what_is_not_of_the_lake(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    """By path alone, without the exit code of a damage; a table that lost its log is not one any more."""
    check = ["check", "--lake", str(lake.root)]
    for own in (lake.key, lake.patient_secret, lake.lock, lake.checksums):
        own.touch()
    code = main(check)
    before = capsys.readouterr().out
    assert "warning" not in before
    strays = ["clean/letters.csv", "clean/two\nlines", "notes.txt", "restricted/key.old", "restricted/notes/.hidden"]
    strays += ["restricted/notes/year=2010/Weber.docx"]
    for name in strays:
        (lake.root / name).write_text(TEXT)
    for folder in ("clean/copy", "clean/deidentified_readable"):
        (lake.root / folder / "year=2010").mkdir(parents=True)
        (lake.root / folder / "year=2010" / "part-0.parquet").write_text(TEXT)
    (lake.root / "link").symlink_to(lake.clean, target_is_directory=True)
    assert main(check) == code
    out, err = capsys.readouterr()
    named = sorted([*strays, "clean/copy/", "clean/deidentified_readable/", "link/"])
    warnings = [f"warning: {name!r} is not of the lake: no run reads, checks or removes it" for name in named]
    assert (out + err).splitlines() == [*warnings, *before.splitlines()]
    main([*check, "--mend"])
    assert all((lake.root / name).exists() for name in named)


def test_check_says_what_the_next_run_upgrades(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables that an older version did not have, or had with other columns; no other version's are touched."""
    check = ["check", "--lake", str(lake.root)]
    assert main(check) == 0
    capsys.readouterr()
    shutil.rmtree(lake.leak_sweep)
    assert main(check) == 75
    said = "upgrade: clean/leak_sweep: made, since it is missing\nthe next `deid run` on this lake does this\n"
    assert capsys.readouterr().out == said
    audit = delta_reader.read(lake.phi_audit, delta_reader.columns(lake.phi_audit))
    audit = audit.append_column("start", audit["output_start"])
    write_deltalake(str(lake.phi_audit), audit, mode="overwrite", schema_mode="overwrite")
    assert main(check) == 75
    again = (
        "upgrade: clean/deidentified, clean/phi_audit, restricted/detections, restricted/dropped, "
        "restricted/patient_evidence: removed, and all notes are de-identified again from their raw notes\n"
    )
    assert capsys.readouterr().out == again + said
    write_deltalake(str(lake.runs), pa.table({"weather": ["rain"]}), mode="overwrite", schema_mode="overwrite")
    assert main(check) == 64
    told = capsys.readouterr().err
    assert "runs: has the unknown column weather" in told
    assert "the lake is of another version of this program: use that one, or make a new lake" in told


def test_a_lake_without_dates_of_notes_is_upgraded(lake: Lake) -> None:
    texts = delta_reader.read(lake.deidentified, delta_reader.columns(lake.deidentified)).drop_columns("note_date")
    write_deltalake(str(lake.deidentified), texts, mode="overwrite", schema_mode="overwrite")
    tables = Tables(lake)
    [told] = tables.upgrade()
    assert "all notes are de-identified again" in told
    tables.remove_results()
    Tables(lake).create()
    Tables(lake).check()
    assert "note_date" in delta_reader.columns(lake.deidentified)


def test_an_upgrade_that_is_killed_leaves_each_table_whole_or_gone(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    texts = delta_reader.read(lake.deidentified, delta_reader.columns(lake.deidentified)).drop_columns("note_date")
    write_deltalake(str(lake.deidentified), texts, mode="overwrite", schema_mode="overwrite")
    left = lake.detections.with_name(".detections.removed")
    with monkeypatch.context() as patched:
        patched.setattr("deid_core.lake.tables.lake_table.Tables.delete_removed", die)
        with pytest.raises(KeyboardInterrupt):
            Tables(lake).remove_results()
    assert left.is_dir() and not lake.detections.exists() and not lake.deidentified.exists()
    Tables(lake).delete_removed()
    assert not left.exists()
    Tables(lake).create()
    Tables(lake).check()


def test_an_output_without_dates_of_notes_is_of_an_older_version(lake: Lake) -> None:
    old = lake.deidentified.with_name("deidentified_readable")
    write_deltalake(str(old), pa.table({"note_id": ["n"], "year": pa.array([2010], pa.int32())}))
    assert Tables(lake).are_of_older_version


def test_a_command_that_upgrades_nothing_names_the_one_that_does(lake: Lake) -> None:
    audit = delta_reader.read(lake.phi_audit, delta_reader.columns(lake.phi_audit))
    audit = audit.append_column("start", audit["output_start"])
    write_deltalake(str(lake.phi_audit), audit, mode="overwrite", schema_mode="overwrite")
    tables = Tables(lake)
    tables.check(upgrading=True)
    with pytest.raises(ConfigurationError, match="of an older version of this program: `deid run` upgrades it"):
        tables.check()


@pytest.mark.parametrize(
    "command", [["check"], ["list"], ["report"], ["withdraw", "--patient", "1"], ["publish", "--output", "copies"]]
)
def test_a_first_run_that_was_interrupted(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    lake = Lake.at(tmp_path / "lake")
    assert main([*command, "--lake", str(lake.root)]) == 64
    assert "no such lake" in capsys.readouterr().err
    lake.prepare()
    lake.lock.touch()
    assert main([*command, "--lake", str(lake.root)]) == 75
    assert "a first run is at work or was interrupted: start it again" in capsys.readouterr().err
