"""The compiled lists: an automaton over word keys for names, entries for the word lists.

The automaton is a trie in arrays. State 0 is the root; an edge leads from a state over a word's number to the next
state. Edges are sorted by `state * words + word`, so that a step for many places at once is one binary search.
Equal lists give equal arrays and an equal digest, in whatever order they were read.

It is read from bytes without parsing and broadcast to workers unchanged. Python objects per entry are made when a list
is first asked for.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.gazetteer.keys import entry_keys, street_spellings
from deid_core.lexicon.gazetteer.kinds import NAME_KINDS, WORD_KINDS, ListKind, bit, list_bit
from deid_core.text.vocabulary import Vocabulary

FORMAT = 2
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


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """The entries of the word lists, and those of all lists in lower case.

    words: uint8, the entries of each of kinds.WORD_KINDS in UTF-8, sorted, separated by newlines. bounds: int64, where
    in `words` each kind begins, and the end of the last. lowered: uint8, the entries of all lists in lower case, those
    of one word of a name list; sorted, separated by newlines. lists: uint32, for each of these its lists (`list_bit`).
    """

    words: npt.NDArray[np.uint8]
    bounds: npt.NDArray[np.int64]
    lowered: npt.NDArray[np.uint8]
    lists: npt.NDArray[np.uint32]


class LoweredEntries:
    """The entries of some lists in lower case: `word in entries`. All of a gazetteer look into one dictionary.

    Who asks many lists for a word looks into `Gazetteer.lists_of` once.
    """

    def __init__(self, lists_of: Mapping[str, int], lists: int) -> None:
        self._lists_of = lists_of.get
        self._lists = lists

    def __contains__(self, word: object) -> bool:
        return self._lists_of(word, 0) & self._lists != 0  # type: ignore[call-overload, no-any-return]


class Gazetteer:
    """All compiled lists; immutable, the same bytes on every worker."""

    def __init__(self, automaton: Automaton, entries: Entries) -> None:
        self.automaton = automaton
        self._entries = entries
        present = int(np.bitwise_or.reduce(automaton.exact)) if len(automaton.exact) else 0
        names = [kind for kind in NAME_KINDS if present & bit(kind)]
        filled = np.diff(entries.bounds).tolist()
        self.lists: tuple[str, ...] = (
            *map(str, names), *(str(kind) for kind, size in zip(WORD_KINDS, filled, strict=True) if size),
        )  # fmt: skip
        self._sets: dict[str, frozenset[str]] = {}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content, hexadecimal."""
        digest = hashlib.sha256(f"{FORMAT}\n{','.join(ListKind)}\n".encode())
        for array in self._arrays().values():
            digest.update(len(array).to_bytes(8, "little") + array.tobytes())
        return digest.hexdigest()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word key; made on first use."""
        return {key: number for number, key in enumerate(_lines(self.automaton.words))}

    @cached_property
    def lists_of(self) -> dict[str, int]:
        """The lists of each entry in lower case, as a sum of `list_bit`; made on first use."""
        return dict(zip(_lines(self._entries.lowered), self._entries.lists.tolist(), strict=True))

    def words(self, list_name: str) -> frozenset[str]:
        """Return the entries of a list: all of a word list, those of one word of a name list; empty if there are none.

        Entries are as in the list after cleaning, streets with their ending as in keys.word_key.
        Raises ValueError if there is no such kind of list.
        """
        found = self._sets.get(list_name)
        if found is None:
            kind = _kind(list_name)
            words = self._one_word_names(kind) if kind in NAME_KINDS else self._of_word_list(kind)
            found = self._sets[list_name] = frozenset(words)
        return found

    def lowered(self, *list_names: str) -> LoweredEntries:
        """Return the entries of these lists together, in lower case. Raises ValueError as `words` does."""
        return LoweredEntries(self.lists_of, self.bits(*list_names))

    def bits(self, *list_names: str) -> int:
        """Return the sum of the lists' `list_bit`, for values of `lists_of`. Raises ValueError as `words` does."""
        return sum({list_bit(_kind(name)) for name in list_names})

    def _one_word_names(self, kind: ListKind) -> list[str]:
        return _one_word_names(self.automaton, list(self.numbers), kind)

    def _of_word_list(self, kind: ListKind) -> list[str]:
        at = WORD_KINDS.index(kind)
        return _lines(self._entries.words[self._entries.bounds[at] : self._entries.bounds[at + 1]])

    def to_bytes(self) -> bytes:
        """Return an npz archive; the same gazetteer gives the same bytes."""
        buffer = io.BytesIO()
        np.savez(buffer, form=np.array([FORMAT], np.int64), **self._arrays())
        return buffer.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> Gazetteer:
        """Return the gazetteer of `to_bytes`. Raises ValueError if the bytes are damaged or of another version."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                form = int(archive["form"][0])
                if form == FORMAT:
                    automaton = Automaton(*(archive[f"automaton_{name}"] for name in _names(Automaton)))
                    return Gazetteer(automaton, Entries(*(archive[f"entries_{name}"] for name in _names(Entries))))
        except (KeyError, OSError, EOFError, IndexError, ValueError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"compiled lists are damaged: {type(error).__name__}") from None
        raise ValueError(f"compiled lists are of form {form}, this program reads form {FORMAT}")

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return Gazetteer.from_bytes, (self.to_bytes(),)

    def _arrays(self) -> dict[str, Any]:
        return {
            **{f"automaton_{name}": getattr(self.automaton, name) for name in _names(Automaton)},
            **{f"entries_{name}": getattr(self._entries, name) for name in _names(Entries)},
        }


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
    automaton = _automaton(exact, variant)
    return Gazetteer(automaton, _entries(automaton, {kind: sorted(set(lists.get(kind, ()))) for kind in WORD_KINDS}))


def _entries(automaton: Automaton, word_lists: Mapping[ListKind, Sequence[str]]) -> Entries:
    keys = _lines(automaton.words)
    lowered: dict[str, int] = {}
    for kind in ListKind:
        for entry in word_lists[kind] if kind in word_lists else _one_word_names(automaton, keys, kind):
            lowered[entry.lower()] = lowered.get(entry.lower(), 0) | list_bit(kind)
    entries = sorted(lowered)
    parts = [_joined(word_lists[kind]) for kind in WORD_KINDS]
    return Entries(
        words=np.concatenate(parts),
        bounds=np.cumsum([0, *map(len, parts)], dtype=np.int64),
        lowered=_joined(entries),
        lists=np.array([lowered[entry] for entry in entries], np.uint32),
    )


def _one_word_names(automaton: Automaton, keys: Sequence[str], kind: ListKind) -> list[str]:
    """Return the entries of one word of a name list. keys: the word keys, by number."""
    first_words = automaton.edges[: np.searchsorted(automaton.edges, len(keys))]
    ending = (automaton.exact[1 : len(first_words) + 1] & bit(kind)) != 0
    return [keys[number] for number in first_words[ending].tolist()]


def _kind(name: str) -> ListKind:
    if name not in tuple(ListKind):
        raise ValueError(f"there is no list {name!r}; there are: {', '.join(ListKind)}")
    return ListKind(name)


def _joined(words: Iterable[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode("utf-8"), np.uint8)


def _lines(joined: npt.NDArray[np.uint8]) -> list[str]:
    """Return the words of `_joined`."""
    return joined.tobytes().decode("utf-8").split("\n") if len(joined) else []


def _names(of: type[Automaton | Entries]) -> list[str]:
    return [field.name for field in fields(of)]


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
        _joined(words),
        np.array(edges, np.int64),
        np.array(exact_masks, np.uint32),
        np.array(variant_masks, np.uint32),
    )
