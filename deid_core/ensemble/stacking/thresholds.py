"""What the labels and probabilities of tokens come to, in numba: doubtful tokens taken as well, and runs of one label.

A loop for each question, since most tokens are nothing, and each step over all of them would cost as much as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import inlined, jit

_Array = npt.NDArray[Any]
_ROUNDING = 1e-9
"""By more than this no sum of probabilities is wrong."""
_SURE = 0.5
"""Of a word's label, from which on it counts elsewhere in the note."""
_LEAST_ODDS = 0.1
"""However few entities a note seems to have, its odds count as this part of the usual ones: a doubt stays a doubt."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelRuns:
    """Runs of one label within a line, those outside left out.

    surely_outside: int32 (tokens + 1,), how many tokens before are outside with more than the drop_above. run_of: int32
    (tokens,), the number of each token's run, -1 outside. Of each run firsts, lasts: int32, its first and last token;
    labels: int8; scores: float64, the probability of its label at its least sure token.
    """

    surely_outside: npt.NDArray[np.int32]
    run_of: npt.NDArray[np.int32]
    firsts: npt.NDArray[np.int32]
    lasts: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int8]
    scores: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdRules:
    """What is taken for outside, and what is added to it.

    outside: the label of no entity. drop_above: see learned.py. added: bool (rules, labels), which labels each rule
    adds to a token that is outside, if together they have its threshold or more; of what several add the likeliest
    counts, of equals the last. Runs that join on to each other are taken if a rule would add one of their tokens, best
    labels or not. prior_entity_rate: the share of words in entities that the thresholds are meant for, None if they
    hold for every note; in a note with fewer entities they are higher (`_odds`).

    repeated: a label and its threshold for a word that surely has this label elsewhere in the note (seed 004: what is
    trusted in one place); None: as for others.
    """

    outside: int
    drop_above: float
    added: npt.NDArray[np.bool_]
    thresholds: npt.NDArray[np.float64]
    prior_entity_rate: float | None = None
    repeated: tuple[int, float] | None = None

    def runs(
        self,
        labels: npt.NDArray[np.int8],
        probabilities: npt.NDArray[np.float64],
        numbers: npt.NDArray[np.int32],
        addable: npt.NDArray[np.bool_],
        forms: npt.NDArray[np.uint32],
        breaks: npt.NDArray[np.bool_],
    ) -> LabelRuns:
        """labels, probabilities: of a note's sequence; numbers: of its tokens, negative for what is none.

        addable: of each token, whether a label may be added; forms: a number that its word has in all its forms, 0 if
        it is none; breaks: whether a line or column ends before it.
        """
        count = len(addable)
        surely_outside, run_of = np.zeros(count + 1, np.int32), np.empty(count, np.int32)
        firsts, lasts = np.empty(count, np.int32), np.empty(count, np.int32)
        of_runs, scores = np.empty(count, np.int8), np.empty(count)
        thresholds = self.thresholds
        if self.prior_entity_rate is not None:
            thresholds = thresholds / (
                thresholds
                + (1 - thresholds) * _odds(probabilities, numbers, addable, self.outside, self.prior_entity_rate)
            )
        found = _find_runs(
            labels, probabilities, numbers, addable, forms, breaks, self.outside, self.drop_above, self.added,
            thresholds, *(self.repeated or (self.outside, np.inf)),
            surely_outside, run_of, firsts, lasts, of_runs, scores,
        )  # fmt: skip
        return LabelRuns(surely_outside, run_of, firsts[:found], lasts[:found], of_runs[:found], scores[:found])


@jit("f8(f8[:,:], i4[::1], b1[::1], i8, f8)")
def _odds(probabilities: _Array, numbers: _Array, addable: _Array, outside: int, prior_entity_rate: float) -> float:
    """The square of the odds that a word of this note is in an entity, as a part of the usual odds, at most 1.

    The model's probabilities are those of the letters that it learned from. In a note with a tenth of their entities
    as many words look like names and are none, so a doubt of the same size is more often wrong there: the odds shift
    with the classes' shares (Saerens, Latinne and Decaestecker 2002; their first step, without iteration). Squared,
    since the share is one of doubts too: on the letters to develop on that keeps more names where entities are many,
    and takes fewer words for names where they are few.
    """
    expected, words = 0.0, 0
    for at in range(len(numbers)):
        token = numbers[at]
        if token >= 0 and addable[token]:
            expected += 1.0 - probabilities[at, outside]
            words += 1
    if expected >= words * prior_entity_rate:
        return 1.0
    odds = expected * (1.0 - prior_entity_rate) / ((words - expected) * prior_entity_rate)
    return max(_LEAST_ODDS, odds * odds)


@jit("u4[::1](f8[:,:], i4[::1], u4[::1], i8)")
def _sure_forms(probabilities: _Array, numbers: _Array, forms: _Array, label: int) -> _Array:
    """Forms of words that surely have the label, ascending."""
    sure, count = np.empty(len(forms), np.uint32), 0
    for at in range(len(numbers)):
        token = numbers[at]
        if token >= 0 and forms[token] and probabilities[at, label] >= _SURE:
            sure[count] = forms[token]
            count += 1
    return np.sort(sure[:count])


@inlined
def _reaches(probabilities: _Array, label: int, added: _Array, thresholds: _Array) -> bool:
    """Whether a rule would have added a label here, or adds none like this one.

    Any rule: what is surely an entity, be it of one class or another, is none the less one.
    """
    is_added = False
    for rule in range(len(thresholds)):
        total = 0.0
        for other in range(added.shape[1]):
            if added[rule, other]:
                total += probabilities[other]
        if total >= thresholds[rule] - _ROUNDING:
            return True
        is_added = is_added or added[rule, label]
    return not is_added


@inlined
def _is_sure(form: int, sure: _Array) -> bool:
    """Whether a form is one of these, which ascend."""
    place = np.searchsorted(sure, form)
    return bool(place < len(sure) and sure[place] == form)


@jit(
    "i8(i1[::1], f8[:,:], i4[::1], b1[::1], u4[::1], b1[::1], i8, f8, b1[:,::1], f8[::1], i8, f8, "
    "i4[::1], i4[::1], i4[::1], i4[::1], i1[::1], f8[::1])"
)
def _find_runs(
    labels: _Array,
    probabilities: _Array,
    numbers: _Array,
    addable: _Array,
    forms: _Array,
    breaks: _Array,
    outside: int,
    drop_above: float,
    added: _Array,
    thresholds: _Array,
    repeated: int,
    repeated_from: float,
    surely_outside: _Array,
    run_of: _Array,
    firsts: _Array,
    lasts: _Array,
    of_runs: _Array,
    scores: _Array,
) -> int:
    count, before = 0, outside
    # Runs that join on to each other stand or fall together: else a doubtful word beside a sure one would be readable
    # for being like two labels, not one.
    stretch, is_taken = 0, True
    sure = _sure_forms(probabilities, numbers, forms, repeated)
    # As long as the other labels have less together, no rule adds one: so it is for nearly all tokens.
    least = thresholds.min() - _ROUNDING if len(thresholds) else np.inf
    for at in range(len(labels)):
        token = numbers[at]
        if token < 0:
            continue
        label = best_label = labels[at]
        surely_outside[token + 1] = surely_outside[token] + (probabilities[at, outside] > drop_above)
        if label == outside and addable[token] and 1.0 - probabilities[at, outside] >= least:
            for rule in range(len(thresholds)):
                total, best = 0.0, -1
                for other in range(added.shape[1]):
                    if added[rule, other]:
                        total += probabilities[at, other]
                        if best < 0 or probabilities[at, other] > probabilities[at, best]:
                            best = other
                likelier = best >= 0 and (label == outside or probabilities[at, best] >= probabilities[at, label])
                if likelier and total >= thresholds[rule]:
                    label = best
        is_repeated = probabilities[at, repeated] >= repeated_from and _is_sure(forms[token], sure)
        if label == outside and is_repeated:
            label = repeated
        run_of[token] = -1
        if label == outside or before == outside or breaks[token]:
            if not is_taken:
                run_of[firsts[stretch] : lasts[count - 1] + 1] = -1
                count = stretch
            stretch, is_taken = count, label == outside
        if label != outside:
            if label != before or breaks[token]:
                firsts[count], of_runs[count], scores[count] = token, label, probabilities[at, label]
                count += 1
            run_of[token], lasts[count - 1] = count - 1, token
            scores[count - 1] = min(scores[count - 1], probabilities[at, label])
            # What was added has its threshold already.
            is_taken = is_taken or is_repeated or label != best_label
            is_taken = is_taken or _reaches(probabilities[at], label, added, thresholds)
        before = label
    if not is_taken:
        run_of[firsts[stretch] : lasts[count - 1] + 1] = -1
        count = stretch
    return count
