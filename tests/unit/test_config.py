"""Settings: every mistake at once, with file and line, before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.config import GAZETTEER_DIR_VARIABLE, Settings, load_pipeline, load_settings, load_yaml, pipeline_names
from deid_core.errors import ConfigurationError, ExitCode


def problems(path: Path) -> list[str]:
    with pytest.raises(ConfigurationError) as error:
        load_yaml(path, Settings)
    assert error.value.exit_code == ExitCode.USAGE
    return [problem.removeprefix(str(path)) for problem in error.value.problems]


def test_all_errors_come_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(
        "reading:\n  max_file_byte: 5\n  libreoffice_batch: none\nquarantine:\n  allowed_share: 7\nfoo: 1\n"
    )
    found = problems(path)
    assert len(found) == 4
    assert any(p.startswith(":2:") and "did you mean 'max_file_bytes'" in p for p in found)
    assert any(p.startswith(":3:") for p in found)
    assert any(p.startswith(":5:") for p in found)
    assert any(p.startswith(":6:") for p in found)


def test_what_is_no_yaml_is_said_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("reading:\n  a: [1\n")
    assert "is not YAML" in problems(path)[0]
    assert "cannot be read" in problems(tmp_path / "absent.yaml")[0]


def test_a_year_pattern_needs_its_group(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("year:\n  path_pattern: '(\\d{4})'\n")
    assert "needs a group named 'year'" in problems(path)[0]


@pytest.mark.parametrize("name", ["baseline", "default", "variants"])
def test_the_pipelines_load_under_their_names(name: str) -> None:
    assert name in pipeline_names()
    assert load_pipeline(name).name == name


def test_an_unknown_pipeline_names_those_that_exist() -> None:
    with pytest.raises(ConfigurationError, match="baseline, default, full, variants"):
        load_pipeline("basline")


def test_order_and_naming_must_fit_the_recognisers(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "name: p\ndescription: d\nrecognisers:\n  - kind: context\norder: [context, crf]\nnaming: [gazetteer]\n"
    )
    with pytest.raises(ConfigurationError) as error:
        load_pipeline(str(path))
    assert len(error.value.problems) == 2


def test_the_environment_names_the_folder_of_lists(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(GAZETTEER_DIR_VARIABLE, str(tmp_path))
    assert load_settings().gazetteers.lists_dir == str(tmp_path)
