"""The words of the pages of readers and of the dossier: both languages have the same, and every key has words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("jinja2", reason="needs the extra spark")

import deid_core.certify
import deid_core.review
from deid_core.review.page import TYPE_KEYS

FOLDERS = [Path(package.__file__ or "").parent for package in (deid_core.review, deid_core.certify)]


def words(folder: Path, name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((folder / "words" / f"{name}.yaml").read_text(encoding="utf-8")))


def keys(value: object, prefix: str = "") -> set[str]:
    if isinstance(value, list):
        return {f"{prefix}[{len(value)}]"}
    if not isinstance(value, dict):
        return {f"{prefix} {sorted(re.findall(r'{(?!n})[a-z0-9]+}', str(value)))}"}
    return set().union(*(keys(below, f"{prefix}.{name}") for name, below in value.items()))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_languages_have_the_same_words_with_the_same_values(folder: Path) -> None:
    assert keys(words(folder, "de")) == keys(words(folder, "en"))


def test_the_script_finds_its_words() -> None:
    script = (FOLDERS[0] / "templates" / "review.js").read_text(encoding="utf-8")
    used = set(re.findall(r'say\("(\w+)"', script)) | set(re.findall(r"words\.(\w+)", script))
    there = set(words(FOLDERS[0], "en")["script"])
    # By the state or the source of an item.
    assert used - {"replace"} <= there
    assert there - used == {"accepted", "wrong", "open", "span", "dropped", "reader"}


def test_keys_of_types_are_no_others() -> None:
    assert len(set(TYPE_KEYS.values())) == len(TYPE_KEYS)
