"""Trains the layers of the stacking model (crf/convolution.py), on the sequences that its weights were trained on.

The loss is that of the weights, the probability that each word has one of its allowed labels
(owlqn_trainer/dataset.py), with the weights' transitions, which stay. The layers learn for themselves and not what the
weights leave: of letters that both have read, the weights leave nothing. Values of features are dropped at random, now
and then all that spell the word, so that the layers learn from neighbours, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from deid_core.core.errors import ConfigurationError
from deid_core.crf.convolution_weights import DILATION, FIRST_WIDTH, SECOND_WIDTH, STREAMS, ConvolutionWeights
from deid_core.crf.weights import CrfWeights
from deid_core.lab.systems.linear_chain import LinearChain
from deid_core.lab.training.owlqn_trainer.dataset import AllowedLabels
from deid_core.lab.training.owlqn_trainer.token_streams import Stream
from deid_core.lab.training.settings import ConvolutionTrainingSettings

_PIECE = 160
"""A sequence is cut into pieces of at most so many words; where, differs from epoch to epoch."""
_BATCH = 64
"""Pieces in a batch."""
_WARM_UP = 200
"""Batches until the learning rate is reached; then it falls linearly to 0."""
_SPELLING = ("word", "lower", "character_ngrams")
"""Families that spell the word."""
_FORBIDDEN = -1e4
_LIMIT = 127
"""Largest absolute number of a vector (int8)."""
_SMALL = 1e-6
"""Keeps the scale of a vector of nothing finite."""
_THREADS = 2
"""Always as many, since the order of sums depends on them."""

Tensor = Any
_Longs = npt.NDArray[np.int64]


class _Values:
    """The feature values of a stream's word types that occur often enough.

    names: "family:value", ascending. Type n has the values numbers[starts[n]:starts[n + 1]].
    """

    def __init__(self, stream: Stream, min_count: int) -> None:
        counts = np.bincount(np.concatenate(stream.numbers), minlength=stream.types)
        found: dict[str, int] = {}
        of_types: list[tuple[_Longs, _Longs]] = []
        for family, starts, values, known in stream.families():
            types = np.repeat(np.arange(stream.types), np.diff(starts))
            of_values = np.bincount(values, counts[types], len(known))
            first = len(found)
            kept = np.flatnonzero(of_values >= min_count)
            names = list(known)
            found.update({f"{family}:{names[value]}": first + at for at, value in enumerate(kept.tolist())})
            numbers = np.full(len(known), -1)
            numbers[kept] = first + np.arange(len(kept))
            used = numbers[values] >= 0
            of_types.append((types[used], numbers[values[used]]))
        self.names = sorted(found)
        rank = np.empty(len(found), np.int64)
        rank[[found[name] for name in self.names]] = np.arange(len(found))
        types, numbers = (np.concatenate(of) for of in zip(*of_types, strict=True))
        order = np.argsort(types, kind="stable")
        self.numbers = rank[numbers[order]]
        self.starts = np.searchsorted(types[order], np.arange(stream.types + 1))
        self.is_spelling = np.array([name.startswith(tuple(f"{of}:" for of in _SPELLING)) for name in self.names], bool)

    def of(self, types: _Longs) -> tuple[_Longs, _Longs]:
        """Return the values of word types one after another, and the place in `types` of each."""
        lengths = self.starts[types + 1] - self.starts[types]
        ends = np.cumsum(lengths)
        places = np.repeat(np.arange(len(types)), lengths)
        return self.numbers[np.repeat(self.starts[types] - ends + lengths, lengths) + np.arange(len(places))], places


class _Network(nn.Module):
    """The layers of crf/convolution.py."""

    def __init__(self, settings: ConvolutionTrainingSettings, values: Sequence[int], labels: int) -> None:
        super().__init__()
        sizes = (settings.word_size, settings.detection_size)
        self.vectors = nn.ModuleList(
            nn.EmbeddingBag(count, size, mode="sum", sparse=True) for count, size in zip(values, sizes, strict=True)
        )
        for vectors in self.vectors:
            nn.init.normal_(vectors.weight, std=0.03)
        hidden = settings.hidden
        self.first = nn.Conv1d(sum(sizes), hidden, FIRST_WIDTH, padding="same")
        self.second = nn.Conv1d(hidden, hidden, SECOND_WIDTH, padding="same", dilation=DILATION)
        self.output = nn.Linear(hidden + sum(sizes), labels)
        self.drop = nn.Dropout(settings.dropout)

    def forward(self, words: Tensor, detections: Tensor, mask: Tensor) -> Tensor:
        """Return the scores (pieces, words, labels). words, detections: vectors; mask: 1 where a word is."""
        vectors = self.drop(torch.cat([_scaled(words), _scaled(detections)], 2) * mask[..., None])
        first = self.drop(torch.relu(self.first(vectors.transpose(1, 2)))) * mask[:, None]
        second = self.drop(first + torch.relu(self.second(first)))
        return self.output(torch.cat([second.transpose(1, 2), vectors], 2))


def _scaled(vectors: Tensor) -> Tensor:
    return vectors * torch.rsqrt(vectors.square().mean(-1, keepdim=True) + _SMALL)


class _Trainer:
    def __init__(
        self,
        words: Stream,
        detections: Stream,
        labels: Sequence[Sequence[AllowedLabels]],
        weights: CrfWeights,
        settings: ConvolutionTrainingSettings,
    ) -> None:
        torch.manual_seed(settings.seed)
        torch.set_num_threads(_THREADS)
        torch.use_deterministic_algorithms(True)
        self._order, self._settings, self._labels = np.random.default_rng(settings.seed), settings, weights.labels
        self.values = [_Values(stream, settings.min_count) for stream in (words, detections)]
        if not all(of.names for of in self.values):
            raise ConfigurationError("stacking.convolution.min_count: no feature value occurs so often")
        # For each sequence the types of its words, those of its detections, and its sets of allowed labels.
        self._numbers: list[list[npt.NDArray[Any]]] = [stream.numbers for stream in (words, detections)]
        sets = {allowed: number for number, allowed in enumerate(sorted({s for of in labels for s in of}))}
        self._numbers.append([np.array([sets[allowed] for allowed in of], np.int64) for of in labels])
        self._allowed = torch.full((len(sets), len(weights.labels)), _FORBIDDEN)
        for allowed, number in sets.items():
            self._allowed[number, [weights.labels.index(label) for label in allowed]] = 0
        self._chain = LinearChain(len(weights.labels)).requires_grad_(False)
        self._chain.moves.copy_(torch.from_numpy(weights.transitions))
        self.network = _Network(settings, [len(of.names) for of in self.values], len(weights.labels))

    def train(self, log: Callable[[str], object]) -> None:
        """Train; tell the mean loss of a word every hundred batches.

        Raises ConfigurationError if it rises above that of the first hundred: then the layers learn nothing any more.
        """
        settings, network = self._settings, self.network.train()
        sparse = [*network.vectors.parameters()]
        known = {id(parameter) for parameter in sparse}
        dense = [parameter for parameter in network.parameters() if id(parameter) not in known]
        optimisers = [
            (settings.learning_rate, torch.optim.AdamW(dense, weight_decay=0.01)),
            (settings.vector_learning_rate or settings.learning_rate, torch.optim.SparseAdam(sparse)),
        ]
        batches = [batch for _ in range(settings.epochs) for batch in self._batches()]
        loss_of, words, first_mean = 0.0, 0, 0.0
        for number, batch in enumerate(batches, 1):
            share = min(1, number / _WARM_UP) * (1 - number / (len(batches) + 1))
            loss, count = self._loss(batch)
            for highest, optimiser in optimisers:
                optimiser.zero_grad()
                for group in optimiser.param_groups:
                    group["lr"] = highest * share
            (loss / count).backward()
            nn.utils.clip_grad_norm_(dense, 1.0)
            for _, optimiser in optimisers:
                optimiser.step()
            loss_of, words = loss_of + loss.item(), words + count
            if number % 100 == 0 or number == len(batches):
                mean = loss_of / words
                log(f"batch {number:,} of {len(batches):,}: {mean:.4f}")
                first_mean = first_mean or mean
                if not mean <= first_mean:
                    raise ConfigurationError(
                        f"stacking.convolution: the training broke down before batch {number:,}: the mean loss of a "
                        f"word is {mean:.4f}; choose a lower learning_rate and train with --layers, beside the weights"
                    )
                loss_of, words = 0.0, 0

    def _batches(self) -> Iterator[list[tuple[int, int, int]]]:
        """Yield the pieces of an epoch in a random order, in batches of similar lengths: sequence, start and end."""
        pieces: list[tuple[int, int, int]] = []
        for number, sequence in enumerate(self._numbers[-1]):
            first = int(self._order.integers(_PIECE // 2, _PIECE + 1))
            cuts = [0, *range(first, len(sequence), _PIECE), len(sequence)]
            pieces += [(number, start, end) for start, end in pairwise(cuts) if start < end]
        lengths = [(end - start) // 16 for _, start, end in pieces]
        ranked = sorted(self._order.permutation(len(pieces)).tolist(), key=lengths.__getitem__)
        for start in (self._order.permutation(-(-len(pieces) // _BATCH)) * _BATCH).tolist():
            yield [pieces[at] for at in ranked[start : start + _BATCH]]

    def _loss(self, batch: Sequence[tuple[int, int, int]]) -> tuple[Tensor, int]:
        """Return the negative logarithm of the probability that all words have an allowed label, and the words."""
        longest = max(end - start for _, start, end in batch)
        mask = torch.zeros(len(batch), longest)
        types: _Longs = np.zeros((len(self._numbers), len(batch), longest), np.int64)
        for row, (number, start, end) in enumerate(batch):
            mask[row, : end - start] = 1
            for at, of in enumerate(self._numbers):
                types[at, row, : end - start] = of[number][start:end]
        words, detections = (self._vectors(stream, types[stream]) for stream in range(len(STREAMS)))
        scores = self.network(words, detections, mask)
        both = torch.cat([scores, scores + self._allowed[torch.from_numpy(types[-1])]])
        totals = self._chain.total(both, torch.cat([mask, mask]) > 0)
        return (totals[: len(batch)] - totals[len(batch) :]).sum(), int(mask.sum().item())

    def _vectors(self, stream: int, types: _Longs) -> Tensor:
        """Return the vectors of word types, of which some values are dropped."""
        of = self.values[stream]
        distinct, places = np.unique(types, return_inverse=True)
        values, owners = of.of(distinct)
        kept = self._order.random(len(values)) >= self._settings.value_dropout
        unspelt = self._order.random(len(distinct)) < self._settings.spelling_dropout
        kept &= ~(of.is_spelling[values] & unspelt[owners])
        starts = np.searchsorted(owners[kept], np.arange(len(distinct)))
        vectors = self.network.vectors[stream](torch.from_numpy(values[kept]), torch.from_numpy(starts))
        return vectors[torch.from_numpy(places.reshape(types.shape))]

    def weights(self) -> ConvolutionWeights:
        """Return the layers. The vectors' numbers are rounded to int8.

        All of a stream have one scale: of the sum of a word's vectors only the direction counts.
        """
        state = {name: value.detach().numpy() for name, value in self.network.state_dict().items()}
        vectors = [state[f"vectors.{stream}.weight"] for stream in range(len(STREAMS))]
        scales = [_LIMIT / np.abs(of).max() for of in vectors]
        layers = {
            "first": state["first.weight"].transpose(2, 1, 0),
            "first_bias": state["first.bias"],
            "second": state["second.weight"].transpose(2, 1, 0),
            "second_bias": state["second.bias"],
            "output": state["output.weight"].T[None],
            "output_bias": state["output.bias"],
        }
        words, detections = (np.rint(of * scale).astype(np.int8) for of, scale in zip(vectors, scales, strict=True))
        return ConvolutionWeights(
            self._labels,
            (tuple(self.values[0].names), tuple(self.values[1].names)),
            (words, detections),
            {name: np.ascontiguousarray(layer, np.float32) for name, layer in layers.items()},
            self._settings.share,
        )


def fit_convolution(
    words: Stream,
    detections: Stream,
    labels: Sequence[Sequence[AllowedLabels]],
    weights: CrfWeights,
    settings: ConvolutionTrainingSettings,
    log: Callable[[str], object] = lambda line: None,
) -> ConvolutionWeights:
    """Return the layers. words, detections, labels: as for `fit_crf`, which gave the weights."""
    trainer = _Trainer(words, detections, labels, weights, settings)
    trainer.train(log)
    return trainer.weights()
