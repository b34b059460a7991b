"""The header of each word list names the modules that read it, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import deid_core
from deid_core.core.word_lists import lists_dir
from deid_core.crf.features.cue_lists import _ENDINGS, _WHOLE

PACKAGE = Path(deid_core.__file__).parent
LISTS = {path.relative_to(lists_dir()).with_suffix("").as_posix(): path for path in lists_dir().rglob("*.txt")}
CUE_LISTS = "crf/features/cue_lists"
"""It names its lists by folder, so `named` does not find them."""
COMPILED = "compiled by lexicon/gazetteer"


def modules() -> dict[str, ast.Module]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).with_suffix("").as_posix().removesuffix("/__init__")
        source = path.read_text(encoding="utf-8")
        if "word_lists import" in source:
            found[name] = ast.parse(source)
    return found


def named(tree: ast.Module) -> set[str]:
    """Return the lists that a module names. Those of the top level have a hyphen in them, or are an argument."""
    strings = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    reading = ("word_list", "word_set", "alternatives", "flags_by_word")
    given = {a.value for call in calls if call.func.id in reading for a in call.args if isinstance(a, ast.Constant)}  # type: ignore[attr-defined]
    words = {word for text in strings for word in text.split() if "/" in word or "-" in word}
    return (words | given) & LISTS.keys()


def computed(tree: ast.Module) -> Iterator[str]:
    """Yield expressions for the names of lists that a module puts together: f"policies/{name}" is "policies/.*"."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [re.escape(str(v.value)) if isinstance(v, ast.Constant) else "[^/]*" for v in node.values]
            if "/" in (expression := "".join(parts)):
                yield expression


TREES = modules()
COMPUTED = {module: [*computed(tree)] for module, tree in TREES.items() if module != CUE_LISTS}
CUES = {f"{folder}/{name}" for of in (_WHOLE, _ENDINGS) for folder, names in of.items() for name in names.split()}
NAMED = {module: CUES if module == CUE_LISTS else named(tree) for module, tree in TREES.items()}
READERS = {name: {module for module, lists in NAMED.items() if name in lists} for name in LISTS}


def users(name: str) -> list[str]:
    """Return the modules, or packages, that the header names, without what stands in brackets."""
    header = LISTS[name].read_text(encoding="utf-8").splitlines()[2].removeprefix("# used by: ")
    return [re.sub(r" \(.*\)", "", user) for user in header.split(", ")]


def is_of(module: str, user: str) -> bool:
    return module == user or module.startswith(f"{user}/")


def may_read(user: str, name: str) -> bool:
    """Return whether a module or package that the header names reads the list."""
    if user in ("sources.yaml", COMPILED):
        return "/" not in name
    found = [module for module, expressions in COMPUTED.items() if any(re.fullmatch(e, name) for e in expressions)]
    return any(is_of(module, user) for module in READERS[name].union(found))


@pytest.mark.parametrize("name", sorted(LISTS))
def test_the_header_names_who_reads_the_list(name: str) -> None:
    named_there = users(name)
    missing = [module for module in READERS[name] if not any(is_of(module, user) for user in named_there)]
    assert missing == [], f"gazetteers/lists/{name}.txt: `# used by:` does not name all that read it"
    wrong = [user for user in named_there if not may_read(user, name)]
    assert wrong == [], f"gazetteers/lists/{name}.txt: `# used by:` names what does not read it"


def test_readers_are_found() -> None:
    tree = ast.parse("A = word_set('pattern/no-word-before', 'titles')\nB = ('stop-words', 'months')")
    assert named(tree) == {"titles", "stop-words"} | ({"pattern/no-word-before"} & LISTS.keys())
    assert list(computed(ast.parse('f"policies/{name}-x"'))) == ["policies/[^/]*\\-x"]
