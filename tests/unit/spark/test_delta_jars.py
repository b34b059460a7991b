"""The checksums of Delta's jars, for jars that are there and jars that were downloaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deid_core.spark import delta_jars


def test_the_installed_jars_are_those_of_the_checksums() -> None:
    assert delta_jars.jar_problems(delta_jars.jars_dir()) == []


def test_setup_refuses_a_jar_with_a_changed_byte(tmp_path: Path) -> None:
    for jar in delta_jars.jars_dir().glob("*.jar"):
        (tmp_path / jar.name).write_bytes(jar.read_bytes())
    changed = next(tmp_path.glob("*delta-spark*.jar"))
    content = bytearray(changed.read_bytes())
    content[len(content) // 2] ^= 1
    changed.write_bytes(content)
    command = [sys.executable, "-m", "deid_core.spark.delta_jars", "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{changed} is not the jar that was released" in done.stderr


def test_a_download_that_differs_is_refused_and_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def download(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        [cache] = [setting.partition("=")[2] for setting in command if setting.startswith("spark.jars.ivy=")]
        Path(cache, "jars").mkdir(exist_ok=True)
        for jar in delta_jars.jars_dir().glob("*.jar"):
            Path(cache, "jars", jar.name).write_bytes(b"other")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", download)
    (tmp_path / "kept.jar").touch()
    with pytest.raises(SystemExit, match="refused; nothing was changed"):
        delta_jars.fetch(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.jar"]
