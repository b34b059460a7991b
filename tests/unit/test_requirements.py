"""requirements.txt has all packages that run, with checksums, versions of constraints.txt and no address."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_ENTRY = re.compile(r"([\w.-]+)==([\w.!+-]+)(?: ; [^\\\n]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)")


def pins(repository: Path) -> dict[str, str]:
    lines = (repository / "constraints.txt").read_text().splitlines()
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def locked(repository: Path) -> dict[str, str]:
    _, _, text = (repository / "requirements.txt").read_text().partition("\n")
    assert _ENTRY.sub("", text).strip() == ""
    return {canonicalize_name(name): version for name, version, _ in _ENTRY.findall(text)}


def test_versions_are_those_of_the_constraints(repository: Path) -> None:
    assert locked(repository).items() - pins(repository).items() == set()


def test_what_runs_is_locked(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    wanted = [
        *project["project"]["dependencies"],
        *extras["spark"],
        *extras["gazetteers"],
        *project["build-system"]["requires"],
    ]
    names = {canonicalize_name(Requirement(line).name) for line in wanted}
    assert len(names) >= 15
    assert names <= locked(repository).keys()
