"""The README's examples are true: the letter before and after, the commands, the exit codes, the files it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deid_core.cli import COMMANDS
from deid_core.cli.pipelines import engine_spec
from deid_core.config import GAZETTEER_DIR_VARIABLE, pipeline_names
from deid_core.engine import Engine
from deid_core.errors import ExitCode
from deid_core.note import Note


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
    missing = [name for name in (*links, *named) if not (repository / name).exists()]
    assert missing == []


SETS = {"dense": "letters-unseen", "long": "letters-long-unseen", "mixed": "letters-mixed-unseen"}


def test_the_table_of_unseen_letters_is_the_measured_one(readme: str, repository: Path) -> None:
    measured = (repository / "tests/benchmarks/quality.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w*) ?\| `(\w+)` \| (.*) \|$", readme.split("## How good it is")[1], re.MULTILINE)
    assert len(rows) == len(SETS) * 4
    of = ""
    for letters, pipeline, told in rows:
        of = letters or of
        section = measured.split(f"{SETS[of]}: ")[1].split("\nletters-")[0]
        count = section.split(" ")[0]
        words, entities, names = (
            re.findall(rf"^{pipeline}{what} +(\S.*)$", section, re.MULTILINE)[0].split()
            for what in (", words", ", entities", " (?= )")
        )
        expected = [
            *(words[1], words[2], words[4], " ".join(words[14:17]), entities[3], names[1]),
            *(str(round(float(names[-2]))), f"{names[-3]} of {count}"),
        ]
        assert told.split(" | ") == expected, (of, pipeline)


def test_the_table_of_finer_types_is_the_measured_one(readme: str, repository: Path) -> None:
    measured = (repository / "tests/benchmarks/quality.md").read_text(encoding="utf-8")
    sections = [measured.split(f"{name}: ")[1].split("\nletters-")[0] for name in SETS.values()]
    types = re.findall(r"(?<=\| )(\w+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", readme.split("**Whose name it is**")[1])
    assert len(types) == 6
    for phi, *told in types:
        rows = [re.findall(rf"^{phi}, default +(\S.*)$", section, re.MULTILINE)[0].split() for section in sections]
        assert told == [f"{float(row[3]) + 1e-9:.2f}" for row in rows], phi


def test_as_many_letters_are_there_as_the_guide_says(readme: str, repository: Path) -> None:
    folder = repository / "tests/cases/letters"
    guide = (folder / "README.md").read_text(encoding="utf-8")
    told = {name: int(count) for name, count in re.findall(r"^\| `([\w-]+)/` \| (\d+) \|", guide, re.MULTILINE)}
    there = {path.name: len(list(path.glob("*.txt"))) for path in folder.iterdir() if path.is_dir()}
    assert told == there
    trained_on, chosen_with = there["train"] + there["train-long"], there["develop"] + there["develop-long"]
    assert f"those of the {trained_on:,} that the decision was trained on and of the {chosen_with} it was" in " ".join(
        readme.split()
    )
