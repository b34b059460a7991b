"""Convolutional layers beside a CRF's weights: they score labels by what a word and its neighbours mean together.

A CRF adds up weights of single words and pairs. Here each position of a sequence is a vector: the sum of the vectors of
its word's feature values, beside the same of its detections. Each of both sums is scaled to a root mean square of 1
(Zhang and Sennrich 2019, Root Mean Square Layer Normalization), so a word with many values weighs no more than others.
Two convolutions over neighbours, the second one dilated (Collobert et al. 2011, Natural Language Processing (Almost)
from Scratch; Strubell et al. 2017, Fast and Accurate Entity Recognition with Iterated Dilated Convolutions), and a
linear layer give the emissions:

    first[t]  = relu(bias + sum over o in -2..2 of vector[t + o] · weights[o])
    second[t] = first[t] + relu(bias + sum over o in -3, 0, 3 of first[t + o] · weights[o])
    scores[t] = bias + (second[t], vector[t]) · weights

So a score depends on five words to either side. What a vector adds to the sums that are linear in it, those of the
first convolution and of the scores, is computed once for each distinct vector. Vectors are small integers, and all sums
have one order, so a note has the same scores on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.array_cache import Arrays
from deid_core.core.jit import jit
from deid_core.crf.compiled_crf import pack_values, value_tables
from deid_core.crf.convolution_weights import (
    DILATION,
    FIRST_WIDTH,
    LAYERS,
    SECOND_WIDTH,
    STEP,
    STREAMS,
    ConvolutionWeights,
)
from deid_core.crf.features.templates import Table, Templates
from deid_core.crf.inference import lanes_for
from deid_core.crf.word_type_rows import WordTypeRows
from deid_core.text.arrays import with_room
from deid_core.text.tokens import EDGE, LINE
from deid_core.text.vocabulary import Vocabulary

_REACH = FIRST_WIDTH // 2 + SECOND_WIDTH // 2 * DILATION
"""How far a score depends on positions to either side."""
_PIECE = 1024
"""Positions of which all layers are computed together: a long note needs no more memory than a short one."""
_AT_ONCE = 16
"""Positions that are computed together: their sums stay in the processor's nearest cache while weights pass by."""

_Array = npt.NDArray[Any]
_Convolve = Callable[[_Array, _Array, _Array], None]
_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class VectorTable:
    """The vectors of feature values. tables: from words to the numbers of their values, from 1; row 0 is of none."""

    tables: tuple[Table, ...]
    vectors: npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledConvolution:
    """The layers ready for use. words, detections: the vectors of their feature values."""

    words: VectorTable
    detections: VectorTable
    layers: Mapping[str, _Floats]
    share: float


def convolution_arrays(weights: ConvolutionWeights, templates: tuple[Templates, Templates]) -> Arrays:
    """Join the layers with the templates of words and detections; return the arrays `compiled_convolution` needs."""
    arrays: dict[str, _Array] = {**weights.layers, "share": np.array(weights.share)}
    for stream, values, vectors, all_templates in zip(STREAMS, weights.values, weights.vectors, templates, strict=True):
        families = all_templates.families
        known: dict[str, dict[str, int]] = {template.name: {} for template in families.single}
        for number, name in enumerate(values, 1):
            family, _, value = name.partition(":")
            if family in known:
                known[family][value] = number
        packed = pack_values(families, [*known.values()])
        arrays |= {f"{stream} {name}": array for name, array in packed.items()}
        arrays[f"{stream}_vectors"] = np.concatenate([np.zeros((1, vectors.shape[1]), np.int8), vectors])
    return arrays


def compiled_convolution(arrays: Arrays, templates: tuple[Templates, Templates]) -> CompiledConvolution:
    """Return the layers of `convolution_arrays`, of the same templates."""

    def table(stream: str, all_templates: Templates) -> VectorTable:
        start = f"{stream} "
        packed = {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
        return VectorTable(tuple(value_tables(packed, all_templates.families)), arrays[f"{stream}_vectors"])

    words, detections = map(table, STREAMS, templates)
    layers = {layer: arrays[layer] for layer in LAYERS}
    return CompiledConvolution(words, detections, layers, float(arrays["share"]))


class VectorProducts(WordTypeRows):
    """The products of each word type's vector with a matrix; words with the same vector share a row.

    matrix: float32 (size, columns). products: float32 (rows, columns), which may have spare capacity.
    """

    def __init__(self, table: VectorTable, matrix: _Floats, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self._table, self._matrix = table, matrix[None]
        self.products: _Floats = np.zeros((256, matrix.shape[1]), np.float32)
        self._append((EDGE, LINE))

    def _append(self, words: tuple[str, ...]) -> None:
        vectors = np.zeros((len(words), self._table.vectors.shape[1]), np.int16)
        for table in self._table.tables:
            _add_vectors(table(words), self._table.vectors, vectors)

        def add(added: slice, firsts: npt.NDArray[np.int64]) -> None:
            products = with_room(self.products, added.stop)
            # A call that failed may have left sums there.
            products[added] = 0
            _convolve(_scaled(vectors[firsts]), self._matrix, products[added])
            self.products = products

        self._share_rows(map(bytes, vectors), add)


class ConvolutionTagger:
    """Scores the labels of sequences whose words and detections are of these vocabularies."""

    def __init__(self, convolution: CompiledConvolution, words: Vocabulary, detections: Vocabulary) -> None:
        layers, share = convolution.layers, convolution.share
        hidden, labels = len(layers["first_bias"]), len(layers["output_bias"])
        padding = (0, lanes_for(labels) - labels)
        output = share * np.pad(layers["output"], ((0, 0), (0, 0), padding))
        self._of_second = output[:, :hidden].copy()
        self._output_bias = share * np.pad(layers["output_bias"], padding)
        # What a vector adds to the first sums of the five positions around it, and to the scores of its own.
        matrix = np.concatenate([*layers["first"], output[0, hidden:]], axis=1)
        size = convolution.words.vectors.shape[1]
        self._words = VectorProducts(convolution.words, matrix[:size], words)
        self._detections = VectorProducts(convolution.detections, matrix[size:], detections)
        self._layers, self._share = layers, share

    def mix(self, words: npt.NDArray[np.int32], detections: npt.NDArray[np.int32], emissions: _Array) -> None:
        """Mix the layers' scores into the emissions of a CRF, in place.

        words, detections: int32 (positions,), the types of one sequence. emissions: float64 (positions, lanes).
        """
        self._words.extend()
        self._detections.extend()
        emissions *= 1 - self._share
        for start in range(0, len(words), _PIECE):
            end = min(start + _PIECE, len(words))
            before, after = max(start - _REACH, 0), min(end + _REACH, len(words))
            scores = self._scores(words[before:after], detections[before:after])
            emissions[start:end] += scores[start - before : end - before]

    def _scores(self, words: npt.NDArray[np.int32], detections: npt.NDArray[np.int32]) -> _Floats:
        """Return the layers' share of the emissions, float32 (positions, lanes)."""
        first = np.tile(self._layers["first_bias"], (len(words), 1))
        scores = np.tile(self._output_bias, (len(words), 1))
        for types, of in ((words, self._words), (detections, self._detections)):
            _add_products(of.rows[types], of.products, first, scores)
        np.maximum(first, 0, out=first)
        second = np.tile(self._layers["second_bias"], (len(words), 1))
        _convolve(first, self._layers["second"], second, DILATION)
        np.maximum(second, 0, out=second)
        second += first
        _convolve(second, self._of_second, scores)
        return scores


def _scaled(vectors: npt.NDArray[np.int16]) -> _Floats:
    """Return the vectors with a root mean square of 1; those of nothing stay 0. The sum of the squares is exact."""
    squares = np.square(vectors, dtype=np.int64).sum(axis=1, keepdims=True)
    scaled: _Floats = (vectors / np.sqrt(np.maximum(squares, 1) / vectors.shape[1])).astype(np.float32)
    return scaled


def _convolve(vectors: _Floats, weights: _Floats, sums: _Floats, dilation: int = 1) -> None:
    convolve_for(*weights.shape, dilation)(vectors, weights, sums)


@jit("void(i4[:,::1], i1[:,::1], i2[:,::1])")
def _add_vectors(table: _Array, vectors: _Array, rows: _Array) -> None:
    """Add to each word's row the vectors of its values. table: int32 (words, any), numbers of values, 0 for none."""
    for word in range(len(table)):
        for number in table[word]:
            if number != 0:
                for at in range(vectors.shape[1]):
                    rows[word, at] += vectors[number, at]


@jit("void(i4[::1], f4[:,::1], f4[:,::1], f4[:,::1])")
def _add_products(rows: _Array, products: _Array, first: _Array, scores: _Array) -> None:
    """Add the products in the row of each position to the first sums around it and to its scores."""
    length, hidden = first.shape
    width = (products.shape[1] - scores.shape[1]) // hidden
    for position in range(length):
        row = rows[position]
        for o in range(width):
            t = position - o + width // 2
            if 0 <= t < length:
                for j in range(hidden):
                    first[t, j] += products[row, o * hidden + j]
        for j in range(scores.shape[1]):
            scores[position, j] += products[row, width * hidden + j]


@cache
def convolve_for(width: int, inputs: int, outputs: int, dilation: int) -> _Convolve:
    """Return the convolution of this shape: the compiler unrolls loops of known length. inputs: a multiple of STEP."""
    if inputs % STEP:
        raise ValueError(f"{inputs} inputs are no multiple of {STEP}")

    @jit("void(f4[:,::1], f4[:,:,::1], f4[:,::1])")
    def convolve(vectors: _Array, weights: _Array, sums: _Array) -> None:
        """Add to sums[t] the sum over o of vectors[t + dilation · (o - width // 2)] · weights[o].

        Beyond the ends of the sequence vectors are 0. The order of the sum does not depend on t or on the length.
        """
        length = len(vectors)
        for start in range(0, length, _AT_ONCE):
            end = min(start + _AT_ONCE, length)
            for o in range(width):
                shift = (o - width // 2) * dilation
                for i in range(0, inputs, 4):
                    for t in range(max(start, -shift), min(end, length - shift)):
                        a, b = vectors[t + shift, i], vectors[t + shift, i + 1]
                        c, d = vectors[t + shift, i + 2], vectors[t + shift, i + 3]
                        for j in range(outputs):
                            sums[t, j] = (
                                sums[t, j]
                                + a * weights[o, i, j]
                                + b * weights[o, i + 1, j]
                                + c * weights[o, i + 2, j]
                                + d * weights[o, i + 3, j]
                            )

    compiled: _Convolve = convolve
    return compiled
