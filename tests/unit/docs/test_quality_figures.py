"""The figures of docs/evaluation/quality.md and of the README are those of the report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "docs/evaluation/quality.md").read_text(encoding="utf-8")


SETS = {
    "dense": "letters-test",
    "long": "letters-test-long",
    "mixed": "letters-test-mixed",
    "varied": "letters-test-varied",
}


LABELS = {
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


@pytest.fixture(scope="module")
def measured(repository: Path) -> dict[str, str]:
    """What was measured on each set of test letters."""
    text = (repository / "docs/evaluation/log/quality-report.md").read_text(encoding="utf-8")
    return {name: text.split(f"{of}: ")[1].split("\nletters-")[0] for name, of in SETS.items()}


def test_the_table_of_test_letters_is_the_measured_one(page: str, measured: dict[str, str]) -> None:
    rows = re.findall(r"^\| (\w*) ?\| `(\w+)` \| (.*) \|$", page, re.MULTILINE)
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
            *(f"{names[1]} ({' '.join(names[2:5])})", str(round(float(names[-3]))), f"{names[-4]} of {count}"),
        ]
        assert told.split(" | ") == expected, (of, pipeline)


def test_the_table_of_labels_is_the_measured_one(page: str, measured: dict[str, str]) -> None:
    found = re.findall(r"^\| ([a-z][\w, -]+?)(?: \(.*\))? \|((?: [\d.]* ?\|){8})$", page, re.MULTILINE)
    told = {name: [cell.strip() for cell in cells.split("|")[:-1]] for name, cells in found}
    assert told.keys() == LABELS.keys()
    for name, label in LABELS.items():
        rows = [re.search(rf"^{label}, default +([1-9].*)$", measured[of], re.MULTILINE) for of in SETS]
        # A label of which a set has none has no figure there.
        expected = [row[1].split()[column] if row else "" for column in (8, 12) for row in rows]
        assert told[name] == expected, name


def test_the_precision_that_researchers_are_told_is_the_measured_one(
    repository: Path, measured: dict[str, str], page: str
) -> None:
    text = (repository / "docs/for-researchers.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| ([A-Z]+) \| ((?:[\d.]+(?: \| )?){4}) \|$", text, re.MULTILINE))
    assert len(told) == 11
    for label, cells in told.items():
        rows = (re.findall(rf"^{label}, default +(\S.*)$", measured[of], re.MULTILINE)[0] for of in SETS)
        assert cells.split(" | ") == [row.split()[1] for row in rows], label
    varied = page.split("\n| varied |")[1].split("\n")[1].split(" | ")
    assert f"removed {varied[3]} of the identifying words with a precision of {varied[2]};" in text
    assert f"{varied[-2]} of 1,000 words that identify nobody" in text


def test_what_it_says_of_subtypes_was_measured(page: str, measured: dict[str, str]) -> None:
    told = " ".join(page.split("**Whose name it is**")[1].split("\n\n")[0].split())
    for phi, whose in (("patient", "patients' names"), ("clinician", "clinicians'"), ("relative", "relatives'")):
        of_each = (re.findall(rf"^{phi}, default +(\S.*)$", measured[of], re.MULTILINE)[0] for of in SETS)
        rows = [row.split() for row in of_each][:3]
        first, second, third = (f"{float(row[3]) + 1e-9:.2f}" for row in rows)
        assert re.search(rf"{whose} {first}, {second} and {third}\b", told), phi
    for phi, whose in (("person", "persons'"), ("region", "regions'")):
        row = re.findall(rf"^{phi}, default +(\S.*)$", measured["dense"], re.MULTILINE)[0].split()
        assert f"{whose} {float(row[3]) + 1e-9:.2f}" in told, phi


def test_the_table_of_the_readme_is_the_measured_one(repository: Path, measured: dict[str, str]) -> None:
    readme = (repository / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d+ (dense|long|mixed|varied)\b[^|]*\| (.*) \|$", readme, re.MULTILINE)
    assert [of for of, _ in rows] == list(SETS)
    for of, told in rows:
        words, entities, names = (
            re.findall(rf"^default{what} +(\S.*)$", measured[of], re.MULTILINE)[0].split()
            for what in (", words", ", entities", " (?= )")
        )
        assert told.split(" | ") == [
            *(words[1], words[2], f"{words[4]} ({' '.join(words[14:17])})", entities[3]),
            *(f"{names[1]} ({' '.join(names[2:5])})", f"{names[-4]} of {measured[of].split(' ')[0]}"),
        ], of


def test_the_first_page_has_the_figures_of_the_varied_letters(repository: Path, page: str) -> None:
    first = (repository / "docs/evaluation/README.md").read_text(encoding="utf-8")
    varied = page.split("\n| varied |")[1].split("\n")[1].split(" | ")
    _, _, precision, recall, f2, entity_f1, names, *_ = (cell.split(" ")[0] for cell in varied)
    assert f"precision of words {precision}, recall {recall}, F2 {f2}, entity F1 {entity_f1} |" in first
    assert f"| names covered in them | {names} |" in first


def test_as_many_test_letters_are_there_as_the_page_says(page: str, repository: Path) -> None:
    there = {
        f"{path.parent.name}/{path.name}": len(list(path.glob("*.txt")))
        for path in (repository / "data/letters").glob("*/*")
        if path.is_dir()
    }
    assert [int(count) for count in re.findall(r"^- (\d+) \*\w+\* ones", page, re.MULTILINE)] == [
        there["test/dense"],
        there["test/long"],
        there["test/mixed"],
        there["test/varied"],
    ]
