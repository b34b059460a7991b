"""Fixtures that all tests share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# No test depends on time; continuous integration tries the same examples every time.
hypothesis.settings.register_profile("deid", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("deid")

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout's top level."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The shared data folder beside the checkout; skips by name where there is none."""
    path = REPOSITORY.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("needs ../shared/data")
    return path


@pytest.fixture(scope="session")
def soffice() -> str:
    """LibreOffice's program; skips by name where there is none."""
    path = shutil.which("soffice")
    if path is None:
        pytest.skip("needs LibreOffice")
    return path


@pytest.fixture
def out_of_memory(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str, int], None]:
    """Has one call of a module's function, counted from 1 and from now on, run out of memory; all others work."""

    def fail(module: Any, name: str, call: int) -> None:
        real, calls = getattr(module, name), 0

        def counted(*arguments: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == call:
                raise MemoryError
            return real(*arguments, **options)

        monkeypatch.setattr(module, name, counted)

    return fail
