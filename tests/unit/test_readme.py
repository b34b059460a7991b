"""The README's examples are true: the letter before and after, the commands, the exit codes, the files it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deid_core.cli import COMMANDS
from deid_core.core.errors import ExitCode
from deid_core.core.note import Note
from deid_core.pipeline.build import engine_spec
from deid_core.pipeline.config import pipeline_names
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.settings import GAZETTEER_DIR_VARIABLE


@pytest.fixture(scope="module")
def readme(repository: Path) -> str:
    return (repository / "README.md").read_text(encoding="utf-8")


def blocks(readme: str, heading: str) -> list[str]:
    section = readme.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^```\w*\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


def test_the_letter_before_gives_the_letter_after(readme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(GAZETTEER_DIR_VARIABLE, raising=False)
    before, after = blocks(readme, "A letter before and after")
    assert Engine(engine_spec("default")).deidentify(Note("readme", before)).text == after


def test_the_commands_and_pipelines_are_those_that_exist(readme: str) -> None:
    [listing, *_] = blocks(readme, "Commands")
    assert set(re.findall(r"^deid (\w+)", listing, re.MULTILINE)) == set(COMMANDS)
    assert set(re.findall(r"^\| `(\w+)` \|", readme.split("### Pipelines")[1].split("\n## ")[0], re.MULTILINE)) == set(
        pipeline_names()
    )


def test_the_exit_codes_are_the_contract(readme: str) -> None:
    listed = readme.split("Exit codes: ")[1].split(".\n")[0]
    assert {int(code) for code in re.findall(r"(?:^|; )(\d+) ", listed.replace("\n", " "))} == {
        int(c) for c in ExitCode
    }


def test_the_files_it_names_exist(readme: str, repository: Path) -> None:
    links = re.findall(r"\]\(([^)#h][^)]*)\)", readme)
    named = re.findall(r"`((?:jobs|conf|gazetteers|docker|tests|deid_core)/[\w./-]*)`", readme)
    assert len(links) >= 3
    assert len(named) >= 5
    missing = [name for name in (*links, *named) if not (repository / name.partition("#")[0]).exists()]
    assert missing == []


SETS = {"dense": "letters-test", "long": "letters-test-long", "mixed": "letters-test-mixed"}


CLASSES = {
    "persons": "PER",
    "places, hospitals, departments": "LOC",
    "organisations, employers, insurers": "ORG",
    "dates": "DATE",
    "ages": "AGE",
    "telephone, fax": "PHONE",
    "numbers that identify": "ID",
    "postcodes": "PLZ",
    "professions": "PROFESSION",
    "salutations": "SALUTE",
    "titles": "TITLE",
    "e-mail": "EMAIL",
    "web addresses": "URI",
    "what else points to one person": "OTHER",
}


def quality(readme: str) -> str:
    return readme.split("## How good it is")[1].split("\n## ")[0]


@pytest.fixture(scope="module")
def measured(repository: Path) -> dict[str, str]:
    """What was measured on each set of unseen letters."""
    text = (repository / "tests/benchmarks/quality.md").read_text(encoding="utf-8")
    return {name: text.split(f"{of}: ")[1].split("\nletters-")[0] for name, of in SETS.items()}


def test_the_table_of_unseen_letters_is_the_measured_one(readme: str, measured: dict[str, str]) -> None:
    rows = re.findall(r"^\| (\w*) ?\| `(\w+)` \| (.*) \|$", quality(readme), re.MULTILINE)
    assert [pipeline for _, pipeline, _ in rows] == ["baseline", "default"] * len(SETS)
    of = ""
    for letters, pipeline, told in rows:
        of = letters or of
        count = measured[of].split(" ")[0]
        words, entities, names = (
            re.findall(rf"^{pipeline}{what} +(\S.*)$", measured[of], re.MULTILINE)[0].split()
            for what in (", words", ", entities", " (?= )")
        )
        expected = [
            *(words[1], words[2], f"{words[4]} ({' '.join(words[14:17])})", entities[3]),
            *(f"{names[1]} ({' '.join(names[2:5])})", str(round(float(names[-2]))), f"{names[-3]} of {count}"),
        ]
        assert told.split(" | ") == expected, (of, pipeline)


def test_the_table_of_classes_is_the_measured_one(readme: str, measured: dict[str, str]) -> None:
    found = re.findall(r"^\| ([a-z][\w, -]+?)(?: \(.*\))? \|((?: [\d.]* ?\|){6})$", quality(readme), re.MULTILINE)
    told = {name: [cell.strip() for cell in cells.split("|")[:-1]] for name, cells in found}
    assert told.keys() == CLASSES.keys()
    for name, label in CLASSES.items():
        rows = [re.search(rf"^{label}, default +([1-9].*)$", measured[of], re.MULTILINE) for of in SETS]
        # A class of which a set has none has no figure there.
        expected = [row[1].split()[column] if row else "" for column in (8, 12) for row in rows]
        assert told[name] == expected, name


def test_what_it_says_of_subtypes_was_measured(readme: str, measured: dict[str, str]) -> None:
    told = " ".join(quality(readme).split("**Whose name it is**")[1].split("\n\n")[0].split())
    for phi, whose in (("patient", "patients' names"), ("clinician", "clinicians'"), ("relative", "relatives'")):
        rows = [re.findall(rf"^{phi}, default +(\S.*)$", measured[of], re.MULTILINE)[0].split() for of in SETS]
        first, second, third = (f"{float(row[3]) + 1e-9:.2f}" for row in rows)
        assert re.search(rf"{whose} {first}, {second} and {third}\b", told), phi
    for phi, whose in (("person", "persons'"), ("region", "regions'")):
        row = re.findall(rf"^{phi}, default +(\S.*)$", measured["dense"], re.MULTILINE)[0].split()
        assert f"{whose} {float(row[3]) + 1e-9:.2f}" in told, phi


def test_as_many_letters_are_there_as_the_guide_says(readme: str, repository: Path) -> None:
    folder = repository / "data/letters"
    guide = (folder / "README.md").read_text(encoding="utf-8")
    told = {name: int(count) for name, count in re.findall(r"^\| `([\w/]+)/` \| (\d+) \|", guide, re.MULTILINE)}
    there = {
        f"{path.parent.name}/{path.name}": len(list(path.glob("*.txt"))) for path in folder.glob("*/*") if path.is_dir()
    }
    assert told == there
    trained_on, chosen_with = there["train/dense"] + there["train/long"], there["dev/dense"] + there["dev/long"]
    assert f"those of the {trained_on:,} that the decision was trained on and of the {chosen_with} it was" in " ".join(
        readme.split()
    )
