"""The tagger: labels and their probabilities for sequences of word types, as CRFsuite's tagger gives them.

With weights on a grid (`CrfWeights.on_grid`) all sums are exact, so labels are the same as CRFsuite's in every
case, ties included; with other weights a tie may fall otherwise, where sums differ in the last bit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deid_core.crf.emission_cache import EmissionCache
from deid_core.crf.emissions import emit_floats, emit_whole, misfit
from deid_core.crf.inference_model import InferenceModel
from deid_core.crf.viterbi import below_greatest, forward_backward_for, viterbi_for
from deid_core.text.vocabulary import Vocabulary


class CrfTagger:
    """Tags sequences of rows (type_rows.py numbers them) for one vocabulary, of which it learns new words by itself.

    `types` is int32, shape (tokens,), all sequences one after the other; `bounds` int64, shape (sequences + 1,), where
    each sequence starts and the last one ends. A sequence may be empty. What is tagged together has no bearing on the
    result. Besides the result a call takes 16 bytes a label and token.
    """

    def __init__(self, crf: InferenceModel, vocabulary: Vocabulary) -> None:
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
        """The number of each token's label on the most probable path; int8, shape (tokens,).

        Raises ValueError if a type is not of the vocabulary or the bounds do not ascend from 0 to the last token.
        """
        return self.best(self.emissions(types, bounds), bounds)

    def marginals(self, types: npt.NDArray[np.int32], bounds: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The probability of each label at each token, given its sequence; float64, shape (tokens, labels).

        Raises ValueError as `tag` does.
        """
        return self.probabilities(self.emissions(types, bounds), bounds)

    def tag_with_marginals(
        self, types: npt.NDArray[np.int32], bounds: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float64]]:
        """What `tag` and `marginals` give, for less than both.

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
        """What each token's window adds to the score of each label; float64, shape (tokens, lanes), see decode.py.

        others: emissions of a model with the same labels and transitions, for what goes along with these words; these
        here are added to them. Raises ValueError as `tag` does.
        """
        self._check(types, bounds)
        crf, rows, pairs = self._crf, self._rows, self._crf.pairs
        emissions = np.zeros((len(types), len(self._transitions))) if others is None else others
        emit = emit_floats if rows.is_float else emit_whole
        emit(
            types, bounds, emissions, rows.rows, rows.scores, rows.unit, crf.offsets, crf.places,
            rows.sides, pairs.distances, pairs.lefts, pairs.uses, pairs.keys, pairs.first_scores, rows.pair_scores,
        )  # fmt: skip
        return emissions

    def best(self, emissions: npt.NDArray[np.float64], bounds: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """The most probable path through emissions; int8, shape (tokens,)."""
        labels = np.empty(len(emissions), np.int8)
        longest = int((bounds[1:] - bounds[:-1]).max(initial=0))
        scores = np.empty((longest, len(self._transitions)))
        self._viterbi(emissions, bounds, scores, labels, self._transitions, self._transitions_back, len(self.labels))
        return labels

    def probabilities(
        self, emissions: npt.NDArray[np.float64], bounds: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """The marginals of emissions, which are used up; float64, shape (tokens, labels)."""
        labels = len(self.labels)
        below_greatest(emissions, labels)
        # Here and not in the loop: numpy's exponential is made of vector instructions.
        weights = np.exp(emissions, out=emissions)
        marginals, backward = np.empty_like(weights), np.empty_like(weights)
        self._forward_backward(weights, bounds, marginals, backward, self._steps, self._steps_back, labels)
        return marginals[:, :labels]

    def _check(self, types: npt.NDArray[np.int32], bounds: npt.NDArray[np.int64]) -> None:
        """The compiled loops check no index: a wrong one would read foreign memory."""
        self._rows.extend()
        wrong = misfit(types, bounds, len(self._rows))
        if wrong == 1:
            raise ValueError("a type is not of the vocabulary")
        if wrong:
            raise ValueError("the bounds do not ascend from 0 to the number of tokens")
