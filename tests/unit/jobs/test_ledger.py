"""What a note was read with: which code and settings make a run read it again."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

import deid_core
from deid_core.config import Settings
from jobs.ledger import ReaderPrint

CORE = Path(deid_core.__file__).parent


def test_limits_of_reading_matter_to_refused_files_only() -> None:
    some, other = (ReaderPrint.of(Settings.model_validate({"reading": {"max_file_bytes": size}})) for size in (10, 20))
    assert some.notes == other.notes
    assert some.refused != other.refused


@pytest.mark.parametrize(
    ("changed", "matters"),
    [
        ("note.py", True),
        ("reading/canonical.py", True),
        ("reading/doc/fields.py", True),
        ("header/salutation.py", True),
        ("header/fields.py", False),
        ("engine.py", False),
    ],
)
def test_code_that_makes_a_raw_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, matters: bool
) -> None:
    copy = shutil.copytree(CORE, tmp_path / "deid_core", ignore=lambda _, names: [n for n in names if _is_data(n)])
    monkeypatch.setattr(deid_core, "__file__", str(copy / "__init__.py"))
    before = ReaderPrint.of(Settings())
    with (copy / changed).open("a", encoding="utf-8") as file:
        file.write("# another rule\n")
    after = ReaderPrint.of(Settings())
    assert (after.notes != before.notes, after.refused != before.refused) == (matters, matters)


def test_reading_uses_no_other_code() -> None:
    """A module more that decides on a note's text or blocks belongs into the print. Settings are there by value."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in (CORE / "reading").rglob("*.py")]
    used = {node.module for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    core = {name for name in used if name and name.startswith("deid_core.")}
    assert {name for name in core if not name.startswith("deid_core.reading")} == {
        "deid_core.config", "deid_core.errors", "deid_core.header.salutation", "deid_core.note"
    }  # fmt: skip


def _is_data(name: str) -> bool:
    return name == "__pycache__" or ("." in name and not name.endswith(".py"))
