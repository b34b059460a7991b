"""The weights of the subtype classifier, as files of a model folder.

types.npz   symbols (feature values, one a line), rows (slot and symbol of each row of weights), weights, and the
            weights of the second classifier ("again"), in multiples of 2^-10; names of the slots and types ("columns")
card.md     how the model was trained, and the strongest features of each type; for readers, not loaded
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.data_folders import model_folder
from deid_core.core.errors import ConfigurationError
from deid_core.crf.features.word_knowledge import DAMAGED
from deid_core.crf.model_folder import CARD_FILE, replace_model_folder

MODEL_FILE = "types.npz"
GRID = 1024
"""Weights are multiples of 1 / GRID."""
_ARRAYS = ("again", "columns", "rows", "slots", "symbols", "weights")
_Array = npt.NDArray[Any]


@dataclass(frozen=True)
class SubtypeModel:
    """The file of a model. name: what errors call it."""

    name: str
    data: bytes

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the file, hexadecimal."""
        return sha256(self.data).hexdigest()

    def check(self, slots: Sequence[str], types: Sequence[str], inputs: int) -> None:
        """Raise ConfigurationError if the file is damaged, or was made for other slots, types or inputs."""
        if self._texts("slots") != list(slots) or self._texts("columns") != list(types):
            raise self._error("was made for other features or types")
        rows, *weights = (self._arrays[name] for name in ("rows", "weights", "again"))
        shapes, count = [array.shape for array in (rows, *weights)], rows.shape[:1]
        if shapes != [(*count, 2), (*count, len(types)), (inputs, len(types))]:
            raise self._error("is damaged: its arrays do not fit")
        if any(array.dtype != np.int32 for array in (rows, *weights)):
            raise self._error("is damaged: its weights are not whole numbers")
        symbols = len(self._symbols)
        if symbols != len(self._texts("symbols")) or not ((rows >= 0) & (rows < [len(slots), symbols + 1])).all():
            raise self._error("is damaged: it has weights of no feature, or a feature twice")

    def number_of(self, symbol: str) -> int:
        """Return the number of the symbol, 0 if it has no weight."""
        return self._symbols.get(symbol, 0)

    @cached_property
    def table(self) -> _Array:
        """Return the row of `weights` for each slot and symbol, int32 (slots, symbols + 1); 0 where there is none."""
        table = np.zeros((len(self._texts("slots")), len(self._symbols) + 1), np.int32)
        rows = self._arrays["rows"]
        table[rows[:, 0], rows[:, 1]] = np.arange(1, len(rows) + 1)
        return table

    @cached_property
    def weights(self) -> _Array:
        """Return the weights, float64 (rows + 1, types); the first row, for all other features, is 0."""
        weights = self._arrays["weights"]
        return np.concatenate([np.zeros((1, weights.shape[1])), weights / GRID])

    @cached_property
    def second_weights(self) -> _Array:
        """Return the weights of the second classifier, float64 (inputs of repeat_features.py, types)."""
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
            raise self._error("is damaged: its texts are not UTF-8") from None
        return [text.replace("\\n", "\n") for text in texts]

    def _error(self, problem: str) -> ConfigurationError:
        return ConfigurationError(f"{self.name}/{MODEL_FILE}: {problem}; run `deid train subtypes` or restore the file")

    @staticmethod
    def from_arrays(
        name: str,
        slots: Sequence[str],
        types: Sequence[str],
        symbols: Sequence[str],
        rows: _Array,
        weights: _Array,
        again: _Array,
    ) -> SubtypeModel:
        """Return a model of trained weights; rows: int (rows, 2), slot and number of the symbol, counted from 1."""
        texts = {"slots": _joined(slots), "columns": _joined(types), "symbols": _joined(symbols)}
        first, second = (np.round(array * GRID).astype(np.int32) for array in (weights, again))
        return SubtypeModel(name, _npz({**texts, "rows": rows.astype(np.int32), "weights": first, "again": second}))

    @property
    def numbered_symbols(self) -> Mapping[str, int]:
        """The symbols that have a weight, with their numbers from 1, in this order."""
        return self._symbols

    def with_weights(self, symbols: Sequence[str], new: Sequence[tuple[int, int]], weights: _Array) -> SubtypeModel:
        """Return the model with other weights of the first classifier, and rows for new features.

        symbols: the model's, and after them those of new features. new: slot and number of the symbol of each new row.
        weights: float64 (rows with the new ones, types).
        """
        known = len(self._symbols)
        added = sorted({symbol for _, symbol in new if symbol > known})
        numbers = {symbol: number for number, symbol in enumerate(added, known + 1)}
        rows = np.array([(slot, numbers.get(symbol, symbol)) for slot, symbol in new], np.int32).reshape(-1, 2)
        return SubtypeModel.from_arrays(
            self.name,
            self._texts("slots"),
            self._texts("columns"),
            [*symbols[:known], *(symbols[symbol - 1] for symbol in added)],
            np.concatenate([self._arrays["rows"], rows]),
            weights,
            self.second_weights,
        )

    def save(self, folder: Path, card: str) -> None:
        """Replace a folder by the model and its card; see `replace_model_folder`."""
        replace_model_folder(folder, {MODEL_FILE: self.data, CARD_FILE: card.encode()})


def load_subtype_model(name: str) -> SubtypeModel:
    """Return the model of that name in the package, or in the folder of that path if it contains a slash.

    Raises ConfigurationError, with the names of the models that exist, if there is no such model.
    """
    try:
        return SubtypeModel(name, (model_folder(name, MODEL_FILE) / MODEL_FILE).read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{error.filename}: cannot be read: {error.strerror}") from None


def _joined(texts: Sequence[str]) -> _Array:
    return np.frombuffer("\n".join(text.replace("\n", "\\n") for text in texts).encode(), np.uint8)


def _npz(arrays: dict[str, Any]) -> bytes:
    """Return the arrays as the bytes of an .npz file, in a fixed order and without a date."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{key: arrays[key] for key in _ARRAYS})
    return buffer.getvalue()
