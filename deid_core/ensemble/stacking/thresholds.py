"""Apply the thresholds: labels and probabilities of tokens become entities; in numba.

Doubtful tokens are promoted, neighbouring tokens of one label are joined, and entities that reach no threshold are
given up.

Each question has a loop of its own: most tokens are outside every entity, and array operations would cost as much for
those as for the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import inlined, jit

_Array = npt.NDArray[Any]
_ROUNDING = 1e-9
"""The rounding error of a sum of probabilities is smaller."""


@dataclass(frozen=True, slots=True, eq=False)
class EntityArrays:
    """The entities of a note: neighbouring tokens of one label within a line.

    outside_counts: int32 (tokens + 1,), for each token how many tokens before it are outside with a probability above
    `drop_above`. entity_of: int32 (tokens,), the number of each token's entity, -1 if it has none. For each entity
    start_tokens, end_tokens: int32, half-open; labels: int8; scores: float64, the lowest probability of its label.
    """

    outside_counts: npt.NDArray[np.int32]
    entity_of: npt.NDArray[np.int32]
    start_tokens: npt.NDArray[np.int32]
    end_tokens: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int8]
    scores: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """The thresholds of the stacking model, as arrays.

    outside: the number of the label "outside". drop_above: see StackingSettings.

    promoted: bool (rules, labels), the labels that each rule promotes. A rule promotes an outside token if the
    probabilities of these labels together reach the rule's threshold (promote_above: float64 (rules,)). The token gets
    the likeliest of them. If several rules apply the likeliest label counts, and of equal ones that of the last rule.
    Adjacent entities are kept together if any of their tokens passes a promotion threshold, else given up together,
    even on the best path. A label that no rule promotes needs no threshold.

    prior_entity_rate: the share of words in entities for which the thresholds are meant; None if they hold for every
    note. In a note with fewer entities they rise: their odds are divided by `_odds_ratio`, which is at least
    `min_odds_ratio`.

    repeated: a label, and its threshold for a word that has this label elsewhere in the note (seed 004, iterative
    training); None if such a word is no exception. repeated_from: the probability from which a word counts as seen with
    this label.
    """

    outside: int
    drop_above: float
    promoted: npt.NDArray[np.bool_]
    promote_above: npt.NDArray[np.float64]
    prior_entity_rate: float | None = None
    repeated: tuple[int, float] | None = None
    min_odds_ratio: float = field(kw_only=True)
    repeated_from: float = field(kw_only=True)

    def entities(
        self,
        labels: npt.NDArray[np.int8],
        probabilities: npt.NDArray[np.float64],
        token_of: npt.NDArray[np.int32],
        promotable: npt.NDArray[np.bool_],
        word_forms: npt.NDArray[np.uint32],
        breaks: npt.NDArray[np.bool_],
    ) -> EntityArrays:
        """Return the entities of a note.

        labels, probabilities: of each position of the note's sequence; (positions,) and (positions, labels). token_of:
        the token of each position, negative for a line break. promotable: of each token, whether it may be promoted.
        word_forms: of each token a number that all forms of its word share, 0 for what is no word. breaks: of each
        token, whether it begins a line or column.
        """
        count = len(promotable)
        outside_counts, entity_of = np.zeros(count + 1, np.int32), np.empty(count, np.int32)
        start_tokens, end_tokens = np.empty(count, np.int32), np.empty(count, np.int32)
        entity_labels, scores = np.empty(count, np.int8), np.empty(count)
        promote_above = self.promote_above_in(probabilities, token_of, promotable)
        found = _find_entities(
            labels, probabilities, token_of, promotable, word_forms, breaks, self.outside, self.drop_above,
            self.promoted, promote_above, *(self.repeated or (self.outside, np.inf)), self.repeated_from,
            outside_counts, entity_of, start_tokens, end_tokens, entity_labels, scores,
        )  # fmt: skip
        return EntityArrays(
            outside_counts, entity_of, start_tokens[:found], end_tokens[:found], entity_labels[:found], scores[:found]
        )

    def promote_above_in(
        self,
        probabilities: npt.NDArray[np.float64],
        token_of: npt.NDArray[np.int32],
        promotable: npt.NDArray[np.bool_],
    ) -> npt.NDArray[np.float64]:
        """Return `promote_above` of a note, which rises if it has few entities. Arguments: see `entities`."""
        promote_above = self.promote_above
        if self.prior_entity_rate is None:
            return promote_above
        odds = _odds_ratio(
            probabilities, token_of, promotable, self.outside, self.prior_entity_rate, self.min_odds_ratio
        )
        raised: npt.NDArray[np.float64] = promote_above / (promote_above + (1 - promote_above) * odds)
        return raised

    def repeated_forms(
        self,
        probabilities: npt.NDArray[np.float64],
        token_of: npt.NDArray[np.int32],
        word_forms: npt.NDArray[np.uint32],
    ) -> npt.NDArray[np.uint32]:
        """Return the forms of words to which `repeated` applies, ascending. Arguments: see `entities`."""
        assert self.repeated is not None  # noqa: S101 - asked only if there is a threshold
        found: npt.NDArray[np.uint32] = _forms_with_label(
            probabilities, token_of, word_forms, self.repeated[0], self.repeated_from
        )
        return found


@jit("f8(f8[:,:], i4[::1], b1[::1], i8, f8, f8)")
def _odds_ratio(
    probabilities: _Array,
    token_of: _Array,
    promotable: _Array,
    outside: int,
    prior_entity_rate: float,
    min_odds_ratio: float,
) -> float:
    """Return the square of the odds of a word to be in an entity, divided by the usual odds: `min_odds_ratio` to 1.

    The model's probabilities fit the letters that it was trained on. In a note with a tenth of their entities as many
    words look like names without being names, so a probability of the same size is more often wrong: the odds shift
    with the priors of inside and outside (Saerens, Latinne and Decaestecker 2002; their first step, without iteration).
    The ratio is squared, since the share is an expectation too: on the dev letters that keeps more names where entities
    are many, and gives fewer false positives where they are few.
    """
    expected, words = 0.0, 0
    for at in range(len(token_of)):
        token = token_of[at]
        if token >= 0 and promotable[token]:
            expected += 1.0 - probabilities[at, outside]
            words += 1
    if expected >= words * prior_entity_rate:
        return 1.0
    odds = expected * (1.0 - prior_entity_rate) / ((words - expected) * prior_entity_rate)
    return max(min_odds_ratio, odds * odds)


@jit("u4[::1](f8[:,:], i4[::1], u4[::1], i8, f8)")
def _forms_with_label(
    probabilities: _Array, token_of: _Array, word_forms: _Array, label: int, repeated_from: float
) -> _Array:
    """Return the forms of words that have the label with a probability of at least `repeated_from`, ascending."""
    found, count = np.empty(len(word_forms), np.uint32), 0
    for at in range(len(token_of)):
        token = token_of[at]
        if token >= 0 and word_forms[token] and probabilities[at, label] >= repeated_from:
            found[count] = word_forms[token]
            count += 1
    return np.sort(found[:count])


@inlined
def _passes(probabilities: _Array, label: int, promoted: _Array, promote_above: _Array) -> bool:
    """Whether a token passes any promotion threshold, or has a label that no rule promotes.

    Any rule: a token that is surely in an entity may be in doubt between two labels.
    """
    is_promoted = False
    for rule in range(len(promote_above)):
        total = 0.0
        for other in range(promoted.shape[1]):
            if promoted[rule, other]:
                total += probabilities[other]
        if total >= promote_above[rule] - _ROUNDING:
            return True
        is_promoted = is_promoted or promoted[rule, label]
    return not is_promoted


@inlined
def _contains(ascending: _Array, form: int) -> bool:
    place = np.searchsorted(ascending, form)
    return bool(place < len(ascending) and ascending[place] == form)


@jit(
    "i8(i1[::1], f8[:,:], i4[::1], b1[::1], u4[::1], b1[::1], i8, f8, b1[:,::1], f8[::1], i8, f8, f8, "
    "i4[::1], i4[::1], i4[::1], i4[::1], i1[::1], f8[::1])"
)
def _find_entities(
    labels: _Array,
    probabilities: _Array,
    token_of: _Array,
    promotable: _Array,
    word_forms: _Array,
    breaks: _Array,
    outside: int,
    drop_above: float,
    promoted: _Array,
    promote_above: _Array,
    repeated_label: int,
    repeated_above: float,
    repeated_from: float,
    outside_counts: _Array,
    entity_of: _Array,
    start_tokens: _Array,
    end_tokens: _Array,
    entity_labels: _Array,
    scores: _Array,
) -> int:
    """Fill the arrays of EntityArrays and return the number of entities."""
    count, previous = 0, outside
    # Adjacent entities are kept or dropped as one group. Otherwise a doubtful word next to a sure one would stay
    # readable only because it resembles two labels.
    group_start, is_kept = 0, True
    repeated_forms = _forms_with_label(probabilities, token_of, word_forms, repeated_label, repeated_from)
    # If all other labels together have less, no rule can promote the token. That holds for nearly all tokens.
    lowest = promote_above.min() - _ROUNDING if len(promote_above) else np.inf
    for at in range(len(labels)):
        token = token_of[at]
        if token < 0:
            continue
        label = best_label = labels[at]
        outside_counts[token + 1] = outside_counts[token] + (probabilities[at, outside] > drop_above)
        if label == outside and promotable[token] and 1.0 - probabilities[at, outside] >= lowest:
            for rule in range(len(promote_above)):
                total, best = 0.0, -1
                for other in range(promoted.shape[1]):
                    if promoted[rule, other]:
                        total += probabilities[at, other]
                        if best < 0 or probabilities[at, other] > probabilities[at, best]:
                            best = other
                is_likelier = best >= 0 and (label == outside or probabilities[at, best] >= probabilities[at, label])
                if is_likelier and total >= promote_above[rule]:
                    label = best
        is_repeated = probabilities[at, repeated_label] >= repeated_above and _contains(
            repeated_forms, word_forms[token]
        )
        if label == outside and is_repeated:
            label = repeated_label
        entity_of[token] = -1
        if label == outside or previous == outside or breaks[token]:
            if not is_kept:
                entity_of[start_tokens[group_start] : end_tokens[count - 1]] = -1
                count = group_start
            group_start, is_kept = count, label == outside
        if label != outside:
            if label != previous or breaks[token]:
                start_tokens[count], entity_labels[count], scores[count] = token, label, probabilities[at, label]
                count += 1
            entity_of[token], end_tokens[count - 1] = count - 1, token + 1
            scores[count - 1] = min(scores[count - 1], probabilities[at, label])
            # A promoted token has passed its threshold already.
            is_kept = is_kept or is_repeated or label != best_label
            is_kept = is_kept or _passes(probabilities[at], label, promoted, promote_above)
        previous = label
    if not is_kept:
        entity_of[start_tokens[group_start] : end_tokens[count - 1]] = -1
        count = group_start
    return count
