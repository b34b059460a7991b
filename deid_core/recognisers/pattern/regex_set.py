"""A set of expressions matched together against one word, quickly where few of them match."""

from __future__ import annotations

import copyreg
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import regex

from deid_core.core.array_cache import Arrays, cached_arrays, strings_of, strings_to_array

FLAGS = regex.VERBOSE | regex.VERSION0
_PREFIX_CHARS = 3
"""First characters of a word that select the expressions to try. The last ones select among expressions that may begin
with any letters ("…sparkasse"). One more or one less costs more time, in tables to build or in matches."""
_SUFFIX_CHARS = 2
_RARE_PREFIXES = "Yqy", "yqy"
"""No word begins so: an expression that may match a word with this prefix may match one with any prefix."""
_CONTEXT_SIGNS = ("(?=", "(?!", "(?<", r"\b", "^", "$", "(?>", "++", "*+", "?+", "}+")
"""Look-arounds and possessive quantifiers: expressions with them may match differently from the end of a word."""

_Pattern = regex.Pattern[str]
_Numbers = tuple[int, ...]


class KeptExpressions:
    """Expressions, compiled with FLAGS and kept in the cache; each is loaded when it is first asked for.

    Compiling those of all rules takes over a second. What is kept is the code that `regex` gives for pickling a
    pattern, as a Python literal; it is read without pickle.
    """

    def __init__(self, expressions: Sequence[str]) -> None:
        def compute() -> Arrays:
            compiled = [regex.compile(expression, FLAGS) for expression in expressions]
            return {"code": strings_to_array(repr(_reduced(pattern)[1]) for pattern in compiled)}

        arrays = cached_arrays("\0".join((f"one by one, regex {regex.__version__} {FLAGS}", *expressions)), compute)
        self._code = strings_of(arrays["code"])
        self._load, _ = _reduced(regex.compile("", FLAGS))
        self._loaded: list[_Pattern | None] = [None] * len(self._code)

    def __getitem__(self, number: int) -> _Pattern:
        found = self._loaded[number]
        if found is None:
            found = self._loaded[number] = self._load(*literal_eval(self._code[number]))
        return found


@cache
def kept_expressions(expressions: tuple[str, ...]) -> KeptExpressions:
    """Return the expressions, compiled; all engines of a process share them."""
    return KeptExpressions(expressions)


def _reduced(pattern: _Pattern) -> tuple[Callable[..., _Pattern], tuple[Any, ...]]:
    """Return the function that loads the pattern, and its arguments."""
    reduced: tuple[Any, Any] = vars(copyreg)["dispatch_table"][regex.Pattern](pattern)
    return reduced


class RegexSet:
    """Tells which expressions match a whole word; tries only those that its first or last characters allow.

    A partial match tells which expressions can match a word with a given prefix: it reaches the end of the prefix
    without failing. Expressions that any prefix allows are selected by suffix, with a backwards search, unless they
    have look-arounds.
    """

    def __init__(self, expressions: Iterable[str]) -> None:
        self._expressions = tuple(dict.fromkeys(expressions))
        everything = tuple(range(len(self._expressions)))
        kept = kept_expressions(self._expressions)
        self._compiled = [kept[n] for n in everything]
        any_prefix = set.intersection(*(set(_possible(self._compiled, rare, everything)) for rare in _RARE_PREFIXES))
        by_suffix = [n for n in sorted(any_prefix) if not any(sign in self._expressions[n] for sign in _CONTEXT_SIGNS)]
        kept = kept_expressions(tuple(f"(?r){self._expressions[n]}" for n in by_suffix))
        self._backwards = {n: kept[place] for place, n in enumerate(by_suffix)}
        self._by_prefix: dict[str, _Numbers] = {"": tuple(n for n in everything if n not in self._backwards)}
        self._by_suffix: dict[str, _Numbers] = {"": tuple(self._backwards)}
        self._results: dict[_Numbers, frozenset[str]] = {}
        # One tuple object for all prefixes and suffixes with the same expressions.
        self._interned: dict[_Numbers, _Numbers] = {}

    def matches(self, word: str) -> frozenset[str]:
        """Return the expressions that match the whole word; equal results are the same object."""
        compiled = self._compiled
        possible = self._for_prefix(word[:_PREFIX_CHARS]) + self._for_suffix(word[-_SUFFIX_CHARS:])
        matching = tuple([n for n in possible if compiled[n].fullmatch(word) is not None])
        result = self._results.get(matching)
        if result is None:
            result = self._results[matching] = frozenset(self._expressions[n] for n in matching)
        return result

    def _for_prefix(self, prefix: str) -> _Numbers:
        """Return the expressions that can match a word with this prefix, selected from those of the shorter prefix."""
        possible = self._by_prefix.get(prefix)
        if possible is None:
            possible = _possible(self._compiled, prefix, self._for_prefix(prefix[:-1]))
            possible = self._by_prefix[prefix] = self._interned.setdefault(possible, possible)
        return possible

    def _for_suffix(self, suffix: str) -> _Numbers:
        """Return the same for a suffix."""
        possible = self._by_suffix.get(suffix)
        if possible is None:
            possible = _possible(self._backwards, suffix, self._for_suffix(suffix[1:]))
            possible = self._by_suffix[suffix] = self._interned.setdefault(possible, possible)
        return possible


def _possible(compiled: Mapping[int, _Pattern] | Sequence[_Pattern], part: str, among: _Numbers) -> _Numbers:
    """Return those of the expressions `among` that can match a word with this prefix or suffix."""
    return tuple(number for number in among if compiled[number].fullmatch(part, partial=True) is not None)
