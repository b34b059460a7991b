"""A run with few notes starts no JVM: the driver's own child reads them and runs the engine over them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.lake.layout import Lake
from deid_core.lake.patients import matching
from deid_core.lake.patients.withdrawn import PatientChoice
from deid_core.lake.tables import delta_reader
from deid_core.spark import reading_task, spark_run
from deid_core.spark import run_lake as run_lake_module
from deid_core.spark.run_lake import run_lake
from deid_core.spark.run_options import Options
from deid_core.spark.spark_run import SparkRun
from deid_core.spark.task_base import check_code

TEXT = "Herr Müller kam am 3.4.2010 aus Heidelberg."


@pytest.fixture(autouse=True)
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a machine that needs nothing to have, and on which a session cannot be started."""
    monkeypatch.setattr(run_lake_module, "check_machine", lambda *_: None)
    monkeypatch.setattr(SparkRun, "spark", property(lambda _: pytest.fail("starts a JVM")))


@pytest.fixture
def options(tmp_path: Path) -> Options:
    folder = tmp_path / "input" / "2010"
    folder.mkdir(parents=True)
    for number in range(5):
        (folder / f"{number}.txt").write_text(f"{TEXT} {number}", encoding="utf-8")
    (folder / "leer.txt").write_text("", encoding="utf-8")
    return Options(input=folder.parent, lake=tmp_path / "lake", pipeline="baseline")


def texts(options: Options) -> list[str]:
    rows = delta_reader.read(Lake.at(options.lake).deidentified, ["text"])
    return sorted(rows["text"].to_pylist())


def test_first_run_and_night(options: Options) -> None:
    assert options.input is not None
    done = run_lake(options)
    assert (done.counts["converted"], done.counts["quarantined"], done.uses_spark) == (5, 1, False)
    assert texts(options) == [f"<SALUTE> <PER> kam am <DATE> aus <LOC>. {number}" for number in range(5)]
    (options.input / "2010" / "0.txt").write_text("Frau Schmidt rief an.", encoding="utf-8")  # type: ignore[operator]
    (options.input / "2010" / "1.txt").unlink()  # type: ignore[operator]
    assert run_lake(options).counts["converted"] == 1
    assert texts(options)[-1] == "<SALUTE> <PER> rief an."
    assert len(texts(options)) == 4
    assert not run_lake(options).did_something


def test_the_patients_are_worked_out_when_something_changed(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_lake(options)
    with monkeypatch.context() as patched:
        patched.setattr(matching.PatientKeys, "__init__", lambda *_: pytest.fail("works out the patients"))
        assert not run_lake(options).did_something
    (tmp_path / "patients.csv").write_text("path,patient\n2010/0.txt,4711\n")
    (tmp_path / "settings.yaml").write_text(f"patient: {{table: {tmp_path / 'patients.csv'}}}\n")
    run_lake(replace(options, settings=tmp_path / "settings.yaml"))
    found = delta_reader.read(Lake.at(options.lake).deidentified, ["patient_source"])["patient_source"].to_pylist()
    assert sorted(found) == ["note", "note", "note", "note", "table"]
    run_lake(options)
    found = delta_reader.read(Lake.at(options.lake).deidentified, ["patient_source"])["patient_source"].to_pylist()
    assert found == ["note"] * 5


@pytest.mark.parametrize("change", [{"withdraw": PatientChoice("4711", None)}, {"rekey": True}, {}])
def test_steps_after_which_no_note_waits_leave_the_tables_up_to_date(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    """A withdrawal, another key, and the merging of files that the second night does."""
    (tmp_path / "patients.csv").write_text("path,patient\n2010/0.txt,4711\n")
    table = f"patient: {{table: {tmp_path / 'patients.csv'}}}"
    (tmp_path / "settings.yaml").write_text(f"{table}\nrun: {{compact_above_files: 2}}\n")
    options = replace(options, settings=tmp_path / "settings.yaml")
    for number in range(1 if change else 3):
        (tmp_path / "input" / "2010" / f"night {number}.txt").write_text(f"{TEXT} Nacht {number}", encoding="utf-8")
        done = run_lake(options)
    if change:
        done = run_lake(replace(options, input=None, stages=("audit",), **change))
    assert len(delta_reader.data_files(done.lake.phi_audit)) == 1
    monkeypatch.setattr(matching.PatientKeys, "__init__", lambda *_: pytest.fail("works out the patients"))
    # The rows of clean/runs may be merged now, but ledger and texts are not compared.
    assert "to_deidentify" not in run_lake(options).counts


def test_notes_that_become_one_patients_by_a_withdrawal_are_searched_before_the_tables_say_so(
    options: Options, tmp_path: Path
) -> None:
    births = {"a": "1.2.1950", "b": "1.2.1950", "c": "2.2.1950"}
    for name, birth in births.items():
        text = f"Patientin: Muster, Eva, geb. {birth}\n\nSehr geehrte Kollegen,\nEva Muster kam am 3.4.2010."
        (tmp_path / "input" / "2010" / f"{name}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "patients.csv").write_text("path,patient\n2010/c.txt,4711\n")
    (tmp_path / "settings.yaml").write_text(f"patient: {{table: {tmp_path / 'patients.csv'}}}\n")
    options = replace(options, pipeline="default", settings=tmp_path / "settings.yaml")
    run_lake(options)

    done = run_lake(replace(options, input=None, stages=("audit",), withdraw=PatientChoice("4711", None)))
    assert len(matching.outdated(done).note_ids) == 2
    done = run_lake(options)
    assert "to_deidentify" in done.counts
    assert not matching.outdated(done).notes


def test_more_notes_need_spark(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_run, "_FEW_NOTES", 5)
    with pytest.raises(pytest.fail.Exception, match="starts a JVM"):
        run_lake(options)


@pytest.mark.parametrize("variable", ["PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY_PORT", "SPARK_CONF_DIR"])
def test_who_says_how_spark_starts_gets_spark(options: Options, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "x")
    with pytest.raises(pytest.fail.Exception, match="starts a JVM"):
        run_lake(options)


def test_what_a_task_lacks_is_said_as_by_an_executor(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_task, "check_code", lambda executor, _: check_code(executor, "another"))
    with pytest.raises(ConfigurationError, match="this executor's deid_core is not the driver's"):
        run_lake(options)
