"""The weights of a linear-chain CRF, and their file format: an .npz of plain arrays.

    labels, attributes           uint8, UTF-8 strings separated by NUL
    state_attributes             int32 (state features,)
    state_labels                 int8 (state features,)
    state_weights, transitions   int32 (state features,) and (labels, labels), in multiples of 2^-20

The same weights give the same bytes. crfsuite_file.py reads CRFsuite's own format.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.errors import ConfigurationError
from deid_core.crf.features.word_knowledge import DAMAGED

GRID_BITS = 20
"""Rounded weights are multiples of 2^-20: fine enough to change no decision that matters, and coarse enough that sums
below 2^33 are exact in float64, so that the order of addition does not matter (5 million tokens stay below it)."""
MAX_LABELS = 127
_ARRAYS = ("labels", "attributes", "state_attributes", "state_labels", "state_weights", "transitions")


@dataclass(frozen=True, slots=True, eq=False)
class CrfWeights:
    """The weights of a first-order linear-chain CRF, as CRFsuite names them.

    labels, attributes: by number. state_attributes, state_labels: int32 (state features,), attribute and label of each.
    state_weights: float64 (state features,). transitions: float64 (labels, labels), from row to column.
    """

    labels: tuple[str, ...]
    attributes: tuple[str, ...]
    state_attributes: npt.NDArray[np.int32]
    state_labels: npt.NDArray[np.int32]
    state_weights: npt.NDArray[np.float64]
    transitions: npt.NDArray[np.float64]

    def pruned(self) -> CrfWeights:
        """Return the model without features of weight 0 and attributes that then have none; its attributes ascend.

        A model whose attributes ascend is compiled faster.
        """
        used = np.flatnonzero(self.state_weights)
        kept = np.unique(self.state_attributes[used]).tolist()
        kept.sort(key=self.attributes.__getitem__)
        numbers = np.zeros(len(self.attributes), np.int32)
        numbers[kept] = np.arange(len(kept), dtype=np.int32)
        used = used[np.lexsort((self.state_labels[used], numbers[self.state_attributes[used]]))]
        return replace(
            self,
            attributes=tuple(self.attributes[number] for number in kept),
            state_attributes=numbers[self.state_attributes[used]],
            state_labels=self.state_labels[used],
            state_weights=self.state_weights[used],
        )

    def only(self, names: Iterable[str]) -> CrfWeights:
        """Return the model with the attributes of these names alone."""
        kept = frozenset(names)
        is_kept = np.array([attribute in kept for attribute in self.attributes], bool)
        used = is_kept[self.state_attributes]
        return replace(
            self,
            attributes=tuple(attribute for attribute in self.attributes if attribute in kept),
            state_attributes=(np.cumsum(is_kept) - 1)[self.state_attributes[used]].astype(np.int32),
            state_labels=self.state_labels[used],
            state_weights=self.state_weights[used],
        )

    def with_others_of(self, other: CrfWeights, known: Iterable[str]) -> CrfWeights:
        """Return the model with the attributes of another, of the same labels, that are not among `known`."""
        names = frozenset(known)
        kept = np.array([attribute not in names for attribute in other.attributes], bool)
        numbers = len(self.attributes) + np.cumsum(kept) - 1
        used = kept[other.state_attributes]
        return replace(
            self,
            attributes=(*self.attributes, *(other.attributes[number] for number in np.flatnonzero(kept).tolist())),
            state_attributes=np.append(self.state_attributes, numbers[other.state_attributes[used]].astype(np.int32)),
            state_labels=np.append(self.state_labels, other.state_labels[used]),
            state_weights=np.append(self.state_weights, other.state_weights[used]),
        )

    def rounded(self) -> CrfWeights:
        """Return the model with weights that are multiples of 2^-GRID_BITS."""
        return replace(
            self,
            state_weights=rounded(self.state_weights),
            transitions=rounded(self.transitions),
        )

    @property
    def on_grid(self) -> bool:
        """Whether all weights are multiples of 2^-GRID_BITS: scores are then exact whatever the order of addition."""
        return bool(
            np.array_equal(rounded(self.state_weights), self.state_weights)
            and np.array_equal(rounded(self.transitions), self.transitions)
        )

    def to_npz(self) -> bytes:
        """Return the weights as the bytes of an .npz file; raises ValueError if they are not on the grid."""
        if not self.on_grid:
            raise ValueError("the weights are not multiples of the grid's unit; round them first")
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            labels=_joined(self.labels),
            attributes=_joined(self.attributes),
            state_attributes=self.state_attributes.astype(np.int32),
            state_labels=self.state_labels.astype(np.int8),
            state_weights=np.ldexp(self.state_weights, GRID_BITS).astype(np.int32),
            transitions=np.ldexp(self.transitions, GRID_BITS).astype(np.int32),
        )
        return buffer.getvalue()

    @staticmethod
    def from_npz(data: bytes, name: str = "model") -> CrfWeights:
        """Return the weights of `to_npz`.

        name: what errors call the file. Raises ConfigurationError if the file is damaged or contradicts itself.
        """
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                arrays = {key: archive[key] for key in _ARRAYS}
            labels, attributes = (_split(arrays[key]) for key in ("labels", "attributes"))
            _check_arrays(arrays, len(labels), len(attributes))
            if not 0 < len(set(labels)) == len(labels) <= MAX_LABELS or len(set(attributes)) < len(attributes):
                raise ValueError("a label or attribute is there twice")
        except DAMAGED:
            raise ConfigurationError(f"{name}: is damaged; train the model again or restore its file") from None
        return CrfWeights(
            labels,
            attributes,
            arrays["state_attributes"],
            arrays["state_labels"].astype(np.int32),
            np.ldexp(arrays["state_weights"].astype(np.float64), -GRID_BITS),
            np.ldexp(arrays["transitions"].astype(np.float64), -GRID_BITS),
        )


def rounded(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the weights rounded to multiples of 2^-GRID_BITS."""
    # `+ 0.0` turns -0.0 into 0.0.
    return np.ldexp(np.rint(np.ldexp(weights, GRID_BITS)), -GRID_BITS) + 0.0


def _check_arrays(arrays: dict[str, npt.NDArray[Any]], labels: int, attributes: int) -> None:
    """Raise ValueError if the arrays do not fit together."""
    features = arrays["state_weights"].shape
    expected = {"state_attributes": np.int32, "state_labels": np.int8, "state_weights": np.int32}
    if any(arrays[key].dtype != dtype or arrays[key].shape != features for key, dtype in expected.items()):
        raise ValueError("the state features have different lengths or other types")
    if arrays["transitions"].dtype != np.int32 or arrays["transitions"].shape != (labels, labels):
        raise ValueError("the transitions are not of these labels")
    for key, count in (("state_attributes", attributes), ("state_labels", labels)):
        if not ((arrays[key] >= 0) & (arrays[key] < count)).all():
            raise ValueError("a weight is of no attribute or label")


def _joined(strings: Iterable[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\0".join(strings).encode(), np.uint8)


def _split(joined: npt.NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(joined.tobytes().decode().split("\0")) if len(joined) else ()
