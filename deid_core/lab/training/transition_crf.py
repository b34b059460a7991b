"""A linear-chain CRF with features of two neighbouring labels, which CRFsuite cannot train: for experiments.

CRFsuite has one weight for each move from label to label; here a move has weights for features of its place as well, as
in Stanford NER (seed 000, Table 3: useTypeSeqs2, useTypeySequences). The objective is otherwise CRFsuite's: features
that never occur with a label get no weight, elastic net, OWL-QN.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from deid_core.lab.training.owlqn_trainer.owlqn import minimise

_Array = npt.NDArray[Any]
_LEAST = 2


def numbered_features(features: Iterable[Iterable[str]]) -> tuple[csr_matrix, dict[str, int]]:
    """Return a row for each token, with a one for each of its features, and the features' columns.

    A feature that occurs once has no column: it makes the model large and says little.
    """
    numbers: dict[str, int] = {}
    all_rows = _rows(([numbers.setdefault(feature, len(numbers)) for feature in found] for found in features), numbers)
    is_frequent = np.bincount(all_rows.indices, minlength=len(numbers)) >= _LEAST
    kept = np.flatnonzero(is_frequent)
    places = np.cumsum(is_frequent) - 1
    columns = {feature: int(places[number]) for feature, number in numbers.items() if is_frequent[number]}
    return all_rows[:, kept], columns


def feature_rows(features: Iterable[Iterable[str]], columns: Mapping[str, int]) -> csr_matrix:
    """Return the rows of other tokens; a feature without a column is left out."""
    return _rows(([columns[feature] for feature in found if feature in columns] for found in features), columns)


def _rows(of_tokens: Iterable[list[int]], columns: Sized) -> csr_matrix:
    found, ends = array("i"), [0]
    for numbers in of_tokens:
        found.extend(numbers)
        ends.append(len(found))
    indices = np.array(found, np.int32)
    return csr_matrix((np.ones(len(indices)), indices, np.array(ends, np.int64)), (len(ends) - 1, len(columns)))


@dataclass(frozen=True, slots=True, eq=False)
class ChainData:
    """Sequences of tokens, one after the other.

    nodes, edges: features of each token, and of the move to it from the one before, which the first one of a sequence
    has none of. lengths: of the sequences, none 0.
    """

    nodes: csr_matrix
    edges: csr_matrix
    lengths: Sequence[int]

    def grid(self) -> _Array:
        """Return the token at each step of each sequence, -1 after its end; int64 (steps, sequences)."""
        starts = np.cumsum([0, *self.lengths[:-1]])
        steps = np.arange(max(self.lengths))[:, None]
        return np.where(steps < np.array(self.lengths), starts + steps, -1)


@dataclass(frozen=True, slots=True, eq=False)
class TransitionCrf:
    """Weights: of nodes, float64 (features, labels), and of edges, (features, labels, labels)."""

    nodes: _Array
    edges: _Array

    def scores(self, data: ChainData) -> tuple[_Array, _Array]:
        """Return scores of each token's labels (tokens, labels), and of moves to it (tokens, labels, labels)."""
        labels = self.nodes.shape[1]
        moves = data.edges @ self.edges.reshape(-1, labels**2)
        return data.nodes @ self.nodes, moves.reshape(-1, labels, labels)

    def best(self, data: ChainData) -> _Array:
        """Return the most likely label of each token (Viterbi), int64 (tokens,)."""
        of_labels, of_moves = self.scores(data)
        found = np.zeros(len(of_labels), np.int64)
        start = 0
        for length in data.lengths:
            best, backs = of_labels[start], list[_Array]()
            for at in range(start + 1, start + length):
                through = best[:, None] + of_moves[at]
                backs.append(through.argmax(0))
                best = through.max(0) + of_labels[at]
            found[start + length - 1] = best.argmax()
            for at, back in zip(range(start + length - 1, start, -1), reversed(backs), strict=True):
                found[at - 1] = back[found[at]]
            start += length
        return found


def loss_and_marginals(model: TransitionCrf, data: ChainData) -> tuple[float, _Array, _Array]:
    """Return the sum of the logarithms of all paths' sums, and the probabilities of labels and of moves.

    All sequences take their steps together; after its end a sequence stays as it is.
    """
    of_labels, of_moves = model.scores(data)
    grid = data.grid()
    labels = of_labels.shape[1]
    joined = np.where((grid >= 0)[..., None, None], (of_moves + of_labels[:, None, :])[grid], 0.0)
    # The first token has no move to it: only its own scores count.
    joined[0] = of_labels[grid[0]][:, None, :]
    shifts = joined.max((2, 3), keepdims=True)
    steps = np.exp(joined - shifts)
    steps[grid < 0] = np.eye(labels)
    forward, sums = np.empty((*grid.shape, labels)), np.empty(grid.shape)
    state = steps[0, :, 0]
    for at in range(len(grid)):
        if at:
            state = np.matmul(state[:, None], steps[at])[:, 0]
        sums[at] = state.sum(1)
        state = forward[at] = state / sums[at][:, None]
    of_tokens, of_pairs = np.zeros(of_labels.shape), np.zeros(of_moves.shape)
    backward = np.ones((grid.shape[1], labels))
    for at in range(len(grid) - 1, -1, -1):
        is_token = grid[at] >= 0
        tokens = grid[at][is_token]
        of_tokens[tokens] = (forward[at] * backward)[is_token]
        if at:
            onward = steps[at] * (backward / sums[at][:, None])[:, None]
            of_pairs[tokens] = (forward[at - 1][:, :, None] * onward)[is_token]
            backward = onward.sum(2)
    return float((np.log(sums) + shifts[..., 0, 0])[grid >= 0].sum()), of_tokens, of_pairs


def fit_transition_crf(
    data: ChainData, gold: Sequence[int], labels: int, *, c1: float, c2: float, steps: int
) -> TransitionCrf:
    """Return the model after so many steps. gold: label of each token; c1, c2: of the L1 and squared L2 norm."""
    codes = np.asarray(gold)
    before = np.concatenate([codes[:1], codes[:-1]])
    seen = np.eye(labels)[codes]
    seen_pairs = np.eye(labels**2)[before * labels + codes]
    expected = [data.nodes.T @ seen, data.edges.T @ seen_pairs]
    observed = [np.flatnonzero(counts) for counts in expected]
    flat = np.concatenate([counts.ravel()[at] for counts, at in zip(expected, observed, strict=True)])

    def model(weights: _Array) -> TransitionCrf:
        nodes, edges = (np.zeros(counts.size) for counts in expected)
        nodes[observed[0]], edges[observed[1]] = np.split(weights, [len(observed[0])])
        return TransitionCrf(nodes.reshape(-1, labels), edges.reshape(-1, labels, labels))

    def function(weights: _Array) -> tuple[float, _Array]:
        total, of_tokens, of_pairs = loss_and_marginals(model(weights), data)
        found = (data.nodes.T @ of_tokens, data.edges.T @ of_pairs.reshape(-1, labels**2))
        gradient = np.concatenate([counts.ravel()[at] for counts, at in zip(found, observed, strict=True)]) - flat
        return total - float(weights @ flat) + c2 * float(weights @ weights), gradient + 2 * c2 * weights

    return model(minimise(function, np.zeros(len(flat)), c1=c1, steps=steps))
