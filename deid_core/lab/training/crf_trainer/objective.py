"""How likely the labels of sequences are at some weights, and which way the weights have to go."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from deid_core.crf.weights import CrfsuiteModel
from deid_core.lab.training.crf_trainer.dataset import Examples, RowsOfSlot
from deid_core.lab.training.crf_trainer.forward_backward import LEARN, OBSERVE, add_gradient, add_rows, pass_for
from deid_core.lab.training.crf_trainer.owlqn import Weights

_PARTS = 2
"""Into which sequences are cut, a thread for each; so many wherever it runs, since the order of sums counts."""

_Floats = npt.NDArray[np.float64]
_Longs = npt.NDArray[np.int64]
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Objective:
    """The negative log-likelihood of sequences with the square of the L2 norm, whose weight is c2, and its gradient.

    Weights are those of attributes beside labels, and of labels behind labels, that are seen in the sequences; all
    others are 0, as in CRFsuite. Of a word with several possible labels the usual one counts as seen.
    """

    def __init__(self, examples: Examples, c2: float) -> None:
        self._examples, self._c2 = examples, c2
        self._parts = _in_parts(examples.sequences)
        self._go_through = pass_for(examples.lanes)
        self._rows = np.zeros((examples.rows, examples.lanes))
        self._of_parts = [np.zeros_like(self._rows) for _ in self._parts]
        _, states, transitions = self._sums(OBSERVE, np.zeros((examples.lanes, examples.lanes)))
        self._states, self._transitions = np.flatnonzero(states), np.flatnonzero(transitions)

    @property
    def start(self) -> Weights:
        """Weights of 0."""
        return np.zeros(len(self._states) + len(self._transitions))

    def __call__(self, weights: Weights) -> tuple[float, Weights]:
        """The value and the gradient."""
        states, transitions = self._dense(weights)
        self._fill(states)
        loss, of_states, of_transitions = self._sums(LEARN, transitions)
        gradient = np.concatenate([of_states.ravel()[self._states], of_transitions.ravel()[self._transitions]])
        # A step to where no float holds the gradient is none, even if the value is near.
        if not np.isfinite(gradient).all():
            loss = np.inf
        return loss + self._c2 * float(weights @ weights), gradient + 2 * self._c2 * weights

    def model(self, weights: Weights) -> CrfsuiteModel:
        """The model with these weights, without attributes that have none but 0."""
        examples, count = self._examples, len(self._examples.label_names)
        states, transitions = self._dense(weights)
        states = states[:, :count]
        used = np.flatnonzero(states.any(axis=1))
        attributes, labels = np.nonzero(states[used])
        return CrfsuiteModel(
            examples.label_names,
            tuple(examples.attributes[number] for number in used.tolist()),
            attributes.astype(np.int32),
            labels.astype(np.int32),
            states[used][attributes, labels],
            np.ascontiguousarray(transitions[:count, :count]),
        )

    def _dense(self, weights: Weights) -> tuple[_Floats, _Floats]:
        """Weights as (attributes, lanes) and (lanes, lanes)."""
        lanes = self._examples.lanes
        states, transitions = np.zeros(len(self._examples.attributes) * lanes), np.zeros(lanes * lanes)
        states[self._states], transitions[self._transitions] = np.split(weights, [len(self._states)])
        return states.reshape(-1, lanes), transitions.reshape(lanes, lanes)

    def _fill(self, states: _Floats) -> None:
        """Sets the rows to the sums of weights."""
        self._rows.fill(0.0)

        def fill(part: int) -> None:
            for of in self._examples.slots:
                types = len(of.slot.starts) - 1
                first, end = types * part // _PARTS, types * (part + 1) // _PARTS
                weights = states[of.attribute : of.attribute + of.slot.count]
                rows = self._rows[of.first : of.end]
                add_rows(of.slot.starts, of.slot.values, of.slot.places, of.width, first, end, weights, rows)

        _side_by_side(fill, range(_PARTS))
        for pairs in self._examples.pairs:
            weights = states[pairs.attribute : pairs.attribute + pairs.count]
            self._rows[pairs.first : pairs.first + pairs.count] = weights

    def _sums(self, what: int, transitions: _Floats) -> tuple[float, _Floats, _Floats]:
        """The loss, and what a pass over all that counts adds up for attributes and for transitions."""
        examples = self._examples
        loss, of_transitions = self._run(what, transitions)
        of_rows = self._of_parts[0]
        for part in self._of_parts[1:]:
            of_rows += part
        states = np.zeros((len(examples.attributes), examples.lanes))

        def hand_over(of: RowsOfSlot) -> None:
            # Each slot has attributes of its own, so threads do not meet.
            to = states[of.attribute : of.attribute + of.slot.count]
            add_gradient(of.slot.starts, of.slot.values, of.slot.places, of.width, to, of_rows[of.first : of.end])

        _side_by_side(hand_over, examples.slots)
        for pairs in examples.pairs:
            rows = of_rows[pairs.first : pairs.first + pairs.count]
            states[pairs.attribute : pairs.attribute + pairs.count] = rows
        return loss, states, of_transitions

    def _run(self, what: int, transitions: _Floats) -> tuple[float, _Floats]:
        """A pass over all sequences with the rows as they are: the loss, and the sums of transitions."""
        examples, lanes = self._examples, self._examples.lanes

        def go(part: int) -> tuple[float, _Floats]:
            of_rows, of_transitions = self._of_parts[part], np.zeros((lanes, lanes))
            of_rows.fill(0.0)
            loss = self._go_through(
                what, len(examples.label_names), self._parts[part], examples.sets, examples.allowed, examples.usual,
                examples.types, examples.views, examples.fixed, self._rows, transitions, of_rows, of_transitions,
            )  # fmt: skip
            return loss, of_transitions

        losses, of_transitions = zip(*_side_by_side(go, range(_PARTS)), strict=True)
        return sum(losses), np.sum(of_transitions, axis=0)


def _in_parts(sequences: _Longs) -> list[_Longs]:
    """The bounds of sequences in _PARTS of about as many words."""
    words = np.cumsum(sequences[:, 1] - sequences[:, 0])
    cuts = np.searchsorted(words, [words[-1] * part / _PARTS for part in range(1, _PARTS)])
    return [np.ascontiguousarray(part) for part in np.split(sequences, cuts)]


def _side_by_side(work: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    with ThreadPoolExecutor(_PARTS) as threads:
        return list(threads.map(work, items))
