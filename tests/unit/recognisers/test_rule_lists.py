"""Word lists of the recognisers `institution`, `profession` and `address`: no list is left unused."""

from __future__ import annotations

from pathlib import Path

import pytest

import deid_core
from deid_core.core.word_lists import lists_dir

PACKAGE = Path(deid_core.__file__).parent


@pytest.mark.parametrize("folder", ["institution", "profession", "address"])
def test_the_module_in_the_header_uses_the_list(folder: str) -> None:
    files = sorted((lists_dir() / folder).glob("*.txt"))
    assert files
    for file in files:
        used_by = file.read_text(encoding="utf-8").splitlines()[2].removeprefix("# used by: ")
        source = (PACKAGE / f"{used_by}.py").read_text(encoding="utf-8")
        assert f"{folder}/{file.stem}" in source, f"{used_by}.py does not use {folder}/{file.stem}"
