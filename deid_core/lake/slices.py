"""Cuts a sequence into slices of bounded length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def slices(items: Sequence[Item], length: int) -> Iterator[Sequence[Item]]:
    """Slices of at most `length` items, in order; none for an empty sequence."""
    for start in range(0, len(items), length):
        yield items[start : start + length]
