"""The training objective: regularised negative log-likelihood of labelled sequences, and its gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from deid_core.crf.weights import CrfWeights
from deid_core.lab.training.owlqn_trainer.dataset import Examples, RowsOfSlot
from deid_core.lab.training.owlqn_trainer.forward_backward import COUNT, GRADIENT, add_gradient, add_rows, compiled_pass
from deid_core.lab.training.owlqn_trainer.owlqn import Weights

_PARTS = 2
"""Parts of the sequences, one thread each. Fixed, since the order of sums changes the result."""

_Floats = npt.NDArray[np.float64]
_Longs = npt.NDArray[np.int64]
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Objective:
    """Negative log-likelihood plus c2 times the squared L2 norm, and its gradient.

    Weights exist for pairs of attribute and label, and of label and next label, that are observed in the sequences; all
    others are 0, as in CRFsuite. For a word with several allowed labels the primary one counts as observed.

    With a `prior`, weights are differences from those of that model, so that both norms pull towards it (Chelba and
    Acero 2004: a Gaussian prior whose mean is the model trained before). Its own pairs are changed as well, where their
    attribute occurs. Its labels are those of the examples.
    """

    def __init__(
        self,
        examples: Examples,
        c2: float,
        prior: CrfWeights | None = None,
        *,
        chosen: Sequence[int] | None = None,
        min_sequences: int = 1,
    ) -> None:
        """chosen: the sequences to learn from; None is all.

        min_sequences: an attribute without weights in the prior gets some if so many of the sequences have it.
        """
        self._examples, self._c2 = examples, c2
        sequences = examples.sequences if chosen is None else examples.sequences[list(chosen)]
        self._parts = _in_parts(sequences)
        self._run_pass = compiled_pass(examples.lanes)
        self._rows = np.zeros((examples.rows, examples.lanes))
        self._of_parts = [np.zeros_like(self._rows) for _ in self._parts]
        _, states, transitions = self._sums(COUNT, np.zeros((examples.lanes, examples.lanes)))
        if min_sequences > 1:
            states[examples.sequence_counts(sequences) < min_sequences] = 0.0
        self._prior_states, self._prior_transitions = np.zeros_like(states), np.zeros_like(transitions)
        if prior is not None:
            self._fill_prior(prior)
        self._states = np.flatnonzero(states.ravel() + np.abs(self._prior_states.ravel()))
        self._transitions = np.flatnonzero(transitions.ravel() + np.abs(self._prior_transitions.ravel()))

    @property
    def start(self) -> Weights:
        """Return weights of 0."""
        return np.zeros(len(self._states) + len(self._transitions))

    def __call__(self, weights: Weights) -> tuple[float, Weights]:
        """Return the value and the gradient."""
        states, transitions = self._dense(weights)
        self._fill(states)
        loss, of_states, transition_sums = self._sums(GRADIENT, transitions)
        gradient = np.concatenate([of_states.ravel()[self._states], transition_sums.ravel()[self._transitions]])
        # Reject a step whose gradient overflows, even if its value is finite.
        if not np.isfinite(gradient).all():
            loss = np.inf
        return loss + self._c2 * float(weights @ weights), gradient + 2 * self._c2 * weights

    def model(self, weights: Weights, factor: float = 1.0) -> CrfWeights:
        """Return the model with these weights, without attributes whose weights are all 0.

        Of a prior it has the attributes that occur in the examples. factor: what the differences from its state weights
        are multiplied by.
        """
        examples, count = self._examples, len(self._examples.label_names)
        factors = np.where(np.arange(len(weights)) < len(self._states), factor, 1.0)
        states, transitions = self._dense(factors * weights)
        states = states[:, :count]
        used = np.flatnonzero(states.any(axis=1))
        attributes, labels = np.nonzero(states[used])
        return CrfWeights(
            examples.label_names,
            tuple(examples.attributes[number] for number in used.tolist()),
            attributes.astype(np.int32),
            labels.astype(np.int32),
            states[used][attributes, labels],
            np.ascontiguousarray(transitions[:count, :count]),
        )

    def _fill_prior(self, prior: CrfWeights) -> None:
        if prior.labels != self._examples.label_names:
            raise ValueError("the prior has other labels than the examples")
        number_of = {name: number for number, name in enumerate(self._examples.attributes)}
        numbers = np.array([number_of.get(name, -1) for name in prior.attributes], np.int64)[prior.state_attributes]
        occurs = numbers >= 0
        self._prior_states[numbers[occurs], prior.state_labels[occurs]] = prior.state_weights[occurs]
        self._prior_transitions[: len(prior.labels), : len(prior.labels)] = prior.transitions

    def _dense(self, weights: Weights) -> tuple[_Floats, _Floats]:
        """Return the weights as arrays of shape (attributes, lanes) and (lanes, lanes)."""
        lanes = self._examples.lanes
        states, transitions = self._prior_states.flatten(), self._prior_transitions.flatten()
        of_states, of_transitions = np.split(weights, [len(self._states)])
        states[self._states] += of_states
        transitions[self._transitions] += of_transitions
        return states.reshape(-1, lanes), transitions.reshape(lanes, lanes)

    def _fill(self, states: _Floats) -> None:
        """Set the rows to the sums of weights."""
        self._rows.fill(0.0)

        def fill(part: int) -> None:
            for of in self._examples.slots:
                types = len(of.slot.starts) - 1
                start, end = types * part // _PARTS, types * (part + 1) // _PARTS
                weights = states[of.attribute : of.attribute + of.slot.count]
                rows = self._rows[of.start_row : of.end_row]
                add_rows(of.slot.starts, of.slot.values, of.slot.columns, of.width, start, end, weights, rows)

        _in_parallel(fill, range(_PARTS))
        for pairs in self._examples.pairs:
            weights = states[pairs.attribute : pairs.attribute + pairs.count]
            self._rows[pairs.start_row : pairs.start_row + pairs.count] = weights

    def _sums(self, mode: int, transitions: _Floats) -> tuple[float, _Floats, _Floats]:
        """Return the loss and the sums of a pass for attributes and for transitions."""
        examples = self._examples
        loss, transition_sums = self._run(mode, transitions)
        row_sums = self._of_parts[0]
        for part in self._of_parts[1:]:
            row_sums += part
        states = np.zeros((len(examples.attributes), examples.lanes))

        def distribute(of: RowsOfSlot) -> None:
            # Each slot has attributes of its own, so threads never write to the same place.
            target, rows = states[of.attribute : of.attribute + of.slot.count], row_sums[of.start_row : of.end_row]
            add_gradient(of.slot.starts, of.slot.values, of.slot.columns, of.width, target, rows)

        _in_parallel(distribute, examples.slots)
        for pairs in examples.pairs:
            rows = row_sums[pairs.start_row : pairs.start_row + pairs.count]
            states[pairs.attribute : pairs.attribute + pairs.count] = rows
        return loss, states, transition_sums

    def _run(self, mode: int, transitions: _Floats) -> tuple[float, _Floats]:
        """Run a pass over all sequences with the current rows; return the loss and the sums of transitions."""
        examples, lanes = self._examples, self._examples.lanes

        def run(part: int) -> tuple[float, _Floats]:
            row_sums, transition_sums = self._of_parts[part], np.zeros((lanes, lanes))
            row_sums.fill(0.0)
            loss = self._run_pass(
                mode, len(examples.label_names), self._parts[part], examples.sets, examples.allowed, examples.primary,
                examples.types, examples.views, examples.fixed, self._rows, transitions, row_sums, transition_sums,
            )  # fmt: skip
            return loss, transition_sums

        losses, transition_sums = zip(*_in_parallel(run, range(_PARTS)), strict=True)
        return sum(losses), np.sum(transition_sums, axis=0)


def _in_parts(sequences: _Longs) -> list[_Longs]:
    """Split the bounds of sequences into _PARTS of about as many words."""
    words = np.cumsum(sequences[:, 1] - sequences[:, 0])
    cuts = np.searchsorted(words, [words[-1] * part / _PARTS for part in range(1, _PARTS)])
    return [np.ascontiguousarray(part) for part in np.split(sequences, cuts)]


def _in_parallel(work: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    with ThreadPoolExecutor(_PARTS) as threads:
        return list(threads.map(work, items))
