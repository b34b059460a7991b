"""The systems by name: settings, `deid train system` and `deid compare --systems`."""

from __future__ import annotations

import json
import sys
from math import ceil
from pathlib import Path

import pytest
import yaml

from deid_core.cli import main
from deid_core.core.data_folders import conf_dir, letters_dir
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.core.extras import how_to_install
from deid_core.lab.training.settings import load_training

pytest.importorskip("sklearn")
pytest.importorskip("sklearn_crfsuite")

from deid_core.lab.systems.registry import SYSTEMS, examples, load_system, system_folder

SMALL = ["--notes", "3", "--split", "train"]


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """A training that takes seconds and no package of the extra."""
    written = yaml.safe_load((conf_dir() / "training.yaml").read_text(encoding="utf-8"))
    of = written["systems"]["stat_deid"]
    of.update(
        letters=[], synthetic="synthetic-train", notes=5, families=["word", "neighbours", "capitalised", "number"]
    )
    path = tmp_path / "training.yaml"
    path.write_text(yaml.safe_dump(written, allow_unicode=True), encoding="utf-8")
    return path


def test_a_system_is_trained_and_compared_beside_the_pipelines(settings: Path, tmp_path: Path) -> None:
    folder, figures = tmp_path / "model", tmp_path / "figures.json"
    training = ["train", "system", "stat-deid", "--settings", str(settings), "--output", str(folder)]
    assert main(training) == ExitCode.DONE
    compared = ["compare", *SMALL, "--pipelines", "baseline", "--sets", "generated", "--json", str(figures)]
    assert main([*compared, "--systems", f"stat-deid={folder}"]) == ExitCode.DONE
    of = json.loads(figures.read_text())["sets"][0]
    assert [row["name"] for row in of["pipelines"]] == ["baseline", "stat-deid"]
    assert of["pipelines"][1]["fingerprint"] == load_system("stat-deid", folder).fingerprint
    assert of["pipelines"][1]["words"]["recall"] > 0
    assert len(of["tests"]) == 1


def test_a_system_that_is_not_trained_names_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["compare", *SMALL, "--systems", f"iterative={tmp_path}"]) == ExitCode.USAGE
    assert "deid train system iterative" in capsys.readouterr().err
    assert main(["compare", *SMALL, "--systems", "snow"]) == ExitCode.USAGE
    assert "there is no system 'snow'; there are: stat-deid, crfd, hmm, iterative" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["system"], ["crf", "stat-deid"]])
def test_a_name_follows_system_alone(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *arguments]) == ExitCode.USAGE
    assert "a NAME follows `system` and `study`" in capsys.readouterr().err


def test_an_unknown_system_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="there is no system"):
        system_folder("default")
    assert all(system_folder(name).name == name for name in SYSTEMS)


@pytest.mark.parametrize("system", ["stat_deid", "iterative"])
def test_no_system_is_trained_on_dev_or_test_letters(system: str, tmp_path: Path) -> None:
    for split in ("dev", "test"):
        written = yaml.safe_load((conf_dir() / "training.yaml").read_text(encoding="utf-8"))
        written["systems"][system]["letters"] = [str(letters_dir() / split / "dense")]
        path = tmp_path / "training.yaml"
        path.write_text(yaml.safe_dump(written, allow_unicode=True), encoding="utf-8")
        with pytest.raises(ConfigurationError, match=rf"systems\.{system}\.letters: .* holds {split} letters"):
            load_training(path)


def test_every_nth_letter_and_the_synthetic_notes() -> None:
    settings = load_training().systems.stat_deid.model_copy(
        update={"every": 500, "synthetic": "synthetic-train", "notes": 2}
    )
    notes = [note.note_id for note, _ in examples(settings)]
    letters = sum(len(list((letters_dir() / "train" / part).glob("*.txt"))) for part in ("dense", "long"))
    assert len(notes) == ceil(letters / 500) + 2


def test_all_systems_are_trained_and_one_without_its_extra_is_skipped_by_name(
    settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small = load_training(settings)
    monkeypatch.setattr("deid_core.lab.training.settings.load_training", lambda: small)
    monkeypatch.setattr("deid_core.lab.systems.registry.SYSTEMS", ("stat-deid", "bilstm-crf"))
    # As if torch were not installed.
    monkeypatch.setitem(sys.modules, "deid_core.lab.systems.bilstm_crf", None)
    page = tmp_path / "page.html"
    compared = ["compare", *SMALL, "--pipelines", "baseline,default", "--sets", "generated"]
    assert main([*compared, "--systems", "all", "--page", str(page)]) == ExitCode.DONE
    said = capsys.readouterr()
    assert "training stat-deid" in said.err
    assert f"bilstm-crf: skipped: needs the extra 'neural': {how_to_install('neural')}" in said.out
    row = next(line for line in said.out.splitlines() if line.split()[:2] == ["generated", "stat-deid"])
    # Four scores of tokens and of entities, names, p, speed, start, memory and size.
    assert len(row.split()) - row.split().count("<") == 2 + 4 + 4 + 6
    html = page.read_text(encoding="utf-8")
    assert html.count("<svg") == 1
    assert "bilstm-crf: skipped" in html
    assert "<script" not in html


def test_a_page_needs_systems(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["compare", *SMALL, "--page", str(tmp_path / "page.html")]) == ExitCode.USAGE
    assert "--page: name the systems with --systems" in capsys.readouterr().err
