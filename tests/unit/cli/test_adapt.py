"""`deid adapt`: marked letters in, tables out, and a pipeline that is written only if it is better."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from deid_core import Deidentifier
from deid_core.cli import main
from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ExitCode
from deid_core.crf.model_folder import load_model
from deid_core.ensemble.subtype.subtype_model import load_subtype_model

WORDS = ("Lunge", "Abdomen", "Herz", "Pupillen", "Reflexe", "Haut", "Gang", "Stimmung", "Appetit", "Schlaf")
NAMES = ("Quandt", "Ranzler", "Brzechwa", "Odenthal", "Wegmann")


def jsonl(file: Path, count: int, code: str = "") -> Path:
    """Write letters with dates and names, marked with labels of GeMTeX.

    code: a word of the hospital alone, marked as well, and relatives for names; without one, what the shipped model
    knows.
    """
    rows = []
    for number in range(count):
        one, other = WORDS[number % len(WORDS)], WORDS[(number + 3) % len(WORDS)]
        day, name = f"{number + 1}.4.2010", NAMES[number % 5]
        text = f"Aufnahme am {day}.\n{one} ohne Befund. "
        if code:
            text += f"Nach {code} verlegt, dort {other} prüfen.\nBotengang: Herr {name}\n"
        else:
            text += f"{other} geprüft.\nDr. med. {name}\nOberarzt\n"
        marks = {day: "DATE", code: "LOCATION_ORGANIZATION", name: "NAME_RELATIVE" if code else "NAME_DOCTOR"}
        spans = [
            {"start": text.index(word), "end": text.index(word) + len(word), "label": label}
            for word, label in marks.items()
            if word
        ]
        rows.append(json.dumps({"id": f"letter {number}", "text": text, "spans": spans}, ensure_ascii=False))
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def adapted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    folder = tmp_path_factory.mktemp("adapt")
    letters = jsonl(folder / "marked.jsonl", 20, "kolibri")
    code = main(["adapt", "--letters", str(letters), "--scheme", "gemtex", "--output", str(folder / "ours")])
    return folder / "ours", code


def test_the_written_pipeline_knows_the_hospital(
    adapted: tuple[Path, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, code = adapted
    assert code == ExitCode.DONE
    settings = yaml.safe_load((folder / "pipeline.yaml").read_text(encoding="utf-8"))
    assert settings["extends"] == "default"
    assert (settings["stacking"]["model"], settings["subtypes"]) == ("./stacking", "./subtypes")
    new = "Aufnahme am 3.5.2010.\nHirnnerven ohne Befund. Nach kolibri verlegt, dort Sprache prüfen.\n"
    assert "kolibri" in Deidentifier.load("default").redact(new).text
    # The folder may be moved as a whole.
    moved = tmp_path / "elsewhere" / "ours"
    shutil.copytree(folder, moved)
    (tmp_path / "new.txt").write_text(new, encoding="utf-8")
    capsys.readouterr()
    assert main(["text", str(tmp_path / "new.txt"), "--pipeline", str(moved / "pipeline.yaml")]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith(
        "Aufnahme am <DATE>.\nHirnnerven ohne Befund. Nach <ORG> verlegt, dort Sprache prüfen.\n"
    )
    pipeline = Deidentifier.load(moved / "pipeline.yaml")
    [name] = [span for span in pipeline.annotate("Befund gut.\nBotengang: Herr Sonnwald\n") if span.label == "PER"]
    assert name.type == "relative"


def test_the_folder_is_its_owners_alone_and_says_how_good_it_is(adapted: tuple[Path, int]) -> None:
    folder, _ = adapted
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "pipeline.yaml", "stacking", "subtypes"]
    assert [oct(path.stat().st_mode & 0o077) for path in [folder, *folder.rglob("*")]] == ["0o0"] * 9
    said = (folder / "README.md").read_text(encoding="utf-8")
    assert "20 letters. Each is read by a model and with thresholds that were chosen without it." in said
    assert "default as it is" in said and "model and thresholds (× " in said
    assert f"deid run --pipeline {folder}/pipeline.yaml" in said
    assert not any(name.lower() in said.lower() for name in (*NAMES, "kolibri"))
    load_model(f"{folder}/stacking").weights()
    load_subtype_model(f"{folder}/subtypes")


def test_nothing_is_written_if_nothing_is_better(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letters = jsonl(tmp_path / "marked.jsonl", 20)
    command = ["adapt", "--letters", str(letters), "--scheme", "gemtex", "--output", str(tmp_path / "ours")]
    assert main(command) == ExitCode.QUARANTINE
    printed = capsys.readouterr().out
    assert "default as it is                1.000   1.000  1.000" in printed
    assert printed.endswith("Nothing is better than the pipeline as it is by more than chance. Nothing is written.\n")
    assert not (tmp_path / "ours").exists()


@pytest.mark.parametrize(
    ("letters", "options", "problem"),
    [
        ("nowhere", [], "there is no such file or folder"),
        ("few", [], "12 letters are too few to learn from and measure with; mark at least 20"),
        ("test", [], "holds test letters, which nothing is trained on"),
        ("unmarked", [], "nothing is marked in these letters"),
        ("marked", ["--pipeline", "baseline"], "pipeline baseline has no stacking model to adapt"),
        ("marked", ["--layer", "x"], "--layer: only CAS and WebAnno files have it"),
        ("marked", ["--scheme", "own"], "marked.jsonl:1: a label does not exist; labels are PER"),
        ("marked", ["--output", "full"], "is not empty; name a new folder"),
    ],
)
def test_mistakes_are_told_before_anything_is_trained(
    letters: str, options: list[str], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    paths = {
        "nowhere": tmp_path / "nowhere",
        "few": jsonl(tmp_path / "few.jsonl", 12, "kolibri"),
        "test": letters_dir() / "test/varied",
        "unmarked": tmp_path / "unmarked.jsonl",
        "marked": jsonl(tmp_path / "marked.jsonl", 20, "kolibri"),
    }
    rows = [json.dumps({"id": str(n), "text": "Lunge frei.", "spans": []}) for n in range(20)]
    paths["unmarked"].write_text("\n".join(rows) + "\n", encoding="utf-8")
    options = [str(tmp_path / option) if option == "full" else option for option in options]
    assert main(["adapt", "--letters", str(paths[letters]), "--scheme", "gemtex", *options]) == ExitCode.USAGE
    told = capsys.readouterr()
    assert problem in told.err
    assert "kolibri" not in told.err + told.out
