"""What a night warns of, also where it ends well: a new lake, notes that are gone, folders that are not read.

The runs read files alone, without an engine.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.core.logs import LogFormat, LogStyle, Verbosity
from deid_core.lake.layout import Lake
from deid_core.lake.patients.withdrawn import PatientChoice, Withdrawal
from deid_core.lake.tables import delta_reader
from deid_core.spark import run_lake as run_lake_module
from deid_core.spark import run_options
from deid_core.spark.run_lake import run_lake
from deid_core.spark.run_options import Options
from deid_core.spark.spark_run import SparkRun


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    """Forty files in two folders, and a log that is as quiet as it can be."""
    monkeypatch.setattr(run_lake_module, "check_machine", lambda *_: None)
    monkeypatch.setattr(run_options, "check_spec", lambda _: None)
    monkeypatch.setattr(SparkRun, "check_engine", lambda _: None)
    # A JVM would hold the lake's lock until this process ends.
    monkeypatch.setattr(SparkRun, "is_alone", lambda *_: True)
    for year in ("2010", "2011"):
        (tmp_path / "input" / year).mkdir(parents=True)
        for number in range(20):
            (tmp_path / "input" / year / f"{number}.txt").write_text(f"Befund {number}.", encoding="utf-8")
    quiet = LogStyle(LogFormat.JSON, Verbosity.QUIET)
    return Options(tmp_path / "input", tmp_path / "lake", "baseline", stages=("convert",), log=quiet)


def warnings(options: Options, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Run once and return the messages of the log."""
    capsys.readouterr()
    run_lake(options)
    return [json.loads(line)["message"] for line in capsys.readouterr().err.splitlines()]


def test_a_new_lake_is_told(options: Options, capsys: pytest.CaptureFixture[str]) -> None:
    assert warnings(options, capsys) == ["new lake, new key: keep a copy of restricted/key"]
    assert warnings(options, capsys) == []
    shutil.rmtree(options.lake)
    assert len(warnings(options, capsys)) == 1


def test_a_lake_whose_folder_is_missing_is_not_made(options: Options, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=f"no such folder: {tmp_path}/disk/data; is it mounted\\?"):
        run_lake(replace(options, lake=tmp_path / "disk" / "data" / "lake"))
    assert not (tmp_path / "disk").exists()


MISSING = "many known notes are missing from the input"


def test_a_third_of_the_notes_is_missing(options: Options, capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(Path(str(options.input)).rglob("*.txt"))
    run_lake(options)
    for file in files[:2]:
        file.unlink()
    assert warnings(options, capsys) == []
    for file in files[2:14]:
        file.unlink()
    [told] = warnings(options, capsys)
    assert told.startswith(MISSING) and "run.allowed_deleted_share" in told
    assert warnings(options, capsys) == []


def test_a_folder_is_missing(options: Options, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also one of few notes of many, but not one that has another name now."""
    for number in range(500):
        (tmp_path / "input" / f"{number}.txt").write_text(f"Brief {number}.", encoding="utf-8")
    run_lake(options)
    (tmp_path / "input" / "2011").rename(tmp_path / "input" / "2012")
    assert warnings(options, capsys) == []
    shutil.rmtree(tmp_path / "input" / "2012")
    [told] = warnings(options, capsys)
    assert told.startswith(MISSING)


def test_a_patient_is_listed_before_rows_are_counted(
    options: Options, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From then on any night completes the withdrawal, and the log says so."""
    run_lake(options)
    monkeypatch.setattr(Withdrawal, "counts", lambda *_: pytest.fail("interrupted"))
    choice = PatientChoice("4711", None)
    with pytest.raises(pytest.fail.Exception):
        run_lake(replace(options, stages=("audit",), withdraw=choice, log=LogStyle(LogFormat.JSON)))
    assert "the patient is listed" in capsys.readouterr().err
    assert delta_reader.distinct(Lake.at(options.lake).withdrawn_patients, "alias")


def test_a_link_to_a_folder_outside(options: Options, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each night, since its letters are missing each night. Links within the input lose nothing."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "input" / "2012").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "input" / "2013").symlink_to(tmp_path / "input" / "2010")
    told = "1 folder is a link that leads out of the input and is not read"
    assert told in warnings(options, capsys)
    assert warnings(options, capsys) == [told]
    (tmp_path / "input" / "2012").unlink()
    assert warnings(options, capsys) == []
