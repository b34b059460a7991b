"""The compiled lists: an automaton over word keys for names, sets for the small word lists.

The automaton is a trie in arrays. State 0 is the root; an edge leads from a state over a word's number to the next
state. Edges are sorted by `state * words + word`, so that a step for many places at once is one binary search.
Equal lists give equal arrays and an equal digest, in whatever order they were read.

It has no Python object per name, is read from bytes without parsing, and is broadcast to workers unchanged.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.gazetteer.keys import entry_keys, street_spellings
from deid_core.lexicon.gazetteer.kinds import NAME_KINDS, WORD_KINDS, ListKind, bit
from deid_core.text.vocabulary import Vocabulary

FORMAT = 1
"""Version of the arrays' layout; a cache with another version is compiled anew."""


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """The trie of all names.

    words: uint8, the word keys in UTF-8, sorted, separated by newlines; a key's number is its index.
    edges: int64, ascending, shape (edges,): state * number of words + word. Edge e leads to state e + 1.
    exact: uint32, shape (states,): kinds of list (bits of kinds.NAME_KINDS) with an entry that ends at the state.
    variant: the same for other spellings of entries, which the pipelines of seed 000 do not accept.
    """

    words: npt.NDArray[np.uint8]
    edges: npt.NDArray[np.int64]
    exact: npt.NDArray[np.uint32]
    variant: npt.NDArray[np.uint32]


class Gazetteer:
    """All compiled lists; immutable, the same bytes on every worker."""

    def __init__(self, automaton: Automaton, word_lists: Mapping[ListKind, Iterable[str]]) -> None:
        self.automaton = automaton
        self._word_lists = {kind: tuple(sorted(set(word_lists.get(kind, ())))) for kind in WORD_KINDS}
        present = int(np.bitwise_or.reduce(automaton.exact)) if len(automaton.exact) else 0
        names = [kind for kind in NAME_KINDS if present & bit(kind)]
        self.lists: tuple[str, ...] = (*map(str, names), *(str(k) for k, words in self._word_lists.items() if words))
        self._sets: dict[str, frozenset[str]] = {}
        self._lowered: dict[tuple[str, ...], frozenset[str]] = {}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content, hexadecimal."""
        digest = hashlib.sha256(f"{FORMAT}\n{','.join(NAME_KINDS)}\n".encode())
        for array in (self.automaton.words, self.automaton.edges, self.automaton.exact, self.automaton.variant):
            digest.update(len(array).to_bytes(8, "little") + array.tobytes())
        digest.update(self._words_json())
        return digest.hexdigest()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word key; made on first use."""
        blob = self.automaton.words.tobytes().decode("utf-8")
        return {key: number for number, key in enumerate(blob.split("\n"))} if blob else {}

    def words(self, list_name: str) -> frozenset[str]:
        """Return the entries of a list: all of a word list, those of one word of a name list; empty if there are none.

        Entries are as in the list after cleaning, streets with their ending as in keys.word_key.
        Raises ValueError if there is no such kind of list.
        """
        found = self._sets.get(list_name)
        if found is None:
            if list_name not in tuple(ListKind):
                raise ValueError(f"there is no list {list_name!r}; there are: {', '.join(ListKind)}")
            kind = ListKind(list_name)
            words = self._one_word_names(kind) if kind in NAME_KINDS else self._word_lists[kind]
            found = self._sets[list_name] = frozenset(words)
        return found

    def lowered(self, *list_names: str) -> frozenset[str]:
        """Return the entries of these lists together, in lower case. Raises ValueError as `words` does."""
        found = self._lowered.get(list_names)
        if found is None:
            entries = frozenset().union(*map(self.words, list_names))
            # No entry has a newline. One call for all entries is several times as fast as one for each.
            found = self._lowered[list_names] = frozenset("\n".join(entries).lower().split("\n") if entries else ())
        return found

    def _one_word_names(self, kind: ListKind) -> list[str]:
        keys = list(self.numbers)
        first_words = self.automaton.edges[: np.searchsorted(self.automaton.edges, len(keys))]
        ending = (self.automaton.exact[1 : len(first_words) + 1] & bit(kind)) != 0
        return [keys[number] for number in first_words[ending].tolist()]

    def to_bytes(self) -> bytes:
        """Return an npz archive; the same gazetteer gives the same bytes."""
        buffer = io.BytesIO()
        np.savez(
            buffer,
            form=np.array([FORMAT], np.int64),
            words=self.automaton.words,
            edges=self.automaton.edges,
            exact=self.automaton.exact,
            variant=self.automaton.variant,
            word_lists=np.frombuffer(self._words_json(), np.uint8),
        )
        return buffer.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> Gazetteer:
        """Return the gazetteer of `to_bytes`. Raises ValueError if the bytes are damaged or of another version."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                form = int(archive["form"][0])
                automaton = Automaton(archive["words"], archive["edges"], archive["exact"], archive["variant"])
                word_lists = json.loads(archive["word_lists"].tobytes())
        except (KeyError, OSError, EOFError, IndexError, ValueError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"compiled lists are damaged: {type(error).__name__}") from None
        if form != FORMAT:
            raise ValueError(f"compiled lists are of form {form}, this program reads form {FORMAT}")
        return Gazetteer(automaton, {ListKind(kind): words for kind, words in word_lists.items()})

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return Gazetteer.from_bytes, (self.to_bytes(),)

    def _words_json(self) -> bytes:
        return json.dumps(self._word_lists, ensure_ascii=False, sort_keys=True).encode()


def compile_lists(lists: Mapping[ListKind, Iterable[str]]) -> Gazetteer:
    """Compile the entries of lists by kind; order and repetitions do not matter."""
    exact: dict[tuple[str, ...], int] = {}
    variant: dict[tuple[str, ...], int] = {}
    vocabulary = Vocabulary()
    for kind in NAME_KINDS:
        mask = bit(kind)
        for entry in lists.get(kind, ()):
            keys = entry_keys(entry, vocabulary)
            if not keys:
                continue
            exact[keys] = exact.get(keys, 0) | mask
            if kind is ListKind.STREET:
                for spelling in street_spellings(keys):
                    variant[spelling] = variant.get(spelling, 0) | mask
    return Gazetteer(_automaton(exact, variant), {kind: lists.get(kind, ()) for kind in WORD_KINDS})


def _automaton(exact: Mapping[tuple[str, ...], int], variant: Mapping[tuple[str, ...], int]) -> Automaton:
    sequences = sorted({*exact, *variant})
    words = sorted({word for sequence in sequences for word in sequence})
    numbers = {word: number for number, word in enumerate(words)}
    # Level by level: states of one level are numbered in the order of their edges, so that edge e leads to state
    # e + 1 and all edges ascend.
    edges: list[int] = []
    exact_masks, variant_masks = [0], [0]
    level: dict[tuple[str, ...], int] = {(): 0}
    depth = 1
    while True:
        prefixes = {sequence[:depth]: None for sequence in sequences if len(sequence) >= depth}
        if not prefixes:
            break
        keyed = sorted((level[p[:-1]] * len(words) + numbers[p[-1]], p) for p in prefixes)
        level = {}
        for edge, prefix in keyed:
            edges.append(edge)
            level[prefix] = len(edges)
            exact_masks.append(exact.get(prefix, 0))
            variant_masks.append(variant.get(prefix, 0))
        depth += 1
    return Automaton(
        np.frombuffer("\n".join(words).encode("utf-8"), np.uint8),
        np.array(edges, np.int64),
        np.array(exact_masks, np.uint32),
        np.array(variant_masks, np.uint32),
    )
