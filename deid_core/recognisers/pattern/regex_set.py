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


@cache
def compiled_expression(expression: str) -> _Pattern:
    """Return the compiled expression; all engines of a process share it.

    Compiling the patterns of all rules takes seconds, so a pattern is compiled when it is first tried.
    """
    return regex.compile(expression, FLAGS)


_Numbers = tuple[int, ...]


def _compiled_set(expressions: Sequence[str]) -> tuple[Sequence[_Pattern], dict[int, _Pattern]]:
    """Return the compiled expressions and, by number, those that search backwards; from the cache if they are there.

    What is kept is the code that `regex` gives for pickling a pattern, as a Python literal; it is read without pickle.
    """
    reduce: Callable[[_Pattern], tuple[Any, Any]] = vars(copyreg)["dispatch_table"][regex.Pattern]
    load, _ = reduce(regex.compile("", FLAGS))

    def compute() -> Arrays:
        forwards, backwards = _compile_set(expressions)
        code = ([reduce(pattern)[1] for pattern in forwards], {n: reduce(p)[1] for n, p in backwards.items()})
        return {"code": strings_to_array((repr(code),))}

    arrays = cached_arrays("\0".join((f"regex {regex.__version__} {FLAGS}", *expressions)), compute)
    forwards, backwards = literal_eval(strings_of(arrays["code"])[0])
    return [load(*code) for code in forwards], {number: load(*code) for number, code in backwards.items()}


def _compile_set(expressions: Sequence[str]) -> tuple[Sequence[_Pattern], dict[int, _Pattern]]:
    compiled = [regex.compile(expression, FLAGS) for expression in expressions]
    everything = tuple(range(len(compiled)))
    any_prefix = set.intersection(*(set(_possible(compiled, rare, everything)) for rare in _RARE_PREFIXES))
    by_suffix = [n for n in any_prefix if not any(sign in expressions[n] for sign in _CONTEXT_SIGNS)]
    return compiled, {n: regex.compile(f"(?r){expressions[n]}", FLAGS) for n in by_suffix}


class RegexSet:
    """Tells which expressions match a whole word; tries only those that its first or last characters allow.

    A partial match tells which expressions can match a word with a given prefix: it reaches the end of the prefix
    without failing. Expressions that any prefix allows are selected by suffix, with a backwards search, unless they
    have look-arounds.
    """

    def __init__(self, expressions: Iterable[str]) -> None:
        self._expressions = tuple(dict.fromkeys(expressions))
        self._compiled, self._backwards = _compiled_set(self._expressions)
        everything = range(len(self._compiled))
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
