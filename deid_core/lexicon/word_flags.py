"""What the gazetteer's lists say about a word type, as flags.

`word_flags` computes them once per word type. Recognisers make flags of their own word lists with
core/word_lists.py.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence

from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

# Plain integers for code that runs once per token: arithmetic with members of an IntFlag is slow.
IS_WORD = 1
"""The token begins with a letter."""
CAPITALISED = 2
STOP = 4
"""A function word, a salutation, a title or a clinic's own vocabulary: never a search term (seed 000, 4.3)."""
COMMON = 8
"""A common German or medical word, or an eponym. It may be a name as well (Stein, Sommer)."""
GIVEN_NAME = 16
SURNAME = 32
BEGINNING = 64
"""At least three letters that are no word of the lists, but with which a common or medical word begins."""

NAMEABLE = IS_WORD | CAPITALISED
NAMEABLE_OR_STOP = NAMEABLE | STOP
"""A word can be part of a name if `flags & NAMEABLE_OR_STOP == NAMEABLE`: it is capitalised and no stop word."""

_STOP_LISTS = ("stop_word", "clinic_word", "title", "salutation")
_COMMON_LISTS = ("common_word", "medical_word", "eponym")
_WORD_LISTS = ("common_word", "medical_word")
_SHORTEST_BEGINNING = 3


def word_flags(gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeFeature:
    """Return the flags of the vocabulary's word types, one table per vocabulary.

    Lists are looked up without regard to case, names as they are written.
    """
    return vocabulary.shared((word_flags, gazetteer), lambda: _word_flags(gazetteer, vocabulary))


def listed_names(flags: TypeFeature, word: str) -> int:
    """Return as which names (GIVEN_NAME, SURNAME) a list has the word, in whatever case it is written."""
    return flags.of(word.capitalize()) & (SURNAME | GIVEN_NAME)


def _word_flags(gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeFeature:
    lists_of = gazetteer.lists_of
    stop, common, months = gazetteer.bits(*_STOP_LISTS), gazetteer.bits(*_COMMON_LISTS), gazetteer.bits("month")
    of_words = gazetteer.bits(*_WORD_LISTS)
    given, family = gazetteer.words("first_name"), gazetteer.words("surname")
    # Sorted, since the entries are.
    words = [word for word, lists in lists_of.items() if lists & of_words]

    def compute(word: str) -> int:
        if token_kind(word) != WORD:
            return 0
        lower = word.lower()
        flags = IS_WORD
        if word[0].isupper():
            flags |= CAPITALISED
        lists = lists_of.get(lower, 0)
        if lists & stop or (lower[-1] == "." and lists_of.get(lower.rstrip("."), 0) & stop):
            flags |= STOP
        if lists & common:
            flags |= COMMON
        elif len(word) >= _SHORTEST_BEGINNING and _begins(words, lower):
            flags |= BEGINNING
        # "GROß" is in capitals as well.
        titled = word.title() if word.replace("ß", "").isupper() else word
        if titled in given:
            flags |= GIVEN_NAME
        elif lists & months:
            flags |= STOP  # but Jan and August are given names as well
        if titled in family:
            flags |= SURNAME
        return flags

    return TypeFeature(vocabulary, compute)


def _begins(words: Sequence[str], part: str) -> bool:
    """Return whether one of the words begins with the part and is longer. words: sorted."""
    after = bisect(words, part)
    return after < len(words) and words[after].startswith(part)
