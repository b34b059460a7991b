"""Word lists of recogniser `institution` and of the stacking model's feature family `cue`: no list is left unused."""

from __future__ import annotations

from pathlib import Path

import pytest

import deid_core
from deid_core.core.word_lists import lists_dir
from deid_core.crf.features.cue_lists import _ENDINGS, _WHOLE

PACKAGE = Path(deid_core.__file__).parent


@pytest.mark.parametrize("folder", ["institution", "profession", "address"])
def test_the_module_in_the_header_uses_the_list(folder: str) -> None:
    files = sorted((lists_dir() / folder).glob("*.txt"))
    assert files
    for file in files:
        used_by = file.read_text(encoding="utf-8").splitlines()[2].removeprefix("# used by: ")
        source = (PACKAGE / f"{used_by}.py").read_text(encoding="utf-8")
        named = f"{folder}/{file.stem}" in source or file.stem in _cue_lists(folder)
        assert named, f"{used_by}.py does not use {folder}/{file.stem}"


def _cue_lists(folder: str) -> set[str]:
    return {name for lists in (_WHOLE, _ENDINGS) for name in lists.get(folder, "").split()}
