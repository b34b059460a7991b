"""The form of a word: a number that its spellings and its genitive share."""

from __future__ import annotations

from zlib import crc32

from deid_core.text.folding import folded
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_MIN_LETTERS = 2
_MAX_LETTERS_WITHOUT_GENITIVE = 4
"""In a word of at most so many letters an "s" at the end belongs to the name: Jens, Hans."""


def word_forms(vocabulary: Vocabulary) -> TypeFeature:
    """Return the forms of the vocabulary's word types, one table per vocabulary."""
    return vocabulary.shared(word_forms, lambda: TypeFeature(vocabulary, word_form))


def word_form(word: str) -> int:
    """Return a number that all spellings of a word and its genitive share, 0 for a single letter or what is no word.

    The number is a checksum, which needs no second table of words. Two words of a note almost never have the same one.
    If they do, the threshold for one of them is that of a repeated name.
    """
    if len(word) < _MIN_LETTERS or token_kind(word) != WORD:
        return 0
    plain = folded(word)
    is_genitive = len(plain) > _MAX_LETTERS_WITHOUT_GENITIVE and plain.endswith("s")
    return crc32((plain[:-1] if is_genitive else plain).encode())
