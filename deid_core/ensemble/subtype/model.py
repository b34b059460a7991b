"""The weights of the finer types, as a file of a model folder.

types.npz   symbols (words and marks, one a line), rows (slot and symbol of each row of weights), weights and
            weights of the second weighing, in multiples of 2^-10, and the slots' and types' names
card.md     how it was made, and what speaks most for each type; for readers, not loaded
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.errors import ConfigurationError
from deid_core.core.resources import model_folder
from deid_core.crf.features.word_knowledge import DAMAGED

MODEL_FILE = "types.npz"
CARD_FILE = "card.md"
GRID = 1024
"""Weights are multiples of one by this."""
_ARRAYS = ("again", "columns", "rows", "slots", "symbols", "weights")
_Array = npt.NDArray[Any]


@dataclass(frozen=True)
class SubtypeModel:
    """A model's file; `name` is what errors call it."""

    name: str
    data: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of the file, hexadecimal."""
        return sha256(self.data).hexdigest()

    def check(self, slots: Sequence[str], types: Sequence[str], inputs: int) -> None:
        """Raises ConfigurationError if the file is damaged, or was made for other slots, types or inputs."""
        if self._texts("slots") != list(slots) or self._texts("columns") != list(types):
            raise self._error("was made for other facts or types")
        rows, *weights = (self._arrays[name] for name in ("rows", "weights", "again"))
        shapes, count = [array.shape for array in (rows, *weights)], rows.shape[:1]
        if shapes != [(*count, 2), (*count, len(types)), (inputs, len(types))]:
            raise self._error("is damaged: its arrays do not fit")
        if any(array.dtype != np.int32 for array in (rows, *weights)):
            raise self._error("is damaged: its weights are no whole numbers")
        symbols = len(self._symbols)
        if symbols != len(self._texts("symbols")) or not ((rows >= 0) & (rows < [len(slots), symbols + 1])).all():
            raise self._error("is damaged: it has weights of no fact, or a fact twice")

    def number_of(self, symbol: str) -> int:
        """The symbol's number, 0 if no weight has it."""
        return self._symbols.get(symbol, 0)

    @cached_property
    def table(self) -> _Array:
        """The row of `weights` for each slot and symbol, int32 (slots, symbols + 1); 0 where there is none."""
        table = np.zeros((len(self._texts("slots")), len(self._symbols) + 1), np.int32)
        rows = self._arrays["rows"]
        table[rows[:, 0], rows[:, 1]] = np.arange(1, len(rows) + 1)
        return table

    @cached_property
    def weights(self) -> _Array:
        """float64 (rows + 1, types); the first row, of all other facts, is 0."""
        weights = self._arrays["weights"]
        return np.concatenate([np.zeros((1, weights.shape[1])), weights / GRID])

    @cached_property
    def again(self) -> _Array:
        """The weights of the second weighing, float64 (inputs of repeats.py, types)."""
        return np.ascontiguousarray(self._arrays["again"] / GRID)

    @cached_property
    def _symbols(self) -> dict[str, int]:
        return {symbol: number for number, symbol in enumerate(self._texts("symbols"), 1)}

    @cached_property
    def _arrays(self) -> dict[str, _Array]:
        try:
            with np.load(io.BytesIO(self.data), allow_pickle=False) as archive:
                return {name: archive[name] for name in _ARRAYS}
        except DAMAGED:
            raise self._error("is damaged") from None

    def _texts(self, name: str) -> list[str]:
        try:
            texts = bytes(self._arrays[name]).decode().split("\n")
        except ValueError:
            raise self._error("is damaged: its texts are none") from None
        return [text.replace("\\n", "\n") for text in texts]

    def _error(self, problem: str) -> ConfigurationError:
        return ConfigurationError(f"{self.name}/{MODEL_FILE}: {problem}; run `deid train types` or restore the file")

    @staticmethod
    def of(
        name: str,
        slots: Sequence[str],
        types: Sequence[str],
        symbols: Sequence[str],
        rows: _Array,
        weights: _Array,
        again: _Array,
    ) -> SubtypeModel:
        """A model from what training made; rows: (rows, 2), slot and number of the symbol, counted from 1."""
        arrays = {
            **{key: _bytes(texts) for key, texts in (("slots", slots), ("columns", types), ("symbols", symbols))},
            "rows": rows.astype(np.int32),
            "weights": np.round(weights * GRID).astype(np.int32),
            "again": np.round(again * GRID).astype(np.int32),
        }
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for key in _ARRAYS:
                # ZipInfo's date is fixed: the same weights give the same bytes.
                entry = zipfile.ZipInfo(f"{key}.npy")
                entry.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(entry, "w") as file:
                    np.lib.format.write_array(file, arrays[key], allow_pickle=False)
        return SubtypeModel(name, buffer.getvalue())

    def save(self, folder: Path, card: str) -> None:
        """Writes the model and its card into a folder, which is made if need be."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in ((MODEL_FILE, self.data), (CARD_FILE, card.encode())):
            fresh = folder / f"{name}.new"
            fresh.write_bytes(data)
            fresh.replace(folder / name)


def load_subtype_model(name: str) -> SubtypeModel:
    """The model of that name in the package, or in the folder of that path if there is a slash in it.

    Raises ConfigurationError, naming the models that exist if this one does not.
    """
    try:
        return SubtypeModel(name, (model_folder(name, MODEL_FILE) / MODEL_FILE).read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{error.filename}: cannot be read: {error.strerror}") from None


def _bytes(texts: Sequence[str]) -> _Array:
    return np.frombuffer("\n".join(text.replace("\n", "\\n") for text in texts).encode(), np.uint8)
