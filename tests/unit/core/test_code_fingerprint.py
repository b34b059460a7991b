"""The fingerprint of code: a night redoes the archive for a changed rule, and for nothing less."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import deid_core
from deid_core.core.code_fingerprint import code_fingerprint

ENGINE = "deid_core.pipeline.engine"
READER = "deid_core.readers.note_reader"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package's source in a folder of its own; returns the folder that holds it."""
    source = Path(deid_core.__file__).parent
    for file in source.rglob("*.py"):
        target = tmp_path / "deid_core" / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    return tmp_path


def edit(file: Path, change: Callable[[str], str]) -> None:
    before = file.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    file.write_text(after, encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "\n# another comment\n",
        lambda text: text.replace('"""', '"""Another docstring. ', 1),
        lambda text: text.replace(") -> ", "\n) -> ", 1),
        lambda text: text.replace("from __future__", "\n\n\nfrom __future__", 1),
    ],
    ids=["comment", "docstring", "line end", "blank lines"],
)
@pytest.mark.parametrize("file", ["text/capitals.py", "recognisers/pattern/recogniser.py"])
def test_what_does_not_change_behaviour_keeps_it(copy: Path, file: str, change: Callable[[str], str]) -> None:
    before = code_fingerprint(ENGINE, root=copy)
    edit(copy / "deid_core" / file, change)
    assert code_fingerprint(ENGINE, root=copy) == before


def test_a_moved_file_keeps_it(copy: Path) -> None:
    before = code_fingerprint(ENGINE, root=copy)
    package = copy / "deid_core"
    (package / "recognisers" / "shared").mkdir()
    (package / "recognisers" / "shared" / "__init__.py").touch()
    (package / "text" / "capitals.py").rename(package / "recognisers" / "shared" / "letters.py")
    for file in package.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("deid_core.text.capitals", "deid_core.recognisers.shared.letters"), "utf-8")
    assert code_fingerprint(ENGINE, root=copy) == before


@pytest.mark.parametrize(
    ("file", "old", "new", "engine", "reader"),
    [
        ("recognisers/pattern/date_day.py", "score=", "score=0.5 + 0 * ", True, False),
        ("text/capitals.py", "= 0.04", "= 0.05", True, False),
        ("crf/inference.py", " + ", " - ", True, False),
        ("text/salutation.py", "kolleg", "kollege", True, True),
        ("readers/msdoc/fields.py", " == ", " != ", False, True),
        ("core/note.py", "block[1] <= block[2]", "block[1] < block[2]", True, True),
        ("lake/layout.py", "notes", "texts", False, False),
        ("lab/evaluate/scores.py", " / ", " * ", False, False),
    ],
)
def test_changed_behaviour_changes_it(copy: Path, file: str, old: str, new: str, *, engine: bool, reader: bool) -> None:
    before = [code_fingerprint(module, root=copy) for module in (ENGINE, READER)]
    edit(copy / "deid_core" / file, lambda text: text.replace(old, new))
    after = [code_fingerprint(module, root=copy) for module in (ENGINE, READER)]
    assert [a != b for a, b in zip(before, after, strict=True)] == [engine, reader]


def test_a_changed_library_changes_it(copy: Path) -> None:
    before = code_fingerprint(ENGINE, root=copy)
    edit(copy / "deid_core" / "text" / "closing.py", lambda text: text.replace("import re\n", "import regex as re\n"))
    assert code_fingerprint(ENGINE, root=copy) != before


def test_an_import_of_another_function_of_the_same_name_changes_it(copy: Path) -> None:
    package = copy / "deid_core" / "core"
    (package / "one.py").write_text("def f():\n    return 1\n")
    (package / "two.py").write_text("def f():\n    return 2\n")
    user = package / "user.py"
    user.write_text("from deid_core.core.one import f\n")
    before = code_fingerprint("deid_core.core.user", root=copy)
    user.write_text("from deid_core.core.two import f\n")
    assert code_fingerprint("deid_core.core.user", root=copy) != before


def test_cycles_and_missing_modules_are_named(copy: Path) -> None:
    package = copy / "deid_core" / "core"
    (package / "one.py").write_text("from deid_core.core.two import f\n")
    (package / "two.py").write_text("from deid_core.core.one import f\n")
    with pytest.raises(ValueError, match=r"import each other: deid_core\.core\.one -> deid_core\.core\.two -> "):
        code_fingerprint("deid_core.core.one", root=copy)
    with pytest.raises(FileNotFoundError):
        code_fingerprint("deid_core.core.none", root=copy)


def test_what_is_kept_of_this_code_is_what_is_computed_of_it() -> None:
    computed = code_fingerprint(READER, root=Path(deid_core.__file__).parents[1])
    assert code_fingerprint(READER) == code_fingerprint(READER) == computed
