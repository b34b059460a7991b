"""What the other places of a name say: its type is that of the place where it is clearest (seed 004).

"Herr Muster" may be anybody; the header's "Pat.: Muster, Jan" says who. Places of the same words count more than those
that share one, since a relative has the patient's surname: so both are told apart, and how much each counts is learned.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit

MOST_FORMS = 8
"""Words of a span that are compared; names have fewer."""
PARTS = 6
"""Of the input, a number for each type: the logarithms of the span's own probabilities; the mean and the highest at
places of the same words; both at places that share a word; the highest of the note."""
MARKS = 3
"""Behind them: whether there are places of the same words, whether such that share one, and a one."""
_FORM_BITS = 40
_SUM = (1 << _FORM_BITS) - 1
_Array = npt.NDArray[Any]


def repeats(probabilities: _Array, groups: _Array, forms: _Array) -> _Array:
    """The input of the second weighing, float64 (spans, PARTS * types + MARKS).

    probabilities: float64 (spans, types), of each span's group, 0 elsewhere. groups: int32 (spans,). forms: uint32
    (spans, MOST_FORMS), what word_form.py has of the words of each span, 0 where there is none.
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
    """Fills keys and the span of each: one for each word of a span and one for all of them; returns how many."""
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
    """Fills the inputs, which are 0. keys, of: as `_keys` has them, ascending.

    A span with several words that others have gets the mean over words of the means, and the highest of all.
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
