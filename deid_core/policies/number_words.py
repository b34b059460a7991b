"""Numbers in words, as ages are written: "vier", "achtzig", "einundneunzig"."""

from __future__ import annotations

from functools import cache

from deid_core.core.word_lists import word_list
from deid_core.policies.normal_form import name_key

_TEENS_END = 20


@cache
def number_words() -> dict[str, int]:
    """Return the numbers from 0 to 99 by their words, as keys (`name_key`)."""
    words = word_list("policies/numbers")
    small, tens = words[:_TEENS_END], words[_TEENS_END:]
    found = {word: number for number, word in enumerate(small)} | {"eins": 1}
    for number, ten in enumerate(tens, 2):
        found[ten] = 10 * number
        found |= {f"{unit}und{ten}": 10 * number + more for more, unit in enumerate(small[1:10], 1)}
    return {name_key(word): number for word, number in found.items()}
