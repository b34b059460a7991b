"""Misspells a word the way somebody who types does, by the rules of a half's list typos.txt."""

from __future__ import annotations

from collections.abc import Sequence

from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.lists import Typo

_SHORTEST = 4
"""Shorter words are left alone: "Ott" and "Otto" are two names."""


def misspelt(word: str, draw: Draw, rules: Sequence[Typo]) -> str:
    """The word with one rule applied at one place after its first letter; as it is if no rule fits."""
    if len(word) < _SHORTEST:
        return word
    start = int(draw.random() * len(rules))
    for step in range(len(rules)):
        right, wrong = rules[(start + step) % len(rules)]
        place = word.find(right, 1)
        if place > 0:
            later = word.find(right, place + 1)
            if later > 0 and draw.chance(0.5):
                place = later
            return word[:place] + wrong + word[place + len(right) :]
    return word
