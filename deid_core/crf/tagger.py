"""The tagger: the labels and marginal probabilities that CRFsuite's tagger gives, for sequences of word types.

With weights on a grid (`CrfWeights.on_grid`) all sums are exact, so labels are always
the same as CRFsuite's, ties included. With other weights a tie may differ, where sums differ in the last bit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deid_core.crf.compiled_crf import CompiledCrf
from deid_core.crf.emission_cache import EmissionCache
from deid_core.crf.emissions import emit_floats, emit_whole, sequence_problem
from deid_core.crf.inference import forward_backward_for, subtract_maximum, viterbi_for
from deid_core.text.vocabulary import Vocabulary


class CrfTagger:
    """Tags sequences of word types (numbered as in word_type_rows.py) of one vocabulary, including its new words.

    `types` is int32 (tokens,), all sequences one after another; `bounds` int64 (sequences + 1,), the start of each
    sequence and the end of the last. A sequence may be empty. Sequences do not influence one another. Besides the
    result a call needs 16 bytes per label and token.
    """

    def __init__(self, crf: CompiledCrf, vocabulary: Vocabulary) -> None:
        self._crf = crf
        self._rows = EmissionCache(crf, vocabulary)
        labels, lanes = len(crf.labels), crf.lanes
        self._transitions = np.full((lanes, lanes), -np.inf)
        self._transitions[:labels, :labels] = crf.transitions
        self._transitions_back = np.ascontiguousarray(self._transitions.T)
        self._steps = np.exp(self._transitions - crf.transitions.max())
        self._steps_back = np.ascontiguousarray(self._steps.T)
        self._viterbi, self._forward_backward = viterbi_for(lanes), forward_backward_for(lanes)

    @property
    def labels(self) -> tuple[str, ...]:
        """The model's labels, in the order of their numbers."""
        return self._crf.labels

    def tag(self, types: npt.NDArray[np.int32], bounds: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """Return the number of each token's label on the best path; int8 (tokens,).

        Raises ValueError if a type is not of the vocabulary or the bounds do not ascend from 0 to the last token.
        """
        return self.best(self.emissions(types, bounds), bounds)

    def tag_with_marginals(
        self, types: npt.NDArray[np.int32], bounds: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float64]]:
        """Return the result of `tag`, and the probability of each label at each token; float64 (tokens, labels).

        Raises ValueError as `tag` does.
        """
        emissions = self.emissions(types, bounds)
        return self.best(emissions, bounds), self.probabilities(emissions, bounds)

    def emissions(
        self,
        types: npt.NDArray[np.int32],
        bounds: npt.NDArray[np.int64],
        others: npt.NDArray[np.float64] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return the score of each label at each token; float64 (tokens, lanes), see inference.py.

        others: emissions of a parallel sequence, of a model with the same labels and transitions; this sequence's are
        added to them in place. Raises ValueError as `tag` does.
        """
        self._check(types, bounds)
        crf, rows, pairs = self._crf, self._rows, self._crf.pairs
        emissions = np.zeros((len(types), len(self._transitions))) if others is None else others
        emit = emit_floats if rows.is_float else emit_whole
        emit(
            types, bounds, emissions, rows.rows, rows.scores, rows.unit, crf.offsets, crf.columns,
            rows.sides, pairs.distances, pairs.lefts, pairs.uses, pairs.keys, pairs.first_scores, rows.pair_scores,
        )  # fmt: skip
        return emissions

    def best(self, emissions: npt.NDArray[np.float64], bounds: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """Return the best (most probable) path through emissions; int8 (tokens,)."""
        labels, scores = np.empty(len(emissions), np.int8), np.empty_like(emissions)
        self._viterbi(emissions, bounds, scores, labels, self._transitions, self._transitions_back, len(self.labels))
        return labels

    def probabilities(
        self, emissions: npt.NDArray[np.float64], bounds: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return the marginals of emissions, which are overwritten; float64 (tokens, labels)."""
        labels = len(self.labels)
        subtract_maximum(emissions, labels)
        # Here and not in the loop: numpy's exponential uses vector instructions.
        weights = np.exp(emissions, out=emissions)
        marginals, backward = np.empty_like(weights), np.empty_like(weights)
        self._forward_backward(weights, bounds, marginals, backward, self._steps, self._steps_back, labels)
        return marginals[:, :labels]

    def _check(self, types: npt.NDArray[np.int32], bounds: npt.NDArray[np.int64]) -> None:
        """Check types and bounds, since the compiled loops check no index."""
        self._rows.extend()
        wrong = sequence_problem(types, bounds, len(self._rows))
        if wrong == 1:
            raise ValueError("a type is not of the vocabulary")
        if wrong:
            raise ValueError("the bounds do not ascend from 0 to the number of tokens")
