"""Which sex a word tells that stands beside a name, and a given name's own ending."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from deid_core.core.word_lists import word_set
from deid_core.policies.names.name_parts import listed_sex

_OF_WOMEN = re.compile(
    r"(?:er|ist|eut|log|ent|ant|ärzt|aerzt|eur|är|nd|at|tor)in$|(?:frau|schwester|mutter|tochter|tante)$"
)
"""The end of words for women, also at work ("Therapeutin"), but not that of "Insulin" and "Kreatinin"."""
_OF_MEN = re.compile(
    r"(?:freund|mann|bruder|vater|sohn|onkel|pfleger|enkel|arzt|direktor)(?:e?s)?$|(?<!hom|aut)ologen?$"
)
_WOMEN, _MEN = word_set("policies/women"), word_set("policies/men")
NOBLEWOMEN = word_set("policies/nobility") & _WOMEN
_LONGEST_ENDING, _FEWEST = 4, 3
"""Letters of an ending that tells a sex, and names that have it."""


@cache
def _sexes_of_endings() -> dict[str, tuple[int, int]]:
    """Return for endings of listed given names how many men's and women's names have them."""
    counted: dict[str, tuple[int, int]] = {}
    for name, female in listed_sex().items():
        for letters in range(1, _LONGEST_ENDING + 1):
            men, women = counted.get(name[-letters:], (0, 0))
            counted[name[-letters:]] = men + (not female), women + female
    return counted


def sex_of_given(key: str) -> bool | None:
    """Return whether a list has a given name for women, None if none has it.

    Of a double name a part for women tells it: "Luca-Isabella", but "Karl-Maria".
    """
    listed = listed_sex()
    if key in listed:
        return listed[key]
    first, *others = key.split("-")
    known = [listed[part] for part in (first, *others) if part in listed and (part == first or part != "maria")]
    return any(known) if known else None


def sex_by_ending(key: str) -> bool:
    """Return whether most listed names that end as a given name does are women's; the longest ending counts."""
    for letters in range(_LONGEST_ENDING, 0, -1):
        men, women = _sexes_of_endings().get(key[-letters:], (0, 0))
        if men + women >= _FEWEST:
            return women > men
    return False


@lru_cache(20_000)
def sex_of(word: str) -> bool | None:
    """Return whether a word in small letters is said of women; None if it tells no sex."""
    listed = listed_sex_of(word)
    if listed is not None:
        return listed
    return True if _OF_WOMEN.search(word) else False if _OF_MEN.search(word) else None


def listed_sex_of(word: str) -> bool | None:
    """Return what `sex_of` says of the words of the lists, None of others."""
    return True if word in _WOMEN else False if word in _MEN else None
