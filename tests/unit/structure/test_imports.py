"""The import law: which package may import which, and no cycles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from imports import (
    LAKE_PARTS,
    LAYERS,
    REPOSITORY,
    cycles,
    graph,
    imports_of,
    may_import,
    modules,
    package_of,
    part_of_lake,
    with_packages,
)

KNOWN = modules()
GRAPH = graph(KNOWN)


def test_every_package_imports_only_what_is_below_it() -> None:
    against = [
        f"{importer} imports {imported}"
        for importer, targets in GRAPH.items()
        for imported in sorted(targets)
        if not may_import(package_of(importer), package_of(imported))
    ]
    assert against == []


def test_the_code_map_has_these_levels() -> None:
    page = (REPOSITORY / "docs/code-map.md").read_text(encoding="utf-8")
    levels = page.split("from the lowest:")[1].split(". A package")[0].split("·")
    assert [set(re.findall(r"`(\w+)`", level)) for level in levels] == [set(names) for names in LAYERS]


def test_sub_packages_of_lake_import_only_those_before_them() -> None:
    levels = {name: LAKE_PARTS.index(part) for name in KNOWN if (part := part_of_lake(name)) is not None}
    assert set(levels.values()) == set(range(len(LAKE_PARTS)))
    against = [
        f"{importer} imports {imported}"
        for importer, level in levels.items()
        for imported in sorted(GRAPH[importer])
        if levels.get(imported, 0) > level
    ]
    assert against == []


def test_the_code_map_has_the_sub_packages_of_lake() -> None:
    page = (REPOSITORY / "docs/code-map.md").read_text(encoding="utf-8")
    order = page.split("Sub-packages of `lake`, from the lowest:")[1].split(". Each")[0]
    assert re.findall(r"`(\w+)`", order) == list(LAKE_PARTS[1:])
    assert re.findall(r"^\| `lake/(\w+)` \|", page, re.M) == list(LAKE_PARTS[1:])
    files = {file.name for name, file in KNOWN.items() if part_of_lake(name) and file.name != "__init__.py"}
    named = {file for row in re.findall(r"^\| `lake/\w+` \|.*", page, re.M) for file in re.findall(r"`(\w+\.py)`", row)}
    assert named == files


def test_no_cycle_between_files() -> None:
    assert cycles(GRAPH) == []


def test_each_module_can_be_the_first_that_is_imported() -> None:
    """In a cycle over a package's `__init__` it depends on who comes first whether a name is there."""
    assert cycles(with_packages(GRAPH)) == []


def test_only_the_package_spark_imports_pyspark() -> None:
    libraries = {"pyspark", "delta", "py4j"}
    users = {package_of(name) for name, file in KNOWN.items() for _, top in imports_of(file, KNOWN) if top in libraries}
    assert users == {"spark"}


def test_readers_of_word_know_no_note() -> None:
    msdoc = [name for name in KNOWN if name.startswith("deid_core.readers.msdoc.")]
    assert msdoc
    known_to = {name: {package_of(target) for target in GRAPH[name]} for name in msdoc}
    assert all(packages <= {"readers", "core"} for packages in known_to.values())


def test_jobs_are_scripts_of_some_thirty_lines() -> None:
    jobs = {name: file for name, file in KNOWN.items() if package_of(name) == "jobs"}
    assert {name.removeprefix("jobs.") for name in jobs} == {"audit", "convert", "deidentify", "refresh", "run"}
    assert all(len(file.read_text().splitlines()) <= 30 for file in jobs.values())


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("text", "core", True),
        ("text", "lexicon", False),
        ("recognisers", "crf", True),
        ("crf", "recognisers", False),
        ("cli", "lab", True),
        ("pipeline", "lab", False),
        ("lab", "pipeline", True),
        ("lab", "spark", False),
        ("jobs", "cli", True),
        ("jobs", "lake", False),
        ("lake", "spark", False),
    ],
)
def test_what_the_law_says(importer: str, imported: str, *, allowed: bool) -> None:
    assert may_import(importer, imported) is allowed


def test_a_broken_law_is_found(tmp_path: Path) -> None:
    package = tmp_path / "deid_core"
    for name, source in {
        "text/one.py": "def f():\n    from deid_core.lexicon import two\n",
        "lexicon/two.py": "from deid_core.text.one import f\n",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(source, encoding="utf-8")
    known = modules(tmp_path)
    edges = graph(known)
    assert edges["deid_core.text.one"] == {"deid_core.lexicon.two"}
    assert cycles(edges) == [["deid_core.lexicon.two", "deid_core.text.one"]]
