"""The imports between the project's modules, read from their source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]

LAYERS = (
    ("core",),
    ("text",),
    ("lexicon", "readers"),
    ("letterhead",),
    ("recognisers", "crf"),
    ("ensemble", "policies"),
    ("pipeline",),
    ("api", "lake"),
    ("spark", "audit_page"),
    ("review",),
    ("certify",),
    ("cli",),
)
"""Packages from the bottom to the top: a package imports only those below it. `lab` is outside; see `may_import`."""
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
SAME_LEVEL = {("recognisers", "crf")}
"""(importer, imported) on one level that may be: recogniser `crf` runs the model."""
LAKE_PARTS = ("", "tables", "notes", "inputs", "checks", "runs", "patients", "outputs", "inspection")
"""The sub-packages of `lake` from the bottom to the top, each on a level of its own; "" has the modules in none."""


def modules(root: Path = REPOSITORY) -> dict[str, Path]:
    """Return every module of the package and of jobs/ by its dotted name."""
    files = [*(root / "deid_core").rglob("*.py"), *(root / "jobs").glob("*.py")]
    return {".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def imports_of(file: Path, known: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    """Yield (module of the project or else the name as written, top-level library) for each import of a file.

    Imports inside functions and for type checkers count as well: who reads the code has to follow them, too.
    """
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                whole = f"{node.module}.{name.name}"
                yield whole if whole in known else node.module, node.module.split(".")[0]
        elif isinstance(node, ast.Import):
            for name in node.names:
                yield name.name, name.name.split(".")[0]


def graph(known: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return for each module of the project those that it imports."""
    return {
        module: {target for target, _ in imports_of(file, known) if target in known and target != module}
        for module, file in known.items()
    }


def with_packages(edges: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports with those of the packages that a module is in: Python runs their `__init__` first."""
    found = {}
    for module, targets in edges.items():
        parents = {
            parent
            for target in targets
            for end in range(1, target.count(".") + 1)
            if (parent := ".".join(target.split(".")[:end])) in edges and not f"{module}.".startswith(f"{parent}.")
        }
        found[module] = targets | parents
    return found


def package_of(module: str) -> str:
    """Return the layer's name: "deid_core.crf.inference" is of "crf", "deid_core" itself of "api"."""
    parts = module.split(".")
    if parts[0] == "jobs":
        return "jobs"
    return parts[1] if len(parts) > 1 else "api"


def may_import(importer: str, imported: str) -> bool:
    """Return whether the package `importer` may import the package `imported`."""
    if importer == imported:
        return True
    if importer == "jobs":
        return imported == "cli"
    if imported == "lab":
        return importer == "cli"
    if importer == "lab":
        return imported not in ("spark", "cli", "jobs")
    if imported not in LEVEL or importer not in LEVEL:
        return False
    return LEVEL[imported] < LEVEL[importer] or (importer, imported) in SAME_LEVEL


def part_of_lake(module: str) -> str | None:
    """Return the sub-package of `lake` that a module is in, "" if it is in none; None if it is not of `lake`."""
    parts = module.removeprefix("deid_core.").split(".")
    if parts[0] != "lake":
        return None
    return parts[1] if len(parts) > 2 or parts[-1] in LAKE_PARTS else ""


def cycles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of nodes that reach each other (Tarjan's strongly connected components of two and more)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        for target in sorted(edges[node]):
            if target not in number:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], number[target])
        if low[node] == number[node]:
            group = [stack.pop()]
            while group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(edges):
        if node not in number:
            visit(node)
    return found
