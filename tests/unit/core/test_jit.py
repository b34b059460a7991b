"""Machine code is kept where it can be, read where another account kept it, and made where there is no folder."""

from __future__ import annotations

import importlib.util
import logging
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core import caching

from deid_core.core import jit as jit_module
from deid_core.core.jit import jit


def without_a_file() -> Any:
    """A function whose module lies nowhere, as in a read-only image without a home folder."""
    namespace: dict[str, Any] = {}
    exec(compile("def twice(number):\n    return 2 * number\n", "nowhere.py", "exec"), namespace)  # noqa: S102
    return namespace["twice"]


def test_compiles_without_a_cache() -> None:
    with pytest.raises(RuntimeError, match="cannot cache"):
        numba.njit("i8(i8)", cache=True)(without_a_file())
    compiled = jit("i8(i8)")(without_a_file())
    assert compiled(21) == 42
    assert compiled.signatures == [(numba.int64,)]


MODULE = """
from deid_core.core.jit import jit

@jit("i8(i8)")
def twice(number):
    return 2 * number
"""


def imported(file: Path) -> Any:
    """The function of the module, imported as by a new process."""
    spec = importlib.util.spec_from_file_location("module_of_the_test", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.twice(21) == 42
    return module.twice


@pytest.fixture
def module(tmp_path: Path) -> Path:
    file = tmp_path / "module" / "twice.py"
    file.parent.mkdir()
    file.write_text(MODULE)
    return file


def refuse(*args: object, **named: object) -> None:
    raise PermissionError("read-only")


def test_machine_code_beside_the_module_serves_an_account_that_keeps_its_own_elsewhere(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert imported(module).stats.cache_misses and list(module.parent.glob("__pycache__/*.nbc"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "own"))
    assert imported(module).stats.cache_hits
    assert not list((tmp_path / "own").rglob("*.nbc"))


@pytest.mark.parametrize("kept", [True, False])
def test_without_a_folder_to_write_what_is_kept_is_read_and_else_it_is_compiled(
    module: Path, monkeypatch: pytest.MonkeyPatch, *, kept: bool
) -> None:
    if kept:
        imported(module)
    monkeypatch.setattr(caching.tempfile, "TemporaryFile", refuse)
    monkeypatch.setattr(caching.IndexDataCacheFile, "save", refuse)
    assert bool(imported(module).stats.cache_hits) is kept


def test_code_that_was_kept_for_another_text_of_the_module_is_not_used(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(module)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "own"))
    module.write_text(f"{MODULE}\nOTHER = 1\n")
    assert imported(module).stats.cache_misses and list((tmp_path / "own").rglob("*.nbc"))


def test_what_is_compiled_is_told_once(module: Path, caplog: pytest.LogCaptureFixture) -> None:
    jit_module._log_compiling.cache_clear()
    with caplog.at_level(logging.INFO, "deid_core"):
        imported(module)
        module.with_name("other.py").write_text(MODULE)
        imported(module.with_name("other.py"))
    assert [record.getMessage()[:23] for record in caplog.records] == ["compiling machine code:"]
    caplog.clear()
    jit_module._log_compiling.cache_clear()
    with caplog.at_level(logging.INFO, "deid_core"):
        imported(module)
    assert not caplog.records
