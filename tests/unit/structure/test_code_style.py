"""What a reader of the code may rely on: words are data, names are unique, functions take few parameters, files are
short.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from imports import modules

KNOWN = modules()
TREES = {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in KNOWN.items()}
MOST_WORDS = 12
NOT_GERMAN = {
    "deid_core.cli.choices": "names of formats, layouts and sets of letters",
    "deid_core.readers.docx.package": "relationship types of OOXML",
    "deid_core.readers.source_listing": "endings of files",
    "deid_core.ensemble.subtype.subtype_features": "names of the feature slots",
}
"""Modules with a list of English technical terms, which nobody but a programmer changes."""
MEMOISED = {f"deid_core.crf.features.{name}" for name in ("list_membership", "word_families", "word_knowledge")}
"""Pure functions that two models call with the same words, one after the other: the second call is free."""
MOST_PARAMETERS = 8
MOST_LINES = 400
_WORD = re.compile(r"[A-Za-zÄÖÜäöüß.\- ]{3,}")


def word_lists(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """Yield (line, words) of each list, tuple, set or split string of more than a dozen words."""
    for node in ast.walk(tree):
        words: list[str] = []
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            words = [e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            text = node.func.value
            words = text.value.split() if isinstance(text, ast.Constant) and isinstance(text.value, str) else []
        found = [word for word in words if _WORD.fullmatch(word)]
        if len(found) > MOST_WORDS:
            yield getattr(node, "lineno", 0), len(found)


def functions_with_many_parameters(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, name) of each function with too many parameters that is not compiled by numba."""
    compiled = {
        argument.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and any(isinstance(n, ast.Name) and n.id == "jit" for n in ast.walk(node.func))
        for argument in node.args
        if isinstance(argument, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = {name.id for d in node.decorator_list for name in ast.walk(d) if isinstance(name, ast.Name)}
            given = node.args
            parameters = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            count = len([name for name in parameters if name not in ("self", "cls")])
            if count > MOST_PARAMETERS and not decorators & {"jit", "inlined"} and node.name not in compiled:
                yield node.lineno, node.name


def test_no_list_of_words_is_in_the_code() -> None:
    """German words belong in gazetteers/lists: somebody who does not program must find and change them."""
    found = {name: [line for line, _ in word_lists(tree)] for name, tree in TREES.items()}
    assert {name for name, lines in found.items() if lines} == NOT_GERMAN.keys()


def test_no_function_has_many_parameters() -> None:
    assert [f"{name}:{f}" for name, tree in TREES.items() for _, f in functions_with_many_parameters(tree)] == []


def test_no_file_is_long(repository: Path) -> None:
    files = [*KNOWN.values(), *(repository / "tests").rglob("*.py")]
    lines = {str(file.relative_to(repository)): len(file.read_text("utf-8").splitlines()) for file in files}
    assert any(name.startswith("tests/") for name in lines)
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_public_names_of_classes_are_unique() -> None:
    names = Counter(node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1 and not name.startswith("_")] == []


def test_no_cache_of_one_result_wires_parts_together() -> None:
    source = {name: file.read_text(encoding="utf-8") for name, file in KNOWN.items()}
    assert {name for name, text in source.items() if re.search(r"lru_cache\((?:maxsize=)?1\)", text)} == MEMOISED


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("A = " + repr([f"wort{chr(97 + n)}" for n in range(13)]), 1),
        ("A = " + repr(" ".join(f"wort{chr(97 + n)}" for n in range(13))) + ".split()", 1),
        ("A = " + repr(["wort"] * 12), 0),
    ],
)
def test_a_list_of_words_is_found(source: str, found: int) -> None:
    assert len(list(word_lists(ast.parse(source)))) == found


def test_many_parameters_are_found() -> None:
    names = ", ".join(f"a{n}" for n in range(9))
    assert list(functions_with_many_parameters(ast.parse(f"def f({names}): ..."))) == [(1, "f")]
    assert not list(functions_with_many_parameters(ast.parse(f"@jit('')\ndef f({names}): ...")))


def test_the_packages_source_is_read(repository: Path) -> None:
    assert len(KNOWN) > 300
    assert all(file.is_relative_to(repository) for file in KNOWN.values())
