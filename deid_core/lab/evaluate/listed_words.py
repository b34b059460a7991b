"""What the error analysis knows about words: common words, listed words, words that may precede a name."""

from __future__ import annotations

from dataclasses import dataclass

from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.name_regexes import PARTICLES

_COMMON = ("common_word", "medical_word", "clinic_word", "stop_word", "month")
_PREFIXES = ("title", "salutation", "stop_word")
_NAMES = ("first_name", "surname", "town", "street", "country", "region", "hospital", "eponym", "title", "salutation")


@dataclass(frozen=True, slots=True)
class ListedWords:
    """Words in lower case without a full stop at their end; compared so."""

    common: frozenset[str]
    names: frozenset[str]
    prefixes: frozenset[str]

    @staticmethod
    def of(gazetteer: Gazetteer) -> ListedWords:
        """The words of the compiled lists; of names of several words none."""
        common, names, prefixes = (
            frozenset(_plain(word) for kind in kinds for word in gazetteer.words(kind))
            for kinds in (_COMMON, _NAMES, _PREFIXES)
        )
        return ListedWords(common, names, prefixes | PARTICLES)

    def is_common(self, word: str) -> bool:
        """Whether the word is one of common or medical language."""
        return _plain(word) in self.common

    def is_name(self, word: str) -> bool:
        """Whether a list of names, titles or salutations has the word."""
        return _plain(word) in self.names

    def is_listed(self, word: str) -> bool:
        """Whether any list has the word."""
        plain = _plain(word)
        return plain in self.names or plain in self.common

    def is_prefix(self, word: str) -> bool:
        """Whether the word may stand before a name and be taken for part of it: an article, particle, title."""
        return _plain(word) in self.prefixes


def _plain(word: str) -> str:
    return word.lower().rstrip(".")
