"""The commands: exit codes before and after Spark, what they print, spark-submit, and a machine without a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from lakes import JAVA, NAMES, PIPELINE, Archive, write

from deid_core.cli import main
from deid_core.lake import layout
from deid_core.lake.lock import locked
from deid_core.lake.tables import delta_reader
from deid_core.spark.session import start_session

pytestmark = pytest.mark.spark


def call(archive: Archive, *more: str) -> int:
    """Call `deid run` in this process."""
    return main(["run", "--input", str(archive.input), "--lake", str(archive.root), "--pipeline", PIPELINE, *more])


def started(command: list[str], home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command in an environment without an Ivy cache and without this process's Spark, with `more` variables."""
    dropped = ("PYSPARK", "SPARK")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    environment |= JAVA | {"HOME": str(home), "PYTHONPATH": str(Path(__file__).resolve().parents[2])} | more
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=home, env=environment)


@pytest.fixture
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make starting Spark an error."""

    def refuse(**_: object) -> None:
        raise AssertionError("a session was started")

    monkeypatch.setattr("deid_core.spark.session.start_session", refuse)


@pytest.mark.usefixtures("no_session")
class TestBeforeSpark:
    """Errors of the call are reported before Spark starts and before the lake is touched."""

    def test_settings_with_all_their_mistakes(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        archive = Archive(tmp_path, tmp_path / "lake")
        settings = tmp_path / "conf.yaml"
        settings.write_text("quarantine:\n  allowed_share: 2\nreadin: {}\n")
        assert call(archive, "--settings", str(settings)) == 64
        told = capsys.readouterr().err
        assert f"{settings}:2" in told
        assert f"{settings}:3" in told
        assert not archive.root.exists()

    def test_unknown_pipeline(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["run", "--input", str(tmp_path), "--lake", str(tmp_path / "lake"), "--pipeline", "bestline"]
        assert main(arguments) == 64
        assert "baseline" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("folder", "lake", "told"),
        [
            ("nowhere", "lake", "no such folder"),
            ("input", "input/lake", "within one another"),
            ("input", "la*ke", "must not hold"),
            ("input", "la#ke", "must not hold"),
            ("input", "la\nke", "must not hold"),
        ],
    )
    def test_folders(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], folder: str, lake: str, told: str
    ) -> None:
        (tmp_path / "input").mkdir()
        assert call(Archive(tmp_path / folder, tmp_path / lake)) == 64
        assert told in capsys.readouterr().err
        assert not (tmp_path / lake).exists()

    @pytest.mark.parametrize("stage", ["deidentify", "audit"])
    def test_a_later_stage_makes_no_lake(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], stage: str) -> None:
        arguments = ["run", "--lake", str(tmp_path / "tpyo"), "--pipeline", PIPELINE, "--stage", stage]
        for more in ([], ["--dry-run"]):
            assert main([*arguments, *more]) == 64
            assert "no such lake" in capsys.readouterr().err
            assert not (tmp_path / "tpyo").exists()

    def test_missing_key(self, archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
        archive.lake.key.unlink()
        before = archive.files()
        assert call(archive) == 78
        assert "restore it" in capsys.readouterr().err
        assert not archive.lake.key.exists()
        assert {f for f in archive.files() if not f[0].endswith("lock")} == {
            f for f in before if not f[0].endswith("lock")
        }

    @pytest.mark.parametrize("key", ["", "5e" * 31, "no key"], ids=["empty", "short", "words"])
    def test_a_malformed_key(self, archive: Archive, capsys: pytest.CaptureFixture[str], key: str) -> None:
        archive.lake.key.write_text(key)
        before = archive.files()
        assert call(archive) == 78
        assert str(archive.lake.key) in capsys.readouterr().err
        assert archive.lake.key.read_text() == key
        assert {entry for entry in archive.files() ^ before if "lock" not in entry[0]} == set()

    def test_another_lakes_key(self, archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
        """As from a wrong backup: well formed, but every note would be withdrawn and get a new id."""
        archive.lake.key.write_text("5e" * 32 + "\n")
        before = archive.rows(), archive.versions()
        for more in ([], ["--dry-run"], ["--stage", "deidentify"], ["--stage", "deidentify", "--dry-run"]):
            assert call(archive, *more) == 78
            assert "restore this lake's own" in capsys.readouterr().err
        assert main(["show", "2010/Müller, Anna 0.txt", "--lake", str(archive.root)]) == 78
        assert (archive.rows(), archive.versions()) == before

    def test_a_lake_of_another_version(self, archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
        shutil.rmtree(archive.lake.runs)
        write_deltalake(str(archive.lake.runs), pa.table({"run_id": [1], "weather": ["rain"]}))
        write(archive.input / "neu.txt", "Herr Müller kam.\n")
        # An upgrade would make this table again, so it must not be removed before all is known to be right.
        texts = delta_reader.read(archive.lake.deidentified, delta_reader.columns(archive.lake.deidentified))
        texts = texts.rename_columns({"patient_key_id": "patient_key_name"})
        write_deltalake(str(archive.lake.deidentified), texts, mode="overwrite", schema_mode="overwrite")
        before = archive.versions()
        for more in ([], ["--dry-run"]):
            assert call(archive, *more) == 64
            told = capsys.readouterr().err
            assert "runs: lacks the column versions" in told
            assert "runs: has the unknown column weather" in told
            assert "runs: column run_id is " in told
        assert archive.versions() == before

    def test_lake_in_use(self, archive: Archive) -> None:
        with locked(archive.lake):
            assert call(archive) == 75

    def test_nothing_to_do(self, archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        settings = tmp_path / "conf.yaml"
        settings.write_text("quarantine: {allowed_share: 0.2}\n")
        assert call(archive, "--settings", str(settings)) == 0
        captured = capsys.readouterr()
        assert captured.out.startswith("Nothing to do: 13 notes are up to date.")
        events = [json.loads(line) for line in captured.err.splitlines()]
        assert events[-1]["message"] == "nothing to do"
        assert len({event["run_id"] for event in events}) == 1

    def test_too_many_are_still_quarantined(self, archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
        assert call(archive) == 65
        assert "2 of the lake's 15 notes" in capsys.readouterr().err


def test_too_many_quarantined(spark: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive(tmp_path / "input", tmp_path / "lake")
    write(archive.input / "leer.txt", "")
    write(archive.input / "voll.txt", "Herr Müller kam.\n")
    session = start_session()
    monkeypatch.setattr(type(session), "stop", lambda self: None)
    assert call(archive) == 65
    assert delta_reader.read(archive.lake.deidentified, ["note_id"]).num_rows == 1


def test_spark_submit_without_a_network(first_run: Archive, tmp_path: Path) -> None:
    """What `make setup` left is enough: loopback only, an empty home, jars and lists from the disk."""
    allowed = subprocess.run(["unshare", "-rn", "true"], check=False, capture_output=True).returncode == 0
    if not allowed or not shutil.which("ip"):
        pytest.skip("needs `unshare -rn` and `ip`")
    archive = Archive(first_run.input, tmp_path / "lake")
    archive.lake.prepare()
    archive.lake.key.write_text(first_run.lake.key.read_text())
    script = Path(__file__).resolve().parents[2] / "jobs" / "run.py"
    arguments = f"--input '{archive.input}' --lake '{archive.root}' --pipeline {PIPELINE}"
    done = started(
        ["unshare", "-rn", "sh", "-c", f"ip link set lo up && exec spark-submit '{script}' {arguments}"], tmp_path
    )
    assert done.returncode == 65, done.stderr[-3000:]
    assert archive.rows() == first_run.rows()
    assert "deid show" in done.stdout
    # spark-submit redirects all that Python writes to its own standard output.
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [event["message"] for event in events if event["stage"] == "run"] == ["recording the run", "done"]
    assert "INFO TaskSetManager" not in done.stderr


def test_a_run_of_cron(tmp_path: Path) -> None:
    """Cron's locale is C and its umask lets everybody read. A folder's name with an umlaut must not change.

    The host name has no address, as in a container without a network, where a name of one's own is allowed.
    """
    archive = Archive(tmp_path / "Briefe Süd", tmp_path / "Lücke" / "lake")
    archive.root.parent.mkdir()
    write(archive.input / "Müller.txt", "Herr Müller kam am 12.03.2011.\n")
    arguments = f"--input '{archive.input}' --lake '{archive.root}' --pipeline {PIPELINE}"
    command = ["sh", "-c", f"umask 022 && exec deid run {arguments}"]
    rename = ["unshare", "-ru", "sh", "-c", 'hostname name-without-address && exec "$@"', "sh"]
    if subprocess.run([*rename, "true"], check=False, capture_output=True).returncode == 0:
        command = rename + command
    done = started(command, tmp_path, LC_ALL="C", LANG="C")
    assert done.returncode == 0, done.stderr[-3000:]
    assert [row["state"] for row in archive.ledger().values()] == ["converted"]
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith(".")) == ["Briefe Süd", "Lücke"]
    assert [path.name for path in archive.root.parent.iterdir()] == ["lake"]
    open_to_others = [path for path in archive.lake.restricted.rglob("*") if path.stat().st_mode & 0o077]
    assert open_to_others == []
    assert archive.lake.clean.stat().st_mode & 0o777 == archive.root.stat().st_mode & 0o777 == 0o750


def test_a_jvm_that_sees_other_folders_is_refused(
    spark: object, archive: Archive, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Jvm:
        """Looks for files elsewhere, as a JVM with another locale or storage does."""

        def __getattr__(self, name: str) -> object:
            return self

        def File(self, name: str) -> object:
            return spark._jvm.java.io.File(f"{name}?")  # type: ignore[attr-defined]

    monkeypatch.setattr("deid_core.spark.session._jvm", Jvm)
    write(archive.input / "neu.txt", "Herr Müller kam.\n")
    before = archive.versions()
    assert call(archive) == 64
    assert "different folders" in capsys.readouterr().err
    assert archive.versions() == before


def test_a_jvm_that_does_not_start(archive: Archive, tmp_path: Path) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho Could not reserve enough space >&2\nexit 1\n")
    java.chmod(0o755)
    write(archive.input / "neu.txt", "Herr Müller kam.\n")
    before = archive.versions()
    arguments = ["--input", str(archive.input), "--lake", str(archive.root), "--pipeline", PIPELINE]
    # Where the caller says how Spark is to be started, it does a few notes, too.
    spark = {"JAVA_HOME": str(tmp_path / "jdk"), "PYSPARK_SUBMIT_ARGS": "pyspark-shell"}
    done = started(["deid", "run", *arguments], tmp_path, **spark)
    assert done.returncode == 64
    assert "Could not reserve enough space" in done.stderr
    assert "the JVM did not start" in done.stderr
    assert archive.versions() == before


def test_report_and_show(first_run: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--lake", str(first_run.root), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sum(row["spans"] for row in rows) == delta_reader.read(first_run.lake.phi_audit, ["note_id"]).num_rows
    assert main(["report", "--lake", str(first_run.root), "--by", "label"]) == 0
    assert capsys.readouterr().out.startswith("label")

    path = "2010/Müller, Anna 0.txt"
    note_id = str(first_run.ledger()[path]["note_id"])
    for name in (note_id, path):
        assert main(["show", name, "--lake", str(first_run.root), "--no-colour"]) == 0
        shown = capsys.readouterr().out
        assert "Müller|PER]" in shown
        assert "<PER>" in shown
    assert main(["show", path, "--lake", str(first_run.root), "--colour"]) == 0
    assert "\x1b[30;41m" in capsys.readouterr().out


def test_the_audit_page_of_a_run_names_nobody(first_run: Archive, tmp_path: Path) -> None:
    page, figures = tmp_path / "page.html", tmp_path / "figures.json"
    assert main(["report", "--lake", str(first_run.root), "--html", str(page), "--json", str(figures)]) == 0
    found = json.loads(figures.read_text(encoding="utf-8"))
    notes = [found["summary"][name] for name in ("received", "deidentified", "quarantined")]
    assert notes == [15, 13, 2]
    assert not [finding for finding in found["findings"] if finding["severity"] == "wrong"]
    names = [*NAMES, "Krüger", "Heidelberg", "Hauptstr", ".txt", "ohne Jahr"]
    assert [name for name in names for file in (page, figures) if name in file.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize(("name", "told"), [("leer.txt", "empty; what to do: "), ("nichts.txt", "no note")])
def test_show_says_why_it_cannot(first_run: Archive, capsys: pytest.CaptureFixture[str], name: str, told: str) -> None:
    assert main(["show", name, "--lake", str(first_run.root)]) == 64
    assert told in capsys.readouterr().err


def test_show_of_a_lost_text(archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    """Following the message's advice helps."""
    path = "2010/Müller, Anna 0.txt"
    show = ["show", path, "--lake", str(archive.root), "--no-colour"]
    [folder] = (archive.lake.notes / "year=2010").iterdir()
    for file in folder.glob("*.parquet"):
        file.unlink()
    assert main(show) == 64
    assert f"{folder} exists but does not hold it" in capsys.readouterr().err
    archive.run()
    assert main(show) == 0
    [folder] = (archive.lake.notes / "year=2010").iterdir()
    shutil.rmtree(folder)
    capsys.readouterr()
    assert main(show) == 64
    assert f"there is no {folder}" in capsys.readouterr().err
    archive.run()
    assert main(show) == 0
    assert "Müller|PER]" in capsys.readouterr().out


def test_show_without_permission(
    first_run: Archive, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(layout.os, "listdir", refuse)
    assert main(["show", "0" * 32, "--lake", str(first_run.root)]) == 64
    assert "this account may not read it" in capsys.readouterr().err
