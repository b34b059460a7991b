"""`deid compare` on annotated letters: patients' names, errors, writers, layouts, and what is kept of test letters."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from compare_command import compared

from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.lab.evaluate.evaluation_sets import LETTERS, TEST_SETS, EvaluationSet, LetterSplit, letters_set
from deid_core.lab.evaluate.leaks import LeakShare
from deid_core.lab.evaluate.pipeline_scores import Measured, measure
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec

LETTER = """\
kind: Brief
speciality: Kardiologie
country: DE
year: 2010
---
<hospital>Klinik Xyztal</hospital>

Sehr geehrte Kollegen,
wir berichten über <salute>Frau</salute> <patient>Erika Beispiel</patient>, die am <date>3.4.2010</date> kam.
<patient>Xyzzy Quuxfeld</patient> war da.
"""


@pytest.fixture(autouse=True)
def no_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEID_CORPORA_DIR", raising=False)


@pytest.fixture
def letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Letters of one letter a part, by a writer of each, the name in the last line of which no pipeline finds."""
    folder = tmp_path / "letters"
    for part, writer in zip(LETTERS.values(), "abcdefghijk", strict=True):
        (folder / part).mkdir(parents=True)
        (folder / part / f"{writer}01-1.txt").write_text(LETTER, encoding="utf-8")
    for module in ("cli.compare_run", "lab.evaluate.evaluation_sets"):
        monkeypatch.setattr(f"deid_core.{module}.letters_dir", lambda: folder)
    return folder


def test_of_a_letter_everything_counts_and_patients_names_are_told(letters: Path, tmp_path: Path) -> None:
    figures = compared(tmp_path, "--pipelines", "baseline", "--sets", "letters-dev")
    (row,) = figures["sets"][0]["pipelines"]
    assert letters_set("letters-dev").with_header
    assert row["words"]["gold"] == 8
    assert row["without_salute_and_title"]["words"]["gold"] == 7
    assert row["types"]["hospital"]["words"] == 2
    assert row["patients"]["names"] == 2
    measured = measure(Engine(engine_spec("baseline")), letters_set("letters-dev"))
    assert measured.patients.leaked == LeakShare(row["patients"]["leaked"], 2)
    assert row["patients"]["letters_with_full_name"] == measured.patients.full_names.count


def test_errors_go_to_a_file_and_nowhere_else(
    letters: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "errors.tsv"
    compared(tmp_path, "--pipelines", "baseline", "--sets", "letters-dev,letters-train", "--errors", str(file))
    head, *lines = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
    assert head[:3] == ["set", "pipeline", "note"] and {line[0] for line in lines} == {"letters-dev", "letters-train"}
    assert any("Xyz" in "".join(line) for line in lines)
    assert "Xyz" not in capsys.readouterr().out + (tmp_path / "figures.json").read_text()


@pytest.mark.parametrize("name", ["generated", "oov"])
def test_errors_of_the_generators_test_half_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file = tmp_path / "errors.tsv"
    arguments = ["compare", "--notes", "4", "--pipelines", "baseline", "--sets", name, "--errors", str(file)]
    assert main(arguments) == ExitCode.USAGE
    assert f"{name}: errors of the generator's test half are never read" in capsys.readouterr().err
    assert not file.exists()
    assert main([*arguments, "--split", "train"]) == ExitCode.DONE
    assert f"\n{name}\tbaseline" in file.read_text(encoding="utf-8")


def test_of_the_default_sets_those_of_the_test_half_are_measured_and_left_out_of_the_errors(
    letters: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "errors.tsv"
    arguments = ["--split", "test", "--pipelines", "baseline", "--errors", str(file)]
    assert "generated" in {of["set"] for of in compared(tmp_path, *arguments)["sets"]}
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    assert {line.split("\t")[0] for line in lines} == {"letters-dev", "letters-dev-long"}
    assert "without generated: errors of the generator's test half are never read" in capsys.readouterr().out


def test_a_set_says_what_it_is_there_for(letters: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets = compared(tmp_path, "--pipelines", "baseline", "--sets", "letters-dev,letters-train-long,random")["sets"]
    assert [of["role"] for of in sets] == [LetterSplit.DEV, LetterSplit.TRAIN, None]
    assert ["trained on these" in of["description"] for of in sets] == [False, True, False]
    assert "the stacking model was trained on these" in capsys.readouterr().out
    assert TEST_SETS == {"letters-test", "letters-test-long", "letters-test-mixed", "letters-test-varied"}


def test_figures_of_some_writers_are_of_their_letters_alone(letters: Path, tmp_path: Path) -> None:
    for name in ("ab01-1", "b02-1", "b02-2"):
        (letters / "dev/dense" / f"{name}.txt").write_text(LETTER, encoding="utf-8")
    by_writers = [
        [of["pipelines"][0]["words"]["gold"] for of in compared(tmp_path, *arguments)["sets"]]
        for arguments in (
            ["--pipelines", "baseline", "--sets", "letters-dev,letters-dev-long", "--writers", writers]
            for writers in ("a,b", "b", "ab,b")
        )
    ]
    assert by_writers == [[24, 8], [16, 8], [24, 8]]
    assert [note.note_id for note in letters_set("letters-dev", ["a"]).notes] == ["a01-1"]
    assert "of writers a" in letters_set("letters-dev", ["a"]).description


@pytest.mark.parametrize(
    ("sets", "problem"),
    [
        (["--sets", "letters-dev,letters-train"], "--writers: 'z' wrote none of the letters; there are: a, c"),
        (["--sets", "letters-dev,letters-dev-long"], "letters-dev-long: has no letter of --writers"),
        (["--sets", "letters-dev,random"], "random: has no letter of --writers"),
        ([], "generated: has no letter of --writers"),
    ],
)
def test_writers_that_a_set_has_none_of_are_refused(
    letters: Path, sets: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--pipelines", "baseline", *sets, "--writers", "a,z"]) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert problem in captured.err and captured.out == ""


def test_letters_are_measured_in_other_layouts_too(letters: Path, tmp_path: Path) -> None:
    layouts = ["--layouts", "plain,flowing"]
    sets = compared(tmp_path, "--pipelines", "baseline", "--sets", "letters-dev,letters-dev-long", *layouts)["sets"]
    assert [of["set"] for of in sets] == [
        "letters-dev",
        "letters-dev, flowing",
        "letters-dev-long",
        "letters-dev-long, flowing",
    ]
    assert "laid out otherwise: flowing" in sets[1]["description"]
    assert [of["pipelines"][0]["words"]["gold"] for of in sets] == [8] * 4
    texts = [letters_set("letters-dev", layout=layout).notes[0].text for layout in ("plain", "flowing")]
    assert [text.count("\n") for text in texts] == [4, 0]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--sets", "letters-dev", "--layouts", "plain,z"], "--layouts: there is no 'z'; there are: plain, wrapped"),
        (
            ["--sets", "letters-dev,random", "--layouts", "tight"],
            "random: only letters written one by one are laid out",
        ),
    ],
)
def test_layouts_that_cannot_be_are_refused(
    letters: Path, arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--pipelines", "baseline", *arguments]) == ExitCode.USAGE
    assert problem in capsys.readouterr().err


def test_an_ablation_measures_the_pipeline_without_each_part(
    letters: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = compared(tmp_path, "--ablation", "baseline", "--sets", "letters-dev")
    (ablation,) = figures["ablations"]
    kinds = [recogniser.kind for recogniser in engine_spec("baseline").pipeline.recognisers]
    assert list(ablation["without"])[: len(kinds)] == kinds
    (row,) = figures["sets"][0]["pipelines"]
    assert ablation["whole"]["word.f2"] == row["words"]["f2"]
    assert ablation["without"]["pattern"]["word.recall"] < ablation["whole"]["word.recall"]
    out = capsys.readouterr().out
    assert "baseline on letters-dev: each part left out" in out and "the stacking model is not trained again" in out


@pytest.mark.parametrize("name", sorted(TEST_SETS))
def test_every_opening_of_the_unseen_letters_is_recorded(letters: Path, tmp_path: Path, name: str) -> None:
    compared(tmp_path, "--pipelines", "baseline", "--sets", "letters-dev,letters-dev-long")
    record = letters / LETTERS[name] / "OPENED.md"
    assert not list(letters.rglob("OPENED.md"))
    for opened in (1, 2):
        compared(tmp_path, "--pipelines", "baseline", "--sets", name)
        assert list(letters.rglob("OPENED.md")) == [record]
        assert record.read_text(encoding="utf-8").count("| baseline |") == opened


def test_all_records_of_a_run_have_the_commit_that_was_measured(
    letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
        done = subprocess.run(["git", "-C", str(letters), *identity, *arguments], capture_output=True, check=True)
        return done.stdout.decode().strip()

    def edited_meanwhile(engine: Engine, of: EvaluationSet, progress: Callable[[], object]) -> Measured:
        (letters / "code.py").touch()
        return measure(engine, of, progress)

    git("init")
    git("add", ".")
    git("commit", "--message", "letters")
    head = git("rev-parse", "--short", "HEAD")
    monkeypatch.setattr("deid_core.cli.compare_run.measure", edited_meanwhile)
    names = "letters-test,letters-test-long"
    for expected in (head, f"{head}+"):
        compared(tmp_path, "--pipelines", "baseline", "--sets", names)
        for name in names.split(","):
            record = (letters / LETTERS[name] / "OPENED.md").read_text(encoding="utf-8").splitlines()
            assert f"| {expected} |" in record[-1]


def test_figures_that_cannot_be_recorded_are_not_shown(
    letters: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (letters / "test/dense" / "OPENED.md").mkdir()
    assert main(["compare", "--pipelines", "baseline", "--sets", "letters-test"]) == ExitCode.USAGE
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", sorted(TEST_SETS))
@pytest.mark.parametrize(
    "option", [["--errors", "e.tsv"], ["--ablation", "baseline"], ["--writers", ""], ["--layouts", "plain"]]
)
def test_the_unseen_letters_are_not_steered_by(
    letters: Path, option: list[str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--pipelines", "baseline", "--sets", f"letters-dev,{name}", *option]) == ExitCode.USAGE
    assert f"{name}: is measured without {option[0]}" in capsys.readouterr().err
    assert not list(letters.rglob("OPENED.md"))
