"""Chance, repeatable: everything random about a note comes from one generator that its seed, split and number start."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A random number generator with what the generator of notes needs.

    It is started from a text, never from hash(): the same text gives the same draws in every process and on every
    machine. `random.Random` hashes a text with SHA-512.
    """

    __slots__ = ("random",)

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """True with this probability, 0 to 1."""
        return self.random() < probability

    def number(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, each as likely."""
        return items[int(self.random() * len(items))]

    def shuffled(self, items: Sequence[T]) -> Iterator[T]:
        """The items in random order, each once; shuffles only as far as it is read."""
        rest = list(items)
        for last in range(len(rest) - 1, -1, -1):
            chosen = int(self.random() * (last + 1))
            item = rest[chosen]
            rest[chosen] = rest[last]
            yield item

    def digits(self, count: int) -> str:
        """So many decimal digits, the first not 0."""
        return str(self.number(10 ** (count - 1), 10**count - 1))
