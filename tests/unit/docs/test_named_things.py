"""What docstrings, comments and pages name is there: modules, functions, options of commands, settings, headings."""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import typing
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from pydantic import BaseModel

import deid_core.recognisers.settings
from deid_core.cli import COMMANDS
from deid_core.cli.completion import actions_of
from deid_core.lab.training.settings import TrainingSettings
from deid_core.pipeline.config import PipelineSettings
from deid_core.pipeline.settings_file import Settings

REPOSITORY = Path(__file__).resolve().parents[3]
SOURCE = sorted(
    path for folder in ("deid_core", "jobs", "tests", "docker") for path in (REPOSITORY / folder).rglob("*.py")
)
PAGES = sorted(
    path
    for folder in (".", "docs/**", "data/**", "gazetteers", "tests/**", "deid_core/**")
    for path in REPOSITORY.glob(f"{folder}/*.md")
    # The changelog names what was there.
    if path.name != "CHANGELOG.md"
)
FOREIGN = {"MADV_COLLAPSE", "configure_spark_with_delta_pip", "ru_maxrss", "train_"}
"""Names of other programs, and the beginning of many names."""


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@cache
def text_of(page: Path) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@cache
def remarks_and_names(module: Path) -> tuple[str, frozenset[str]]:
    """Return the docstrings and comments of a module, and the names that its code and its short strings have."""
    source, remarks, names = module.read_text(encoding="utf-8"), list[str](), {module.stem}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            remarks.append(node.value.value)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and len(node.value) < 60:
                names.update(re.findall(r"\w+", node.value))
        else:
            names.update(v for f in ("id", "attr", "name", "arg") if isinstance(v := getattr(node, f, None), str))
    return "\n".join([*remarks, *re.findall(r"(?:^|\s)# (.*)$", source, re.MULTILINE)]), frozenset(names)


def remarks(module: Path) -> str:
    return remarks_and_names(module)[0]


def missing_modules(module: Path, text: str) -> list[str]:
    """Return the modules that a docstring names and that are not there.

    A bare name is of the same package. A path begins at the repository, deid_core, the package or the folder above.
    """
    parts = module.relative_to(REPOSITORY).parts
    package = REPOSITORY / parts[0] if parts[0] != "deid_core" or len(parts) < 3 else REPOSITORY / Path(*parts[:2])
    starts = (REPOSITORY, REPOSITORY / "deid_core", package, module.parent, module.parent.parent)
    missing = [n for n in re.findall(r"(?<![\w./-])(\w+\.py)\b", text) if not any(package.rglob(n))]
    paths = re.findall(r"(?<![\w./-])((?:\w+/)+\w+\.py)\b", text)
    return missing + [path for path in paths if not any((start / path).exists() for start in starts)]


def test_modules_that_docstrings_name_exist() -> None:
    found = {name_of(path): missing_modules(path, remarks(path)) for path in SOURCE if "tests" not in path.parts}
    assert {name: modules for name, modules in found.items() if modules} == {}


def test_modules_that_pages_name_exist() -> None:
    there = [name_of(path) for path in SOURCE]
    found = [
        (name_of(page), name)
        for page in PAGES
        for name in re.findall(r"`([\w/]+\.py)`", text_of(page))
        if not any(f"/{path}".endswith(f"/{name}") for path in there)
    ]
    assert found == []


@cache
def identifiers() -> frozenset[str]:
    """Return every name that the code has or that its short strings and the settings hold."""
    found = FOREIGN.union(*(remarks_and_names(path)[1] for path in SOURCE))
    for pattern in ("conf/**/*.yaml", "gazetteers/*.yaml", "deid_core/**/*.yaml", "deid_core/**/*.j*", "docker/*"):
        for path in filter(Path.is_file, REPOSITORY.glob(pattern)):
            found.update(re.findall(r"\w+", path.read_text(encoding="utf-8", errors="ignore")))
    return frozenset(found)


def missing_identifiers(text: str) -> list[str]:
    """Return the names in code quotes, with an underscore or in CamelCase, that the code does not have."""
    named = re.findall(r"`([A-Za-z_][\w.]*_[\w.]*|[A-Z]\w+[a-z]\w*)(?:\([^`]*\))?`", text)
    files = {path.name for path in (REPOSITORY / "gazetteers/lists").rglob("*")}
    files |= {path.stem for path in REPOSITORY.glob("deid_core/models/*")}
    parts = [part for name in named if name not in files for part in name.split(".") if part]
    return [part for part in parts if part not in identifiers() | files]


def test_names_in_code_quotes_are_names_of_the_code() -> None:
    found = {name_of(path): missing_identifiers(text_of(path)) for path in PAGES}
    found |= {name_of(path): missing_identifiers(remarks(path)) for path in SOURCE}
    assert {name: names for name, names in found.items() if names} == {}


@cache
def options_of(command: str) -> frozenset[str]:
    parser = argparse.ArgumentParser()
    importlib.import_module(f"deid_core.cli.{command}").add_arguments(parser)
    return frozenset(option for action in actions_of(parser) for option in action.option_strings)


def missing_options(page: str) -> list[str]:
    """Return the options of `deid COMMAND` in a page's code that the command does not have."""
    blocks = re.findall(r"^```.*?\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    found = []
    for code in (*re.findall(r"`([^`\n]+)`", page), *lines):
        called = re.search(r"\bdeid ([a-z]+)\b(.*)", code)
        if called and called[1] in COMMANDS:
            used = re.findall(r"(?<![\w-])--[a-z][\w-]*", called[2])
            found += [f"{called[1]} {option}" for option in used if option not in options_of(called[1])]
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_options_of_commands_exist(page: Path) -> None:
    assert missing_options(page.read_text(encoding="utf-8")) == []


@cache
def sections() -> dict[str, set[str]]:
    """Return the settings of each section of conf/settings.yaml, a pipeline and conf/training.yaml, by its name."""
    found: dict[str, set[str]] = {}

    def models(annotation: object) -> Iterator[type[BaseModel]]:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
        for argument in typing.get_args(annotation):
            yield from models(argument)

    def walk(model: type[BaseModel]) -> None:
        for name, field in model.model_fields.items():
            for part in models(field.annotation):
                found.setdefault(name, set()).update(part.model_fields)
                walk(part)

    for model in (Settings, PipelineSettings, TrainingSettings):
        walk(model)
    for each in vars(deid_core.recognisers.settings).values():
        if isinstance(each, type) and issubclass(each, BaseModel) and "kind" in each.model_fields:
            for kind in typing.get_args(each.model_fields["kind"].annotation):
                found.setdefault(kind, set()).update(each.model_fields)
    return found


def missing_settings(text: str) -> list[str]:
    """Return the settings in code quotes, such as `engine.note_time_limit_s`, of sections that do not have them.

    A rule of recogniser `pattern` is written in the same way.
    """
    named = re.findall(r"`(\w+)\.([a-z]\w+)(?:: [^`]*)?`", text)
    known = sections()
    return [f"{of}.{name}" for of, name in named if of in known.keys() - {"pattern"} and name not in {*known[of], "py"}]


def test_settings_that_are_named_exist() -> None:
    found = {name_of(path): missing_settings(text_of(path)) for path in PAGES}
    found |= {name_of(path): missing_settings(remarks(path)) for path in SOURCE}
    assert {name: settings for name, settings in found.items() if settings} == {}


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as mkdocs and GitHub make them of plain headings."""
    headings = re.findall(r"^#+ +(.*)$", text_of(page), re.MULTILINE)
    plain = (re.sub(r"[`*]|\[|\]\([^)]*\)", "", heading) for heading in headings)
    ascii_only = (unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode() for text in plain)
    return frozenset(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower()) for text in ascii_only)


@pytest.mark.parametrize("page", [*PAGES, REPOSITORY / "CHANGELOG.md"], ids=name_of)
def test_anchors_of_links_are_headings(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)\s#]*)#([^)\s]+)\)", text_of(page))
    targets = [((page.parent / file).resolve() if file else page, anchor) for file, anchor in links]
    dead = [(name_of(to), anchor) for to, anchor in targets if to.suffix == ".md" and anchor not in anchors(to)]
    assert dead == []


def test_what_is_missing_is_found(tmp_path: Path) -> None:
    module = REPOSITORY / "deid_core/crf/tagger.py"
    assert missing_modules(module, "See inference.py, crf/viterbi.py and engine.py.") == ["engine.py", "crf/viterbi.py"]
    # Put together here, since a string of this module would be a name of the code.
    absent = "_".join(("weigh", "it"))
    assert missing_identifiers(f"`find_entities` and `{absent}`") == [absent]
    assert missing_options("`deid compare --by-label --by-colour`") == ["compare --by-colour"]
    assert missing_settings("`engine.note_time_limit_s: 60.0`, `stacking.veto`") == ["stacking.veto"]
    (tmp_path / "page.md").write_text("# A `word` of [two](x.md)\n", encoding="utf-8")
    assert anchors(tmp_path / "page.md") == {"a-word-of-two"}
