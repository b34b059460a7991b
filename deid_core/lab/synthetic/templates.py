"""Reads the templates of one half: sentences by section, and letter layouts.

templates/<split>/<section>.txt holds a template a line; templates/<split>/layouts/*.txt a letter's layout each. The
halves share none of them (a test proves it); what they share is medical vocabulary (vocabulary.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.lab.synthetic.letter_layout import Layout, parse_layout
from deid_core.lab.synthetic.lists import data_dir, lists_of
from deid_core.lab.synthetic.template_language import SentenceTemplate, TemplateError, compile_template

SECTIONS = (
    *("salutation", "intro", "diagnoses", "risk", "allergies", "history", "exam", "ecg", "tests", "echo", "cath"),
    *("imaging", "course", "therapy", "closing"),
)


@dataclass(frozen=True, slots=True)
class SentenceTemplates:
    """All that letters of one half are written with."""

    sentences: dict[str, tuple[SentenceTemplate, ...]]
    layouts: tuple[Layout, ...]


@cache
def templates_of(split: str) -> SentenceTemplates:
    """The compiled templates of a half, read once a process. Raises ConfigurationError with every bad line."""
    lists_of(split)  # refuses a half that does not exist
    folder = data_dir("templates", split)
    problems: list[str] = []
    sentences = {name: tuple(_sentences(folder / f"{name}.txt", problems)) for name in SECTIONS}
    layouts = tuple(_layouts(folder / "layouts", problems))
    if problems:
        raise ConfigurationError(problems)
    return SentenceTemplates(sentences, layouts)


def _sentences(path: Path, problems: list[str]) -> Iterator[SentenceTemplate]:
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line and not line.startswith("#"):
            try:
                yield compile_template(line)
            except TemplateError as error:
                problems.append(f"{path}:{number}: {error}")


def _layouts(folder: Path, problems: list[str]) -> Iterator[Layout]:
    for path in sorted(folder.glob("*.txt")):
        try:
            yield parse_layout(path.read_text(encoding="utf-8"))
        except TemplateError as error:
            problems.append(f"{path}: {error}")
