"""Distributional classes: Brown clusters of word forms, as a table of hashes.

A cluster is a path in a binary tree, written as an integer whose lowest bit is the root's (spaCy's convention): the
low 4 bits say the coarse class, all bits the fine one. Words that stand in the same contexts share a path, so that
"Xaver" is seen near "Thomas" though no training sentence has it. The words themselves are not kept, only 32 bits of
a hash: a word that is not in the table is taken for one that is in 1 of 10,000 cases.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
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
        """The table of these words; of two words with one hash the first in code point order stays."""
        distinct = sorted(set(paths.values()))
        number = {path: place for place, path in enumerate(distinct)}
        rows: dict[int, int] = {}
        for word in sorted(paths):
            rows.setdefault(_hash(word), number[paths[word]])
        hashes = np.array(sorted(rows), np.uint32)
        numbers = np.array([rows[value] for value in hashes.tolist()], np.uint16)
        return Clusters(hashes, numbers, np.array(distinct, np.int32))

    def path(self, word: str) -> int:
        """The word's path as it is written, else as it is written within a line if it is in capitals, else UNKNOWN."""
        found = self._look_up(word)
        if found == UNKNOWN and len(word) > 1 and word.isupper():
            found = self._look_up(word.title())
        return found

    def _look_up(self, word: str) -> int:
        value = _hash(word)
        at = int(self.hashes.searchsorted(np.uint32(value)))
        if at < len(self.hashes) and int(self.hashes[at]) == value:
            return int(self.paths[self.numbers[at]])
        return UNKNOWN

    def to_bytes(self) -> bytes:
        """The table as .npz; `from_bytes` reads it. A word takes under 3 bytes: steps between hashes, byte by byte."""
        buffer = io.BytesIO()
        steps = np.diff(self.hashes, prepend=np.uint32(0))
        np.savez_compressed(buffer, steps=_planes(steps), numbers=_planes(self.numbers), paths=self.paths)
        return buffer.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> Clusters:
        """The table of `to_bytes`. Raises one of lexicon.DAMAGED if the data are no such table."""
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
    """The lowest bytes of all values, then the next ones, …: what deflate packs well. Shape (bytes, values)."""
    size = values.dtype.itemsize
    return np.ascontiguousarray(values.astype(f"<u{size}").view(np.uint8).reshape(-1, size).T)


def _whole(planes: npt.NDArray[np.uint8], dtype: str) -> npt.NDArray[Any]:
    return np.ascontiguousarray(planes.T).reshape(-1).view(dtype).astype(np.dtype(dtype).newbyteorder("="))
