"""What two spellings of a name have in common, as a number."""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from deid_core.text.folding import folded
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_SHORTEST = 2
"""Letters of a word that counts as the same as elsewhere."""
_LONGEST_WITH_S = 4
"""Letters up to which an "s" at the end is no genitive's: Jens, Hans."""


@lru_cache(1)
def word_forms(vocabulary: Vocabulary) -> TypeFeature:
    """A column of the forms; kept for the last vocabulary: the steps of an engine share one."""
    return TypeFeature(vocabulary, word_form)


def word_form(word: str) -> int:
    """A number that is the same for a word's spellings and its genitive, 0 of what is no word or a single letter.

    A checksum, not a number of its own, since that would keep every word a second time; two words of a note have the
    same one as good as never, and then one of them is removed on less doubt.
    """
    if len(word) < _SHORTEST or token_kind(word) != WORD:
        return 0
    plain = folded(word)
    return crc32((plain[:-1] if len(plain) > _LONGEST_WITH_S and plain.endswith("s") else plain).encode())
