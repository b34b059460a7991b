"""What other places of a name say: against the same, written plainly, span by span."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from deid_core.ensemble.subtype.classifier import probabilities
from deid_core.ensemble.subtype.repeat_features import MARKS, MOST_FORMS, PARTS, repeats
from deid_core.ensemble.subtype.subtype_features import GROUP_OF, GROUPS, TYPES

T = len(TYPES)
Array = npt.NDArray[np.float64]


def plainly(p: Array, groups: list[int], forms: list[list[int]]) -> Array:
    result = np.zeros((len(p), PARTS * T + MARKS))
    for span, own in enumerate(p):
        others = [n for n in range(len(p)) if n != span and groups[n] == groups[span]]
        words = sorted(set(forms[span]) - {0})
        whole = [n for n in others if words and sum(set(forms[n])) == sum(words)]
        by_word = [found for found in ([n for n in others if word in forms[n]] for word in words) if found]
        result[span, :T] = [np.log(x) if x > 0 else 0 for x in own]
        if whole:
            result[span, T : 2 * T], result[span, 2 * T : 3 * T] = p[whole].mean(0), p[whole].max(0)
        if by_word:
            result[span, 3 * T : 4 * T] = np.mean([p[found].mean(0) for found in by_word], 0)
            result[span, 4 * T : 5 * T] = np.max([p[found].max(0) for found in by_word], 0)
        result[span, 5 * T : 6 * T] = p[[*others, span]].max(0)
        result[span, 6 * T :] = bool(whole), bool(by_word), 1
    return result


spans = st.lists(
    st.tuples(
        st.integers(0, len(GROUPS) - 1),
        st.lists(st.integers(0, 4), max_size=3),
        st.lists(st.floats(-5, 5), min_size=T, max_size=T),
    ),
    min_size=1,
    max_size=12,
)


@given(spans)
def test_other_places_as_written_plainly(drawn: list[tuple[int, list[int], list[float]]]) -> None:
    groups = np.array([group for group, _, _ in drawn], np.int32)
    p = probabilities(np.array([scores for _, _, scores in drawn]), groups)
    forms = np.zeros((len(drawn), MOST_FORMS), np.uint32)
    for row, (_, words, _) in zip(forms, drawn, strict=True):
        row[: len(words)] = words
    expected = plainly(p, groups.tolist(), [words for _, words, _ in drawn])
    np.testing.assert_allclose(repeats(p, groups, forms), expected, atol=1e-12)


@given(spans)
def test_probabilities_are_shared_among_the_types_of_the_group(
    drawn: list[tuple[int, list[int], list[float]]],
) -> None:
    groups = np.array([group for group, _, _ in drawn], np.int32)
    found = probabilities(np.array([scores for _, _, scores in drawn]), groups)
    for group, row in zip(groups.tolist(), found, strict=True):
        assert abs(row.sum() - 1) < 1e-9
        assert all((GROUP_OF[phi] == group) == (x > 0) for phi, x in zip(TYPES, row.tolist(), strict=True))
