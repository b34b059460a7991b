"""The README: short, and its example is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deid_core import Deidentifier
from deid_core.pipeline.settings_file import GAZETTEER_DIR_VARIABLE

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


FIGURE_1 = (
    "wir berichten über Ihren Patienten Herrn Mustermann, geboren am 01.12.1956, wh. Musterstraße, 12345 Musterstadt "
    "der sich am 12.12.2010 in unserer Ambulanz vorstellte."
)
FIGURE_4 = (
    "wir berichten über Ihren Patienten <SALUTE> <PER>, geboren am <DATE>, wh. <LOC>, <PLZ> <LOC> der sich am <DATE> "
    "in unserer Ambulanz vorstellte."
)
"""A sentence of seed 000 and what its system made of it, word for word."""


@pytest.mark.parametrize("wrapped", [False, True])
def test_figure_1_of_the_thesis_gives_its_figure_4(readme: str, wrapped: bool) -> None:
    shown = " ".join(readme.split())
    assert FIGURE_1 in shown and FIGURE_4 in shown
    # The thesis wraps its lines at this width, with two blanks at their ends.
    text = FIGURE_1.replace("geboren am", "geboren  \nam").replace("am 12.", "am  \n12.") if wrapped else FIGURE_1
    assert " ".join(Deidentifier.load("default").redact(text).text.split()) == FIGURE_4


def test_its_two_commands_are_targets_of_the_makefile(readme: str, repository: Path) -> None:
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"`?make ([a-z]+)", readme))
    assert {"run", "test"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
