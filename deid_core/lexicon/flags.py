"""What word lists say of a word type, as bits: evidence for the recognisers that weigh a word.

The bits below are of the gazetteer's lists; recognisers make bits of lists of their own with `bits_by_word`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

IS_WORD = 1
CAPITALISED = 2
STOP = 4
"""A function word, a salutation, a title or a clinic's own vocabulary: never a search term (seed 000, 4.3)."""
COMMON = 8
"""A common German or medical word, or an eponym; may be a name as well (Stein, Sommer)."""
GIVEN_NAME = 16
SURNAME = 32

NAMEABLE = IS_WORD | CAPITALISED
NAMEABLE_OR_STOP = NAMEABLE | STOP
"""A word can be of a name if `bits & NAMEABLE_OR_STOP == NAMEABLE`: a capitalised word that is no stop word."""

_STOP_LISTS = ("stop_word", "clinic_word", "title", "salutation")
_COMMON_LISTS = ("common_word", "medical_word", "eponym")


@lru_cache(1)
def word_bits(gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeFeature:
    """A column of the bits above; lists are looked up without regard to case, names as they are written.

    Kept for the last vocabulary: the recognisers of an engine share one column.
    """
    stop, common = lowered(gazetteer, *_STOP_LISTS), lowered(gazetteer, *_COMMON_LISTS)
    months = lowered(gazetteer, "month")
    given, family = gazetteer.words("first_name"), gazetteer.words("surname")

    def compute(word: str) -> int:
        if token_kind(word) != WORD:
            return 0
        lower = word.lower()
        bits = IS_WORD
        if word[0].isupper():
            bits |= CAPITALISED
        if lower in stop or lower.rstrip(".") in stop:
            bits |= STOP
        if lower in common:
            bits |= COMMON
        # "GROß" is in capitals as well.
        titled = word.title() if word.replace("ß", "").isupper() else word
        if titled in given:
            bits |= GIVEN_NAME
        elif lower in months:
            bits |= STOP  # but Jan and August are given names as well
        if titled in family:
            bits |= SURNAME
        return bits

    return TypeFeature(vocabulary, compute)


def lowered(gazetteer: Gazetteer, *lists: str) -> frozenset[str]:
    """The words of the gazetteer's lists with these names, in lower case."""
    return frozenset(word.lower() for name in lists for word in gazetteer.words(name))


def bits_by_word(lists: Mapping[int, str]) -> dict[str, int]:
    """For each word the bits of all lists that have it; a list is a string of words with blanks between them."""
    bits: dict[str, int] = {}
    for bit, words in lists.items():
        for word in words.split():
            bits[word] = bits.get(word, 0) | bit
    return bits
