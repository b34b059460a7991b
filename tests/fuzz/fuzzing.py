"""Gives a target one input after another until the time is over; an error, a slow input or a growing memory fails."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

MAX_INPUT_S = 10.0
MAX_GROWTH_BYTES = 500_000_000
_WARM_UP_INPUTS = 20
"""Memory is compared with that before the last of these: models and machine code are loaded then."""
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def _memory() -> int:
    """Return this process's memory, in bytes. What it was at most counts from now on."""
    _RESET.write_text("5")
    return _bytes("VmRSS")


def _peak() -> int:
    """Return what the memory was at most since then."""
    return _bytes("VmHWM")


def _bytes(name: str) -> int:
    [line] = [line for line in _STATUS.read_text().splitlines() if line.startswith(name)]
    return int(line.split()[1]) * 1024


@dataclass
class Fuzzer:
    """Runs one target.

    seconds: how long, of wall time; the input that is tried then is still finished.
    seed, first: input `n` depends on `seed` and `n` alone, so a failure comes back with both (FUZZ_SEED, FUZZ_FIRST).
    current: the file of the input that is being tried; left behind if it fails, hangs or kills the process.
    clock: counts seconds of CPU time, since a busy machine makes no input slow.
    memory, peak: bytes before an input, and the most during it.
    """

    seconds: float
    seed: int
    first: int
    current: Path
    clock: Callable[[], float] = time.process_time
    memory: Callable[[], int] = field(default=_memory)
    peak: Callable[[], int] = field(default=_peak)

    def run(self, make: Callable[[random.Random], bytes], target: Callable[[bytes], None]) -> int:
        """Return the number of inputs tried. Raises AssertionError for the first that fails, with how to repeat it."""
        end, number, start_memory = time.monotonic() + self.seconds, self.first, 0
        self.current.parent.mkdir(parents=True, exist_ok=True)
        while number == self.first or time.monotonic() < end:
            content = make(random.Random(f"{self.seed} {number}"))
            self.current.write_bytes(content)
            memory = self.memory()
            if number - self.first < _WARM_UP_INPUTS:
                start_memory = memory
            started = self.clock()
            try:
                target(content)
            except Exception as error:
                raise AssertionError(self._failed(number, content, "see the error above")) from error
            took = self.clock() - started
            assert took <= MAX_INPUT_S, self._failed(number, content, f"it took {took:.1f} s")
            growth = self.peak() - start_memory
            assert growth <= MAX_GROWTH_BYTES, self._failed(number, content, f"memory grew by {growth:,} bytes")
            number += 1
        self.current.unlink()
        return number - self.first

    def _failed(self, number: int, content: bytes, what: str) -> str:
        again = f"FUZZ_SEED={self.seed} FUZZ_FIRST={number}"
        return f"input {number} ({len(content)} bytes, in {self.current}): {what}; again with {again}"


def fuzzer_from_environment(current: Path) -> Fuzzer:
    """Return a fuzzer for FUZZ_SECONDS (60), with FUZZ_SEED (another each time) from input FUZZ_FIRST (0) on."""
    seed = os.environ.get("FUZZ_SEED") or random.SystemRandom().randrange(1_000_000)
    return Fuzzer(
        float(os.environ.get("FUZZ_SECONDS") or 60), int(seed), int(os.environ.get("FUZZ_FIRST") or 0), current
    )
