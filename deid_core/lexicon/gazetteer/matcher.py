"""Match compiled lists against the tokens of a note: at each token the longest entry that begins there.

The number of a word's key is computed once per word type; match_kernel.py steps the automaton over these numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.keys import HYPHENS, variant_keys, word_key
from deid_core.lexicon.gazetteer.kinds import NAME_KINDS, ListKind, bit
from deid_core.text.tokens import Tokens
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_UNKNOWN = -1
_HYPHEN = re.compile(f"[{HYPHENS}]")
_PERSON = (bit(ListKind.FIRST_NAME), bit(ListKind.SURNAME))


@dataclass(frozen=True, slots=True)
class Matches:
    """The longest match at each token that has one.

    rows: int64 (matches, 3), start_token, which ascends, end_token, and lists (bits of kinds.NAME_KINDS). exact: bool
    (matches,), spelled as in the list.
    """

    rows: npt.NDArray[np.int64]
    exact: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def start_token(self) -> npt.NDArray[np.int64]:
        """The first token of each match."""
        return self.rows[:, 0]

    @property
    def end_token(self) -> npt.NDArray[np.int64]:
        """The token after the last one of each match."""
        return self.rows[:, 1]

    @property
    def lists(self) -> npt.NDArray[np.int64]:
        """The lists that have each match."""
        return self.rows[:, 2]

    def outermost(self) -> Matches:
        """Return the matches that do not lie within another one; overlapping ones that are not contained stay."""
        if not len(self):
            return self
        reached = np.maximum.accumulate(self.end_token)
        keep = np.ones(len(self), bool)
        keep[1:] = self.end_token[1:] > reached[:-1]
        return Matches(self.rows[keep], self.exact[keep])


class Matcher:
    """Finds entries of some lists in notes of one vocabulary.

    variants: also find other spellings of a street and, for words that no list has, genitives, upper case, umlauts
    written out, and double names made of listed names (Müller-Schmidt, Berlin-Mitte).
    """

    def __init__(
        self, gazetteer: Gazetteer, vocabulary: Vocabulary, lists: Iterable[str] = NAME_KINDS, *, variants: bool = False
    ) -> None:
        self._wanted = np.uint32(sum(bit(name) for name in set(lists)))
        self._numbers = gazetteer.numbers
        automaton = gazetteer.automaton
        self._edges = automaton.edges
        self._words = len(self._numbers)
        self._accept_exact = (automaton.exact & self._wanted) != 0
        self._accept = automaton.exact | automaton.variant if variants else automaton.exact
        self._accept = self._accept & self._wanted
        roots = self._edges[: np.searchsorted(self._edges, self._words)]
        # One more than words: the key of an unknown word is -1, and the last state is 0.
        self._from_root = np.zeros(self._words + 1, np.int64)
        self._from_root[roots] = np.arange(1, len(roots) + 1)
        self._keys = TypeFeature(vocabulary, self._key_or_variant if variants else self._key, np.int32)
        self._as_listed = TypeFeature(vocabulary, lambda word: self._key(word) != _UNKNOWN, bool)
        self._doubles = TypeFeature(vocabulary, self._double, np.uint32) if variants else None

    def match(self, tokens: Tokens) -> Matches:
        """Return the longest match at each token of a note."""
        # Imported here: building lists needs no numba.
        from deid_core.lexicon.gazetteer.match_kernel import longest_matches

        types, total = tokens.types, len(tokens)
        found, exact = np.empty((total, 3), np.int64), np.empty(total, bool)
        count = longest_matches(
            self._keys.gather(types),
            self._as_listed.gather(types),
            np.zeros(total, np.uint32) if self._doubles is None else self._doubles.gather(types),
            self._from_root,
            self._edges,
            self._words,
            self._accept,
            self._accept_exact,
            found,
            exact,
        )
        return Matches(found[:count], exact[:count])

    def lists_of(self, word: str) -> int:
        """Return the mask of lists that have this word as an entry."""
        number = self._key(word)
        return 0 if number == _UNKNOWN else int(self._accept[self._from_root[number]])

    def _key(self, word: str) -> int:
        return self._numbers.get(word_key(word), _UNKNOWN)

    def _key_or_variant(self, word: str) -> int:
        key = self._key(word)
        if key != _UNKNOWN or not word[0].isalpha():
            return key
        return next((n for key in variant_keys(word) if (n := self._numbers.get(key)) is not None), _UNKNOWN)

    def _double(self, word: str) -> int:
        """Return the lists of a hyphenated word that no list has: person if all parts are, town if the first is."""
        parts = _HYPHEN.split(word)
        if len(parts) == 1 or self._key(word) != _UNKNOWN:
            return 0
        if not all(part[:1].isupper() and len(part) > 2 for part in parts):
            return 0
        masks = [self.lists_of(part) for part in parts]
        mask = 0
        for kind in _PERSON:
            if all(m & kind for m in masks):
                mask |= kind
        return mask | (masks[0] & bit(ListKind.TOWN) if all(masks) else 0)
