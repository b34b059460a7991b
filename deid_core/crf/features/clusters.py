"""Distributional classes: Brown clusters of word forms, as a table of hashes.

A cluster is a path in a binary tree, written as an integer whose lowest bit is the root's (spaCy's convention): the
low 4 bits say the coarse class, all bits the fine one. Words that stand in the same contexts share a path, so that
"Xaver" is seen near "Thomas" though no training sentence has it. The words themselves are not kept, only 32 bits of
a hash: a word that is not in the table is taken for one that is in 1 of 10,000 cases.
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
        place = int(self.places((word,))[0])
        return int(self.paths[place]) if place < len(self.paths) else UNKNOWN

    def places(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        """Where in `paths` each word's path is, behind the last one if it has none; shape (words,)."""
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
