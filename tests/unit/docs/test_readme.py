"""The README: short, and its example is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deid_core import Deidentifier
from deid_core.pipeline.settings import GAZETTEER_DIR_VARIABLE

MAX_WORDS = 1300


@pytest.fixture(scope="module")
def readme(repository: Path) -> str:
    return (repository / "README.md").read_text(encoding="utf-8")


def test_it_is_short(readme: str) -> None:
    assert len(readme.split()) <= MAX_WORDS


def test_the_letter_before_gives_the_letter_after(readme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(GAZETTEER_DIR_VARIABLE, raising=False)
    section = readme.split("## Before and after\n")[1].split("\n## ")[0]
    before, after = re.findall(r"^```\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    assert Deidentifier.load("default").redact(before).text == after


def test_its_two_commands_are_targets_of_the_makefile(readme: str, repository: Path) -> None:
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"`?make ([a-z]+)", readme))
    assert {"run", "test"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
