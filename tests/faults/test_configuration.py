"""Wrong settings, pipelines, lists, models: all problems at once with file and line, exit code 64, no table touched."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from lakes import Archive

from deid_core.cli import main
from deid_core.core.data_folders import conf_dir, gazetteer_dir

SETTINGS = """reading:
  max_file_bytes: "much"
  libreofice: soffice
quarantine:
  allowed_share: 3
"""


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a call of `deid run` that must exit with 64 and create no lake, and that returns what was printed."""
    (tmp_path / "input").mkdir()
    archive = Archive(tmp_path / "input", tmp_path / "lake")

    def run(*more: str, folder: Path = archive.input) -> str:
        assert main(["run", "--input", str(folder), "--lake", str(archive.root), *more]) == 64
        assert not archive.root.exists()
        return capsys.readouterr().err

    return run


def test_settings_pipeline_and_folders_together(call: Callable[..., str], tmp_path: Path) -> None:
    settings, pipeline = tmp_path / "conf.yaml", tmp_path / "mine.yaml"
    settings.write_text(SETTINGS)
    text = (conf_dir() / "pipelines" / "baseline.yaml").read_text()
    pipeline.write_text(text.replace("order:", "ordre:"))
    told = call("--settings", str(settings), "--pipeline", str(pipeline), folder=tmp_path / "nowhere")
    line = next(n for n, line in enumerate(pipeline.read_text().splitlines(), 1) if line.startswith("ordre:"))
    for expected in (
        f"{settings}:2: reading.max_file_bytes",
        f"{settings}:3: reading.libreofice: is not a setting; did you mean 'libreoffice'?",
        f"{settings}:5: quarantine.allowed_share",
        f"{pipeline}:{line}: ordre: is not a setting; did you mean 'order'?",
        "nowhere: there is no such folder",
    ):
        assert expected in told


@pytest.mark.parametrize("text", ["a: [", "- 1\n", "run: 5\n", "\x00", "\udcff"])
def test_malformed_settings_files(call: Callable[..., str], tmp_path: Path, text: str) -> None:
    settings = tmp_path / "conf.yaml"
    settings.write_text(text, errors="surrogateescape")
    assert str(settings) in call("--settings", str(settings))


def test_lists_that_are_missing_or_malformed(call: Callable[..., str], tmp_path: Path) -> None:
    sources = tmp_path / "lists" / "sources.yaml"
    shutil.copytree(gazetteer_dir() / "lists", sources.parent / "lists")
    sources.write_text("- name: 5\n  from: nowhere\n")
    settings = tmp_path / "conf.yaml"
    settings.write_text(f"gazetteers: {{sources: {sources}, cache_dir: {tmp_path / 'cache'}}}\n")
    assert f"{sources}:1" in call("--settings", str(settings))
    sources.unlink()
    assert f"{sources}: cannot be read" in call("--settings", str(settings))


def test_model_of_another_version(call: Callable[..., str], tmp_path: Path) -> None:
    source = Path(__file__).resolve().parents[2] / "deid_core" / "models" / "crf-de"
    if not source.is_dir():
        pytest.skip("needs the model crf-de")
    model = tmp_path / "model"
    shutil.copytree(source, model)
    features = model / "features.json"
    features.write_text(json.dumps(json.loads(features.read_text()) | {"version": 999, "format": 999}))
    pipeline = tmp_path / "mine.yaml"
    text = (conf_dir() / "pipelines" / "full.yaml").read_text()
    pipeline.write_text(text.replace("model: crf-de", f"model: {model}"))
    assert str(model) in call("--pipeline", str(pipeline))
    shutil.rmtree(model)
    assert str(model) in call("--pipeline", str(pipeline))


def test_the_lake_is_not_touched(first_run: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = tmp_path / "conf.yaml"
    settings.write_text(SETTINGS)
    before = first_run.files()
    arguments = ["--input", str(first_run.input), "--lake", str(first_run.root), "--settings", str(settings)]
    assert main(["run", *arguments]) == 64
    assert first_run.files() == before


test_the_lake_is_not_touched = pytest.mark.fault(pytest.mark.spark(test_the_lake_is_not_touched))
