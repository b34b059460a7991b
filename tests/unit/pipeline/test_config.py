"""Settings: every mistake at once, with file and line, before any work."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.core.yaml_file import load_yaml
from deid_core.pipeline.config import load_pipeline, pipeline_names
from deid_core.pipeline.settings_file import GAZETTEER_DIR_VARIABLE, Settings, load_settings


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


@pytest.mark.parametrize("name", ["baseline", "careful", "default", "variants"])
def test_the_pipelines_load_under_their_names(name: str) -> None:
    assert name in pipeline_names()
    assert load_pipeline(name).name == name


def test_careful_is_default_with_a_quarter_of_its_thresholds() -> None:
    default, careful = (load_pipeline(name).model_dump() for name in ("default", "careful"))
    quarter = {key: value / 4 for key, value in default["stacking"].items() if key.startswith("promote_above")}
    assert len(quarter) == 4
    quarter["promote_above"] = round(quarter["promote_above"], 2)
    own = {key: careful[key] for key in ("name", "description")}
    assert careful == default | own | {"stacking": default["stacking"] | quarter}


def test_an_unknown_pipeline_names_those_that_exist() -> None:
    with pytest.raises(ConfigurationError, match="baseline, careful, default, full, variants"):
        load_pipeline("basline")


def test_order_and_naming_must_fit_the_recognisers(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "name: p\ndescription: d\nrecognisers:\n  - kind: institution\n"
        "order: [institution, crf]\nlabels_from: [gazetteer]\n"
    )
    with pytest.raises(ConfigurationError) as error:
        load_pipeline(str(path))
    assert len(error.value.problems) == 2


def test_the_environment_names_the_folder_of_lists(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(GAZETTEER_DIR_VARIABLE, str(tmp_path))
    assert load_settings().gazetteers.lists_dir == str(tmp_path)


def test_every_key_that_stands_twice_is_named_beside_what_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(
        "pipeline: default\nreading: {max_file_bytes: 5, max_file_bytes: 6}\nquarantine:\n  allowed_share: 0.5\n"
        "pipeline: baseline\nquarantine:\n  allowed_share: 7\n  allowed_share: 8\npipeline: full\n"
    )
    assert problems(path) == [
        ":2: reading.max_file_bytes: occurs twice, first in line 2",
        ":5: pipeline: occurs twice, first in line 1",
        ":6: quarantine: occurs twice, first in line 3",
        ":8: quarantine.allowed_share: occurs twice, first in line 7",
        ":8: quarantine.allowed_share: Input should be less than or equal to 1",
        ":9: pipeline: occurs twice, first in line 1",
    ]


def test_a_key_that_stands_twice_is_found_in_a_list_and_where_all_else_fits(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "name: p\ndescription: d\nrecognisers:\n  - kind: institution\n    kind: institution\n"
        "order: [institution]\nlabels_from: []\n"
    )
    with pytest.raises(ConfigurationError) as error:
        load_pipeline(str(path))
    assert error.value.problems == [f"{path}:5: recognisers.0.kind: occurs twice, first in line 4"]


def test_a_key_of_two_mappings_and_one_that_is_merged_do_not_stand_twice(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(
        "reading: &limits {max_file_bytes: 5}\nquarantine: {allowed_share: 0.5}\n"
        "engine: {}\nyear: {}\ngazetteers: {}\npipeline: baseline\n"
    )
    assert load_yaml(path, Settings).reading.max_file_bytes == 5
    path.write_text("a: &a {x: 1}\nb: &b {x: 2}\nc: {<<: *a, <<: *b, x: 3}\n")
    assert not any("occurs twice" in problem for problem in problems(path))


@pytest.mark.parametrize("value", ["2001-99-99", "!!timestamp soon", "!!bool perhaps", "!!int ''", "0b_"])
def test_a_value_that_does_not_exist_is_said_with_its_line(value: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(f"reading:\n  max_file_bytes: 5\npipeline: {value}\n")
    [problem] = problems(path)
    assert problem.startswith(":3: is not YAML: no ")
    assert problem.endswith(" can be made of this value; put it in quotes if it is text")


@pytest.mark.parametrize("source", ["[" * 3000, "{a: " * 3000, 'pipeline: "\\UFFFFFFFF"\n'])
def test_what_pyyaml_fails_on_is_a_problem_of_the_file(source: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(source)
    [problem] = problems(path)
    assert problem.startswith(": is not YAML")


def test_the_packaged_settings_repeat_no_default(repository: Path) -> None:
    """A value that is in the file and in the code is changed in one of them."""
    data = yaml.safe_load((repository / "conf" / "settings.yaml").read_text()) or {}
    defaults = Settings().model_dump()
    repeated = [
        f"{section}.{key}"
        for section, values in data.items()
        for key, value in (values.items() if isinstance(values, dict) else [("", values)])
        if value == (defaults[section][key] if key else defaults[section])
    ]
    assert repeated == []
    assert load_settings(repository / "conf" / "settings.yaml") == Settings.model_validate(data)


def test_a_recogniser_without_a_kind(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("extends: default\nname: own\nrecognisers:\n  - groups: [date]\n")
    with pytest.raises(ConfigurationError, match="needs `kind: NAME`"):
        load_pipeline(str(path))
