"""What a run checks of its machine, and how it protects itself, before it writes anything."""

from __future__ import annotations

import hashlib
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.core.files import protect_process
from deid_core.lake.inputs.folder import InputFolder
from deid_core.lake.layout import Lake
from deid_core.readers.settings import ReadingSettings
from deid_core.spark import delta_jars, preflight
from deid_core.spark.preflight import check_machine

NO_LIBREOFFICE = ReadingSettings(libreoffice="no-such-office")


@pytest.fixture(autouse=True)
def complete_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Imitate files of Java and of Delta's jars, and unset the variables that configure Spark."""
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(mode=0o755)
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "delta.jar").write_bytes(b"jar")
    (tmp_path / "delta_jars.sha256").write_text(f"{hashlib.sha256(b'jar').hexdigest()}  delta.jar\n")
    monkeypatch.setattr(delta_jars, "_CHECKSUMS", tmp_path / "delta_jars.sha256")
    (tmp_path / "input").mkdir()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setattr(preflight, "jars_dir", lambda: tmp_path / "jars")
    for name in preflight._SPARK_IS_SET_UP:
        monkeypatch.delenv(name, raising=False)


def check(folder: Path, reading: ReadingSettings = NO_LIBREOFFICE) -> None:
    check_machine(Lake.at(folder / "lake"), reading, InputFolder(folder / "input").names)


def test_a_complete_machine_is_left_as_it_was(tmp_path: Path) -> None:
    check(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["delta_jars.sha256", "input", "jars", "jdk"]


def test_java_home_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ConfigurationError, match="install Java 17"):
        check(tmp_path)
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    check(tmp_path)


def test_missing_java_and_missing_jars_are_reported_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "jars" / "delta.jar").unlink()
    with pytest.raises(ConfigurationError) as caught:
        check(tmp_path)
    assert ["java is not on PATH" in p or "make setup" in p for p in caught.value.problems] == [True, True]


def test_a_changed_byte_in_a_jar_is_refused(tmp_path: Path) -> None:
    (tmp_path / "jars" / "delta.jar").write_bytes(b"jaR")
    with pytest.raises(
        ConfigurationError, match=r"jars/delta\.jar is not the jar that was released.*delta_jars --force"
    ):
        check(tmp_path)


def test_a_missing_jar_and_one_too_many_are_refused(tmp_path: Path) -> None:
    (tmp_path / "jars" / "delta.jar").rename(tmp_path / "jars" / "other.jar")
    with pytest.raises(ConfigurationError) as caught:
        check(tmp_path)
    missing, unknown = caught.value.problems
    assert "jars/delta.jar is missing: run" in missing
    assert "jars/other.jar has no checksum in delta_jars.sha256" in unknown


@pytest.mark.parametrize(("name", "needed"), [("a.DOC", True), ("2010/b.rtf", True), ("c.docx", False)])
def test_libreoffice_is_needed_for_some_files(tmp_path: Path, name: str, needed: bool) -> None:
    (tmp_path / "input" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "input" / name).touch()
    if needed:
        with pytest.raises(ConfigurationError, match=r"reading\.libreoffice"):
            check(tmp_path)
    else:
        check(tmp_path)


def test_a_lake_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Lake.at(tmp_path / "lake").prepare()

    def refuse(*, dir: Path, prefix: str) -> object:
        if dir.name == "restricted":
            raise OSError(30, "Read-only file system")
        return tempfile.TemporaryFile(dir=dir, prefix=prefix)

    monkeypatch.setattr(preflight.tempfile, "NamedTemporaryFile", refuse)
    with pytest.raises(ConfigurationError, match=r"lake: cannot be written: Read-only file system"):
        check(tmp_path)


def test_a_lake_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "lake").touch()
    with pytest.raises(ConfigurationError, match="cannot be written"):
        check(tmp_path)


@pytest.mark.parametrize("name", ["la#ke", "la%20ke", "la\x7fke"])
def test_paths_that_spark_and_delta_interpret(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="must not hold"):
        Lake.at(tmp_path / name)


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Set the usual umask, and restore the old one afterwards."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_what_a_protected_process_starts_is_protected(tmp_path: Path) -> None:
    limit = resource.getrlimit(resource.RLIMIT_CORE)
    try:
        protect_process()
        code = "import pathlib, resource; pathlib.Path('f').touch(); print(resource.getrlimit(resource.RLIMIT_CORE)[0])"
        child = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, limit)
    assert child.stdout.strip() == "0"
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("open_umask")
def test_modes_of_a_new_lake_and_of_one_that_was_opened(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path / "lake")
    lake.prepare()
    modes = [path.stat().st_mode & 0o777 for path in (lake.root, lake.clean, lake.restricted)]
    assert modes == [0o750, 0o750, 0o700]
    lake.clean.chmod(0o755)
    lake.restricted.chmod(0o755)
    lake.prepare()
    assert [path.stat().st_mode & 0o777 for path in (lake.clean, lake.restricted)] == [0o755, 0o700]
