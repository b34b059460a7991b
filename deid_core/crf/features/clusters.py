"""Distributional classes: Brown clusters of word forms, as a table of hashes.

A cluster is a path in a binary tree, written as an integer whose lowest bit is the root's (spaCy's convention): the
low 4 bits give the coarse class, all bits the fine one. Words that occur in the same contexts share a path, so that
"Xaver" resembles "Thomas" although no training sentence contains it. The table holds 32-bit hashes instead of words: 1
in 10,000 unknown words is mistaken for a known one.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

UNKNOWN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """hashes: uint32, ascending, shape (words,). numbers: uint16, shape (words,). paths: int32, shape (clusters,)."""

    hashes: npt.NDArray[np.uint32]
    numbers: npt.NDArray[np.uint16]
    paths: npt.NDArray[np.int32]

    @staticmethod
    def of_words(paths: Mapping[str, int]) -> Clusters:
        """Return the table of these words; of two words with one hash the first in code point order counts."""
        distinct = sorted(set(paths.values()))
        number = {path: place for place, path in enumerate(distinct)}
        rows: dict[int, int] = {}
        for word in sorted(paths):
            rows.setdefault(_hash(word), number[paths[word]])
        hashes = np.array(sorted(rows), np.uint32)
        numbers = np.array([rows[value] for value in hashes.tolist()], np.uint16)
        return Clusters(hashes, numbers, np.array(distinct, np.int32))

    def path(self, word: str) -> int:
        """Return the path of the word as written, else of its capitalised form if it is in capitals, else UNKNOWN."""
        place = int(self.places((word,))[0])
        return int(self.paths[place]) if place < len(self.paths) else UNKNOWN

    def places(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the place of each word's path in `paths`, len(paths) if it has none; int64 (words,)."""
        found = self._look_up(words)
        capitals = [
            at for at in (found == len(self.paths)).nonzero()[0].tolist() if len(words[at]) > 1 and words[at].isupper()
        ]
        if capitals:
            found[capitals] = self._look_up([words[at].title() for at in capitals])
        return found

    def _look_up(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        unknown = len(self.paths)
        if not len(self.hashes):
            return np.full(len(words), unknown, np.int64)
        values = np.array([_hash(word) for word in words], np.uint32)
        at = np.minimum(self.hashes.searchsorted(values), len(self.hashes) - 1)
        return np.where(self.hashes[at] == values, self.numbers[at], np.int64(unknown))

    def to_bytes(self) -> bytes:
        """Return the table as .npz; `from_bytes` reads it. Differences of hashes take less than 3 bytes per word."""
        buffer = io.BytesIO()
        steps = np.diff(self.hashes, prepend=np.uint32(0))
        np.savez_compressed(buffer, steps=_planes(steps), numbers=_planes(self.numbers), paths=self.paths)
        return buffer.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> Clusters:
        """Return the table of `to_bytes`. Raises one of word_knowledge.DAMAGED if the data are no such table."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            hashes = np.cumsum(_whole(arrays["steps"], "<u4"), dtype=np.uint32)
            clusters = Clusters(hashes, _whole(arrays["numbers"], "<u2"), arrays["paths"])
        ascend = (clusters.hashes[1:] > clusters.hashes[:-1]).all()
        if (
            not ascend
            or len(clusters.hashes) != len(clusters.numbers)
            or (clusters.numbers >= len(clusters.paths)).any()
            or clusters.paths.dtype != np.int32
        ):
            raise ValueError("the cluster table does not fit together")
        return clusters


def _hash(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))


def _planes(values: npt.NDArray[np.unsignedinteger]) -> npt.NDArray[np.uint8]:
    """Return the lowest bytes of all values, then the next ones, …, which deflate packs well; (bytes, values)."""
    size = values.dtype.itemsize
    return np.ascontiguousarray(values.astype(f"<u{size}").view(np.uint8).reshape(-1, size).T)


def _whole(planes: npt.NDArray[np.uint8], dtype: str) -> npt.NDArray[Any]:
    return np.ascontiguousarray(planes.T).reshape(-1).view(dtype).astype(np.dtype(dtype).newbyteorder("="))
