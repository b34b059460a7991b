"""Features from the other occurrences of a name: the clearest occurrence determines its type (seed 004).

"Herr Muster" may be anybody; "Pat.: Muster, Jan" in the header says who he is. Occurrences with the same words and
those that share only one word are separate features, since a relative has the patient's surname.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit

MOST_FORMS = 8
"""The first words of a span are compared; names have fewer."""
PARTS = 6
"""Blocks of the input, each with a number per type: the log probabilities of the span itself; mean and maximum over
occurrences of the same words; both over occurrences that share a word; the maximum in the note."""
MARKS = 3
"""Inputs after the blocks: whether there are such occurrences of either kind, and a constant 1."""
_FORM_BITS = 40
_SUM = (1 << _FORM_BITS) - 1
_Array = npt.NDArray[Any]


def repeats(probabilities: _Array, groups: _Array, forms: _Array) -> _Array:
    """Return the input of the second classifier, float64 (spans, PARTS * types + MARKS).

    probabilities: float64 (spans, types), 0 for types outside the span's group. groups: int32 (spans,). forms: uint32
    (spans, MOST_FORMS), the word forms (word_form.py) of each span, padded with 0.
    """
    spans, types = probabilities.shape
    inputs = np.zeros((spans, PARTS * types + MARKS))
    if not spans:
        return inputs
    keys, of = np.empty(forms.size + spans, np.int64), np.empty(forms.size + spans, np.int64)
    count = _keys(groups, forms, keys, of)
    order = np.argsort(keys[:count], kind="stable")
    _gather(probabilities, groups, keys[order], of[order], inputs)
    return inputs


@jit("i8(i4[::1], u4[:,::1], i8[::1], i8[::1])")
def _keys(groups: _Array, forms: _Array, keys: _Array, of: _Array) -> int:
    """Fill keys and the span of each: one key per word of a span and one for all its words; return their number."""
    count = 0
    for span in range(len(forms)):
        group, total, begin = np.int64(groups[span]) << (_FORM_BITS + 1), np.int64(0), count
        for n in range(forms.shape[1]):
            form = np.int64(forms[span, n])
            key = group | form
            seen = form == 0
            for at in range(begin, count):
                seen |= keys[at] == key
            if not seen:
                keys[count], of[count] = key, span
                total += form
                count += 1
        if total:
            keys[count], of[count] = group | (np.int64(1) << _FORM_BITS) | (total & _SUM), span
            count += 1
    return count


@jit("void(f8[:,::1], i4[::1], i8[::1], i8[::1], f8[:,::1])")
def _gather(probabilities: _Array, groups: _Array, keys: _Array, of: _Array, inputs: _Array) -> None:
    """Fill the inputs, which are 0. keys, of: see `_keys`, ascending.

    A span that shares several words gets the mean of the words' means, and the maximum over all.
    """
    spans, types = probabilities.shape
    total, most, next_most = np.empty(types), np.empty(types), np.empty(types)
    begin = 0
    while begin < len(of):
        end = begin
        total[:], most[:], next_most[:] = 0.0, 0.0, 0.0
        while end < len(of) and keys[end] == keys[begin]:
            for n in range(types):
                p = probabilities[of[end], n]
                total[n] += p
                if p > most[n]:
                    most[n], next_most[n] = p, most[n]
                elif p > next_most[n]:
                    next_most[n] = p
            end += 1
        others = end - begin - 1
        part = 0 if (keys[begin] >> _FORM_BITS) & 1 else 1
        mean, mark = (1 + 2 * part) * types, PARTS * types + part
        if others:
            for at in range(begin, end):
                span = of[at]
                for n in range(types):
                    p = probabilities[span, n]
                    inputs[span, mean + n] += (total[n] - p) / others
                    highest = next_most[n] if p == most[n] else most[n]
                    inputs[span, mean + types + n] = max(inputs[span, mean + types + n], highest)
                inputs[span, mark] += 1.0
        begin = end
    of_note = np.zeros((groups.max() + 1, types))
    for span in range(spans):
        for n in range(types):
            of_note[groups[span], n] = max(of_note[groups[span], n], probabilities[span, n])
    for span in range(spans):
        words = inputs[span, PARTS * types + 1]
        for n in range(types):
            p = probabilities[span, n]
            inputs[span, n] = np.log(p) if p > 0 else 0.0
            inputs[span, (PARTS - 1) * types + n] = of_note[groups[span], n]
            if words > 1.0:
                inputs[span, 3 * types + n] /= words
        inputs[span, PARTS * types + 1] = min(words, 1.0)
        inputs[span, PARTS * types + MARKS - 1] = 1.0
