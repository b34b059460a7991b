"""The fuzzer itself: what fails, and how it comes back."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from fuzzing import MAX_GROWTH_BYTES, MAX_INPUT_S, Fuzzer


def two_letters(draw: random.Random) -> bytes:
    return bytes(draw.choices(b"ab", k=2))


@pytest.fixture
def current(tmp_path: Path) -> Path:
    return tmp_path / "current"


def test_without_time_one_input_is_tried_and_nothing_is_left(current: Path) -> None:
    tried: list[bytes] = []
    assert Fuzzer(0, 1, 0, current).run(two_letters, tried.append) == 1
    assert len(tried) == 1
    assert not current.exists()


def test_an_error_names_the_input_that_comes_back_with_its_number(current: Path) -> None:
    def refuse(content: bytes) -> None:
        if content == b"ab":
            raise KeyError

    with pytest.raises(AssertionError, match=r"again with FUZZ_SEED=1 FUZZ_FIRST=\d+") as caught:
        Fuzzer(60, 1, 0, current).run(two_letters, refuse)
    assert current.read_bytes() == b"ab"
    number = int(str(caught.value).rsplit("=", 1)[1])
    with pytest.raises(AssertionError, match=f"input {number} "):
        Fuzzer(0, 1, number, current).run(two_letters, refuse)


@pytest.mark.parametrize(
    ("what", "clock", "peak"),
    [
        ("it took 10.5 s", count(0, MAX_INPUT_S + 0.5).__next__, lambda: 0),
        ("memory grew", lambda: 0.0, count(0, MAX_GROWTH_BYTES // 30).__next__),
        ("memory grew", lambda: 0.0, lambda: MAX_GROWTH_BYTES + 1),
    ],
)
def test_a_slow_input_and_a_growing_memory_fail(
    current: Path, what: str, clock: Callable[[], float], peak: Callable[[], int]
) -> None:
    with pytest.raises(AssertionError, match=what):
        Fuzzer(60, 1, 0, current, clock, lambda: 0, peak).run(two_letters, lambda content: None)
