"""The layers of a stacking model that convolution.py computes, as `deid train stacking` learns them, and their file.

    labels                       uint8, NUL-terminated UTF-8 strings
    word_values                  the same: feature values of words as "family:value"
    detection_values             the same of detections
    word_vectors                 int8 (values, size)
    detection_vectors            int8 (values, size)
    first, second, output        float32, weights (`ConvolutionWeights`), and first_bias, second_bias, output_bias
    share                        float64
    format                       int64, 2: the vectors are scaled (convolution.py); before, they were not

The same layers give the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.array_cache import strings_of, strings_to_array
from deid_core.core.errors import ConfigurationError
from deid_core.crf.features.word_knowledge import DAMAGED

FIRST_WIDTH, SECOND_WIDTH, DILATION = 5, 3, 3
_FORMAT = 2
LAYERS = ("first", "first_bias", "second", "second_bias", "output", "output_bias")
STREAMS = ("word", "detection")
STEP = 4
"""Sizes are multiples of this: the inner loop takes so many numbers of a vector at once."""

_Array = npt.NDArray[Any]
_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class ConvolutionWeights:
    """Vectors of feature values, and weights of the layers.

    values: for words and for detections, feature values as "family:value", ascending. vectors: of each value, int8
    (values, size). first: float32 (5, both sizes, hidden); second: (3, hidden, hidden); output: (1, hidden + both
    sizes, labels). share: how much of the emissions is the layers'; the rest is the CRF's.
    """

    labels: tuple[str, ...]
    values: tuple[tuple[str, ...], tuple[str, ...]]
    vectors: tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]
    layers: Mapping[str, _Floats]
    share: float

    def to_npz(self) -> bytes:
        """Return the bytes of the file."""
        buffer = io.BytesIO()
        arrays: dict[str, Any] = {"format": np.array(_FORMAT), "labels": strings_to_array(self.labels)}
        arrays |= {"share": np.array(self.share), **self.layers}
        for stream, values, vectors in zip(STREAMS, self.values, self.vectors, strict=True):
            arrays |= {f"{stream}_values": strings_to_array(values), f"{stream}_vectors": vectors}
        np.savez_compressed(buffer, **arrays)
        return buffer.getvalue()

    @staticmethod
    def from_npz(data: bytes, name: str) -> ConvolutionWeights:
        """Return the weights of `to_npz`.

        name: what errors call the file. Raises ConfigurationError if the file is damaged or contradicts itself.
        """
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                arrays = {key: archive[key] for key in archive.files}
            if arrays.get("format", 1) != _FORMAT:
                raise ConfigurationError(f"{name}: layers of another version; train the model, or adapt, again")
            labels = tuple(strings_of(arrays["labels"]))
            values = tuple(tuple(strings_of(arrays[f"{stream}_values"])) for stream in STREAMS)
            vectors = tuple(arrays[f"{stream}_vectors"] for stream in STREAMS)
            layers = {layer: arrays[layer] for layer in LAYERS}
            _check(len(labels), values, vectors, layers)
            share = float(arrays["share"])
            if not 0 < share < 1:
                raise ValueError("the share is not between 0 and 1")
        except DAMAGED:
            raise ConfigurationError(f"{name}: is damaged; train the model again or restore its file") from None
        return ConvolutionWeights(labels, (values[0], values[1]), (vectors[0], vectors[1]), layers, share)


def _check(
    labels: int,
    values: tuple[tuple[str, ...], ...],
    vectors: tuple[_Array, ...],
    layers: Mapping[str, _Array],
) -> None:
    """Raise ValueError if the arrays do not fit together."""
    if any(of.ndim != 2 for of in vectors) or any(of.ndim == 0 for of in layers.values()):
        raise ValueError("an array lacks a dimension")
    sizes = [of.shape[1] for of in vectors]
    hidden, size = len(layers["first_bias"]), sum(sizes)
    if any(of % STEP for of in (hidden, *sizes)):
        raise ValueError(f"sizes are no multiples of {STEP}")
    shapes = {
        "first": (FIRST_WIDTH, size, hidden),
        "first_bias": (hidden,),
        "second": (SECOND_WIDTH, hidden, hidden),
        "second_bias": (hidden,),
        "output": (1, hidden + size, labels),
        "output_bias": (labels,),
    }
    if any(layers[layer].shape != shape or layers[layer].dtype != np.float32 for layer, shape in shapes.items()):
        raise ValueError("the layers do not fit together")
    if not all(np.isfinite(layer).all() for layer in layers.values()):
        raise ValueError("a weight is no number")
    if any(of.dtype != np.int8 or len(of) != len(names) for of, names in zip(vectors, values, strict=True)):
        raise ValueError("the vectors are not of these values")
