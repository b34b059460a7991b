"""How much work a file may ask for beyond its size: offsets that all name the same bytes must not cost hours."""

from __future__ import annotations

from deid_core.readers.msdoc.refused import DocRefused

_BYTES = 10_000_000
"""Thousands of times what a letter needs; read within seconds."""


class Budget:
    """Bytes that may be looked at through offsets which could repeat; one for each file."""

    def __init__(self) -> None:
        self._left = _BYTES

    def spend(self, size: int) -> None:
        """Raises DocRefused when the file has asked for too much."""
        self._left -= size
        if self._left < 0:
            raise DocRefused("file: more work than its text can be worth")
