"""The fuzzer that each target gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzzing import Fuzzer, fuzzer_from_environment


@pytest.fixture
def fuzzer(repository: Path, request: pytest.FixtureRequest) -> Fuzzer:
    """A fuzzer whose current input lies in out/fuzz, in a file named like the test."""
    return fuzzer_from_environment(repository / "out" / "fuzz" / request.node.name)
