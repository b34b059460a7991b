"""Compiling works where numba finds no folder to keep machine code in."""

from __future__ import annotations

from typing import Any

import numba
import pytest

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
