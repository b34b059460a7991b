"""The table of faults: every test that it names exists, every file of tests/faults is in it, and its codes are ours."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from deid_core.core.errors import ExitCode

COLUMNS = ["fault", "what is left, and what the user sees", "exit code", "what to do", "make test-faults", "make test"]
KILLED = 137
"""What a shell reports of a process that SIGKILL ended."""


@pytest.fixture(scope="module")
def rows(repository: Path) -> list[list[str]]:
    """Return the cells of each row, the head first."""
    lines = (repository / "tests/faults/README.md").read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]


def named_tests(row: list[str]) -> list[tuple[str, str]]:
    """Return file and function of each test that a row names; no function stands for all of the file."""
    return re.findall(r"`([\w/]*test_\w+\.py)(?:::(\w+))?`", " ".join(row[-2:]))


def file_of(repository: Path, name: str) -> Path:
    return repository / "tests" / (name if "/" in name else f"faults/{name}")


def functions(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_row_is_complete(rows: list[list[str]]) -> None:
    head, *faults = rows
    assert [name.replace("`", "") for name in head] == COLUMNS
    for row in faults:
        assert len(row) == len(COLUMNS), row
        assert all(row[:4]), row
        assert named_tests(row), row


def test_every_test_exists(repository: Path, rows: list[list[str]]) -> None:
    named = [(name, function) for row in rows[1:] for name, function in named_tests(row)]
    assert [name for name, _ in named if not file_of(repository, name).is_file()] == []
    assert [f"{name}::{f}" for name, f in named if f and f not in functions(file_of(repository, name))] == []


def test_no_name_of_a_test_is_overlooked(rows: list[list[str]]) -> None:
    """A name in another form would not be looked for."""
    for row in rows[1:]:
        assert " ".join(row).count("test_") == sum(1 + bool(function) for _, function in named_tests(row)), row


def test_every_file_of_tests_is_in_the_table(repository: Path, rows: list[list[str]]) -> None:
    named = {file_of(repository, name) for row in rows[1:] for name, _ in named_tests(row)}
    assert set((repository / "tests/faults").glob("test_*.py")) <= named


def test_exit_codes_are_those_of_the_program(rows: list[list[str]]) -> None:
    codes = {int(number) for row in rows[1:] for number in re.findall(r"\d+", row[2])}
    assert codes - {KILLED} <= set(ExitCode)
