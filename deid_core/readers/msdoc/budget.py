"""How much work and time a file may take: offsets that all name the same bytes must not cost hours."""

from __future__ import annotations

from collections.abc import Callable

from deid_core.readers.msdoc.refused import DocRefused

_BYTES = 10_000_000
"""Thousands of times what a letter needs; read within seconds."""


class Budget:
    """Bytes that may be read through offsets that could repeat; one for each file.

    check_time: raises NoteError TIMEOUT after the file's deadline.
    """

    def __init__(self, check_time: Callable[[], None]) -> None:
        self._left = _BYTES
        self.check_time = check_time

    def spend(self, size: int) -> None:
        """Count bytes. Raises DocRefused when the file has asked for too much, and what `check_time` raises."""
        self.check_time()
        self._left -= size
        if self._left < 0:
            raise DocRefused("file: more work than its text can be worth")
