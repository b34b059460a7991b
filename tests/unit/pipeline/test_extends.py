"""Own pipelines without a copied file: `extends`, `without`, and overrides of the command line and of Python."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from deid_core import Deidentifier
from deid_core.cli import main
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.pipeline.config import PipelineSettings, load_pipeline


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def problems(path: str, **overrides: object) -> list[str]:
    with pytest.raises(ConfigurationError) as error:
        load_pipeline(path, {key.replace("__", "."): value for key, value in overrides.items()})
    return error.value.problems


def settings_of(pipeline: PipelineSettings, kind: str) -> dict[str, object]:
    return next(each.model_dump() for each in pipeline.recognisers if each.kind == kind)


def test_a_file_changes_what_it_names_and_inherits_the_rest(tmp_path: Path) -> None:
    default = load_pipeline("default")
    own = load_pipeline(
        write(
            tmp_path / "mine.yaml",
            "extends: default\nstacking: {drop_above: 0.8}\nwithout: [letterhead]\nrecognisers:\n"
            "  - {kind: gazetteer, lists: [town]}\n  - {kind: suffix, lists: [town_suffix]}\n",
        )
    )
    assert default.stacking is not None
    assert own.stacking == default.stacking.model_copy(update={"drop_above": 0.8})
    assert settings_of(own, "gazetteer") == {"kind": "gazetteer", "lists": ["town"], "ambiguous": "context"}
    assert own.kinds == (*(kind for kind in default.kinds if kind != "letterhead"), "suffix")
    assert own.order == [kind for kind in default.order if kind != "letterhead"]
    assert own.labels_from == [kind for kind in default.labels_from if kind != "letterhead"]
    assert (own.name, own.description) == ("mine", default.description)


def test_what_changes_nothing_gives_the_same_pipeline(tmp_path: Path) -> None:
    own = load_pipeline(write(tmp_path / "mine.yaml", "extends: default\nname: default\n"))
    assert own.model_dump() == load_pipeline("default").model_dump()
    assert own.model_dump() == load_pipeline("default", {"stacking.drop_above": 0.75}).model_dump()


def test_a_model_with_a_slash_is_relative_to_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    base = (
        "extends: default\nstacking: {model: models/stacking}\nsubtypes: ../subtypes\n"
        "recognisers:\n  - {kind: crf, model: ./crf}\n"
    )
    write(tmp_path / "base" / "first.yaml", base)
    own = load_pipeline(write(tmp_path / "mine.yaml", "extends: base/first.yaml\n"))
    assert own.stacking is not None and own.crf is not None and own.subtypes is not None
    named = [Path(name).resolve() for name in (own.crf.model, own.stacking.model, own.subtypes)]
    assert named == [tmp_path / "base" / "crf", tmp_path / "base" / "models" / "stacking", tmp_path / "subtypes"]
    inline = load_pipeline("default", {"recognisers.crf.model": "models/crf"})
    assert inline.crf is not None and inline.crf.model == str(Path("models/crf").absolute())
    default = load_pipeline("default")
    assert default.crf is not None and default.crf.model == "crf-de"


def test_a_chain_of_files_with_paths_relative_to_each(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    write(tmp_path / "base" / "first.yaml", "extends: default\nunwrap: false\nsubtypes: null\n")
    write(tmp_path / "base" / "second.yaml", "extends: first.yaml\nname: two\nboundary_trimming: null\n")
    own = load_pipeline(write(tmp_path / "mine.yaml", "extends: base/second.yaml\nunwrap: true\n"))
    assert (own.name, own.unwrap, own.subtypes, own.boundary_trimming) == ("mine", True, None, None)


def test_errors_name_the_file_in_which_the_key_is_written(tmp_path: Path) -> None:
    base = write(tmp_path / "base.yaml", "extends: default\nstacking:\n  drop_abov: 0.5\n")
    own = write(tmp_path / "own.yaml", "extends: base.yaml\n\nrecognisers:\n  - {kind: crf, labels: [XX]}\n")
    found = problems(own, merge_names="perhaps")
    assert found == [
        f"{own}:4: recognisers.4.crf.labels.0: Input should be 'PER', 'LOC' or 'ORG'",
        f"{base}:3: stacking.drop_abov: is not a setting; did you mean 'drop_above'?",
        "--set merge_names: merge_names: Input should be a valid boolean",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("extends: defalt\n", ":1: extends: there is no pipeline 'defalt'; there are: baseline, careful, default"),
        ("name: x\nextends: absent.yaml\n", ":2: extends: "),
        ("extends: [default]\n", ":1: extends: is the name of a pipeline"),
        ("extends: own.yaml\n", ":1: extends: pipelines extend each other: "),
        (
            "extends: default\nwithout: [suffix]\n",
            ":2: without: the pipeline has no recogniser suffix; it has: pattern",
        ),
        ("extends: default\nwithout: suffix\n", ":2: without: is a list of recogniser kinds"),
        ("extends: default\nwithout: [crf]\n", ": stacking: needs recogniser crf"),
        ("extends: default\npropagation: null\n", ": order: this pipeline has no propagation"),
        (
            "extends: default\nrecognisers:\n  - kind: sufix\n",
            ":3: recognisers.5: there is no 'sufix'; did you mean 'suffix'?",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    path = write(tmp_path / "own.yaml", text)
    [problem] = problems(path)
    assert problem.startswith(f"{path}{told}")


def test_overrides_in_python() -> None:
    overrides = {"without": ["suffix"], "recognisers.gazetteer.lists": ["town"], "unlabelled_placeholder": "X"}
    deidentifier = Deidentifier.load("baseline", overrides=overrides)
    assert deidentifier.pipeline.kinds == ("pattern", "gazetteer")
    assert deidentifier.redact("Peter wohnt in Heidelberg").text == "Peter wohnt in <LOC>"
    assert deidentifier.fingerprint != Deidentifier.load("baseline").fingerprint
    with pytest.raises(TypeError, match="overrides change a named pipeline"):
        Deidentifier.load(load_pipeline("baseline"), overrides=overrides)


def text_with(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *sets: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Peter wohnt in Heidelberg")))
    arguments = [argument for value in sets for argument in ("--set", value)]
    try:
        code = main(["text", "-", "--pipeline", "baseline", *arguments])
    except SystemExit as leave:
        code = int(leave.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_overrides_on_the_command_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert text_with(capsys, monkeypatch)[1] == "<PER> wohnt in <LOC>\n"
    sets = ("recognisers.gazetteer.lists=[town]", "without=[suffix]")
    assert text_with(capsys, monkeypatch, *sets)[:2] == (ExitCode.DONE, "Peter wohnt in <LOC>\n")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("merge_name=true", "--set merge_name: merge_name: is not a setting; did you mean 'merge_names'?"),
        ("merge_names=5", "--set merge_names: merge_names: Input should be a valid boolean"),
        ("recognisers.gazetteer.list=[town]", "recognisers.1.gazetteer.list: is not a setting; did you mean 'lists'?"),
        ("recognisers.gazeteer.lists=[town]", "there is no 'gazeteer'; did you mean 'gazetteer'?"),
        ("stacking.drop_above=0.5", "stacking.model: Field required"),
        ("merge_names", "'merge_names' is not KEY=VALUE"),
        ("merge_names=[", "merge_names: the value is not YAML"),
        ("a..b=1", "--set a..b: a key is names with dots between"),
    ],
)
def test_an_override_that_does_not_fit_is_a_usage_error(
    value: str, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, error = text_with(capsys, monkeypatch, value)
    assert (code, out) == (ExitCode.USAGE, "")
    assert told in error


# --- labels that are kept -------------------------------------------------------------------------------------------

AGES = "Frau Meier, 54-jährig, kam mit Dr. med. Xaver Stein. Die Patientin ist 54 Jahre alt."


@pytest.mark.parametrize("overrides", [{"without": ["age"]}, {"keep": ["AGE"]}])
def test_ages_stay_without_their_group_or_with_their_label_kept(overrides: dict[str, object]) -> None:
    text = Deidentifier.load("default", overrides=overrides).redact(AGES).text
    assert text == "<SALUTE> <PER>, 54-jährig, kam mit <TITLE> <PER>. Die Patientin ist 54 Jahre alt."


def test_a_group_that_is_left_out_adds_its_label_to_those_kept(tmp_path: Path) -> None:
    own = load_pipeline(write(tmp_path / "mine.yaml", "extends: default\nwithout: [age, letterhead]\nkeep: [TITLE]\n"))
    assert own.keep == ["TITLE", "AGE"]
    assert "age" not in str(settings_of(own, "pattern")["groups"])
    assert "letterhead" not in own.kinds


def test_a_label_is_not_both_kept_and_removed_always() -> None:
    with pytest.raises(ConfigurationError, match=r"keep: lists\.always removes PER"):
        load_pipeline("default", {"keep": ["PER", "AGE"], "lists.always": {"PER": ["Xylander"]}})
