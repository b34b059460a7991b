"""The two halves of lists and templates: large enough, and without anything in common."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deid_core.lab.synthetic.lists import data_dir, lists_of
from deid_core.lab.synthetic.template_language import compile_template
from deid_core.lab.synthetic.templates import SECTIONS, templates_of

LISTS = sorted(path.stem for path in data_dir("lists", "train").glob("*.txt"))


def entries(path: Path) -> set[str]:
    return {line for line in path.read_text(encoding="utf-8").split("\n") if line and not line.startswith("#")}


def names(split: str, *lists: str) -> set[str]:
    return {entry.split(";")[0] for name in lists for entry in entries(data_dir("lists", split) / f"{name}.txt")}


def test_both_halves_have_the_same_lists() -> None:
    assert sorted(path.stem for path in data_dir("lists", "test").glob("*.txt")) == LISTS
    assert len(LISTS) >= 10


@pytest.mark.parametrize("name", LISTS)
def test_no_entry_stands_in_both_halves(name: str) -> None:
    train, test = (entries(data_dir("lists", split) / f"{name}.txt") for split in ("train", "test"))
    assert train and test and not train & test
    if name not in ("organisations", "syllables", "typos"):
        assert not names("train", name) & names("test", name)


def test_no_name_of_one_half_is_another_kind_of_name_in_the_other() -> None:
    people = ("surnames", "given-male", "given-female")
    assert not names("train", *people) & names("test", *people)


def test_syllables_that_begin_names_differ() -> None:
    def beginnings(split: str) -> Iterator[tuple[str, str]]:
        for kind, patterns in lists_of(split).syllables.items():
            for pattern in patterns:
                yield from ((kind + pattern.pattern, beginning) for beginning in pattern.beginnings)

    assert not set(beginnings("train")) & set(beginnings("test"))


@pytest.mark.parametrize("split", ["train", "test"])
def test_lists_are_large_enough(split: str) -> None:
    lists = lists_of(split)
    assert len(lists.surnames) >= 120
    assert len(lists.given_male) + len(lists.given_female) >= 100
    assert len(lists.towns) >= 60
    assert len(lists.streets) >= 60
    assert len(lists.hospitals) >= 40
    assert len(lists.insurers) + len(lists.employers) >= 30
    assert {"Stein", "Sommer", "Berg", "Kaiser"} <= set(lists_of("train").surnames)


@pytest.mark.parametrize("section", SECTIONS)
def test_no_template_stands_in_both_halves(section: str) -> None:
    train, test = (entries(data_dir("templates", split) / f"{section}.txt") for split in ("train", "test"))
    assert train and test and not train & test


def test_layouts_differ_and_there_are_a_dozen() -> None:
    folders = (data_dir("templates", split, "layouts") for split in ("train", "test"))
    train, test = ({path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} for folder in folders)
    assert not set(train) & set(test)
    assert not set(train.values()) & set(test.values())
    assert len(train) >= 6 and len(test) >= 6


@pytest.mark.parametrize("split", ["train", "test"])
def test_there_are_hundreds_of_sentences(split: str) -> None:
    assert sum(len(templates) for templates in templates_of(split).sentences.values()) >= 300


def test_shared_vocabulary_has_no_slots() -> None:
    for path in data_dir("templates", "shared").glob("*.txt"):
        for line in entries(path):
            assert not compile_template(line.replace("<", "").replace("[", "").replace("]", "")).identifying
