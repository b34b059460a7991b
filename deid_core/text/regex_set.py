"""A set of expressions matched together against one word, quickly where few of them match.

The pattern rules ask of each word which of some 300 expressions match it.
"""

from __future__ import annotations

import copyreg
import json
import unicodedata
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import Any

import regex

from deid_core.core.array_cache import Arrays, cached_arrays, strings_of, strings_to_array
from deid_core.text.regex_alternatives import (
    alternatives_of,
    asks_for_form,
    beginning_of,
    folded,
    has_mark,
    words_of,
)

FLAGS = regex.VERBOSE | regex.VERSION0
_PREFIX_CHARS = 3
"""First characters of a word that select the expressions to try. The last ones select among expressions that may begin
with any letters ("…sparkasse"). One more or one less costs more time, in tables to build or in matches."""
_SUFFIX_CHARS = 2
_RARE_PREFIXES, _RARE_SUFFIX = ("Yqy", "yqy"), "yq"
"""No word begins so: an expression that may match a word with this prefix may match one with any prefix."""
_CONTEXT = regex.compile(r"\(\?[=!<>]|\\b|(?<!\[)\^|\$|(?:[*+?]|\{[\d,]+\})\+")
"""Look-arounds and possessive quantifiers: expressions with them may match differently from the end of a word."""
_BEFORE_ENDING = regex.compile(rf"\(\?<[=!]\w+\)(?=\w{{{_SUFFIX_CHARS + 1}}})")
"""A look-behind before so many letters that the end of a word, which selects, does not reach it."""
_LATIN = [chr(code) for code in range(0x250)]
_FORM = str.maketrans(
    {c: "Q" for c in _LATIN if unicodedata.category(c) == "Lu"}
    | {c: "q" for c in _LATIN if unicodedata.category(c) == "Ll"}
    | dict.fromkeys("123456789", "0")
)
"""From a word to its form, in which all capitals are one letter, all small letters another, and all digits 0."""

_Pattern = regex.Pattern[str]
_Numbers = tuple[int, ...]


class KeptExpressions(dict[int, _Pattern]):
    """Expressions by number, compiled with FLAGS and kept in the cache; each is loaded when it is first asked for.

    Compiling those of all rules takes over a second. What is kept is the code that `regex` gives for pickling a
    pattern, as a Python literal; it is read without pickle.
    """

    def __init__(self, expressions: Sequence[str]) -> None:
        super().__init__()

        def compute() -> Arrays:
            compiled = [regex.compile(expression, FLAGS) for expression in expressions]
            return {"code": strings_to_array(repr(_reduced(pattern)[1]) for pattern in compiled)}

        arrays = cached_arrays("\0".join((f"one by one, regex {regex.__version__} {FLAGS}", *expressions)), compute)
        self._code = strings_of(arrays["code"])
        self._load, _ = _reduced(regex.compile("", FLAGS))

    def __missing__(self, number: int) -> _Pattern:
        found = self[number] = self._load(*literal_eval(self._code[number]))
        return found


@cache
def kept_expressions(expressions: tuple[str, ...]) -> KeptExpressions:
    """Return the expressions, compiled; all engines of a process share them."""
    return KeptExpressions(expressions)


def _reduced(pattern: _Pattern) -> tuple[Callable[..., _Pattern], tuple[Any, ...]]:
    """Return the function that loads the pattern, and its arguments."""
    reduced: tuple[Any, Any] = vars(copyreg)["dispatch_table"][regex.Pattern](pattern)
    return reduced


@dataclass(frozen=True, slots=True)
class _Plan:
    """The alternatives of a set of expressions, and how those are selected that are tried at a word.

    expressions: of each alternative the expressions that it belongs to. by_word: by their only words, folded. of_form:
    those that ask for kinds of letters and digits alone. by_beginning: by their first letters, folded. by_prefix and
    by_suffix: others. backwards: all that are compiled to search backwards. with_mark: those that any prefix and suffix
    allow, but no word of letters alone.
    """

    alternatives: Sequence[str]
    expressions: Sequence[Sequence[int]]
    by_word: Mapping[str, Sequence[int]]
    of_form: Sequence[int]
    by_beginning: Mapping[str, Sequence[int]]
    by_prefix: Sequence[int]
    by_suffix: Sequence[int]
    backwards: Sequence[int]
    with_mark: Sequence[int]


def _kept_plan(expressions: tuple[str, ...]) -> _Plan:
    """Return the plan from the cache; making it takes some hundred milliseconds."""

    def compute() -> Arrays:
        return {"plan": strings_to_array([json.dumps(asdict(_plan(expressions)))])}

    arrays = cached_arrays("\0".join((f"alternatives, regex {regex.__version__}", *expressions)), compute)
    (plan,) = strings_of(arrays["plan"])
    return _Plan(**json.loads(plan))


def _plan(expressions: tuple[str, ...]) -> _Plan:
    expressions_of: dict[str, list[int]] = {}
    for number, expression in enumerate(expressions):
        for alternative in alternatives_of(expression):
            expressions_of.setdefault(alternative, []).append(number)
    alternatives = tuple(expressions_of)
    by_word: dict[str, list[int]] = {}
    by_beginning: dict[str, list[int]] = {}
    of_form: list[int] = []
    others: list[int] = []
    for number, alternative in enumerate(alternatives):
        if words := words_of(alternative):
            for word in words:
                by_word.setdefault(word, []).append(number)
        elif asks_for_form(alternative):
            of_form.append(number)
        elif beginning := beginning_of(alternative)[:_PREFIX_CHARS]:
            by_beginning.setdefault(beginning, []).append(number)
        else:
            others.append(number)
    compiled = kept_expressions(alternatives)
    any_prefix = set.intersection(*(set(_possible(compiled, prefix, others)) for prefix in _RARE_PREFIXES))
    backwards = [n for n in sorted(any_prefix) if not _CONTEXT.search(_BEFORE_ENDING.sub("", alternatives[n]))]
    kept = kept_expressions(tuple(f"(?r){alternatives[n]}" for n in backwards))
    any_suffix = _possible({n: kept[place] for place, n in enumerate(backwards)}, _RARE_SUFFIX, backwards)
    with_mark = [n for n in any_suffix if has_mark(alternatives[n])]
    return _Plan(
        alternatives,
        tuple(expressions_of.values()),
        by_word,
        of_form,
        by_beginning,
        by_prefix=[n for n in others if n not in backwards],
        by_suffix=[n for n in backwards if n not in with_mark],
        backwards=backwards,
        with_mark=with_mark,
    )


class RegexSet:
    """Tells which expressions match a whole word; tries only alternatives that the word's characters allow.

    An expression matches if one of its alternatives does (regex_alternatives.py). Those that ask for kinds of letters
    and digits alone are tried once for all words of one form. Others are selected by the only word that they match, by
    their first letters, by prefix, or, if any prefix allows them, by suffix.
    """

    def __init__(self, expressions: Iterable[str]) -> None:
        self._expressions = tuple(dict.fromkeys(expressions))
        plan = _kept_plan(self._expressions)
        self._expressions_of = plan.expressions
        self._compiled = kept_expressions(tuple(plan.alternatives))
        kept = kept_expressions(tuple(f"(?r){plan.alternatives[n]}" for n in plan.backwards))
        backwards = {n: kept[place] for place, n in enumerate(plan.backwards)}
        self._by_word, self._with_mark = plan.by_word, plan.with_mark
        self._by_form = _Selection(self._compiled, plan.of_form)
        self._by_prefix = _Selection(self._compiled, plan.by_prefix, plan.by_beginning)
        self._by_suffix = _Selection(backwards, plan.by_suffix)
        self._of_form: dict[str, _Numbers] = {}
        self._results: dict[_Numbers, frozenset[str]] = {}

    def matches(self, word: str) -> frozenset[str]:
        """Return the expressions that match the whole word; equal results are the same object."""
        form = word.translate(_FORM)
        matching = self._of_form.get(form)
        if matching is None:
            matching = self._of_form[form] = self._matching(form, self._by_form.prefix(form[:_PREFIX_CHARS]))
        possible = self._by_prefix.prefix(word[:_PREFIX_CHARS]) + self._by_suffix.suffix(word[-_SUFFIX_CHARS:])
        if (of_word := self._by_word.get(folded(word))) is not None:
            possible = (*possible, *of_word)
        if not word.isalpha():
            possible = (*possible, *self._with_mark)
        if possible:
            matching += self._matching(word, possible)
        result = self._results.get(matching)
        if result is None:
            found = chain.from_iterable(self._expressions_of[n] for n in matching)
            result = self._results[matching] = frozenset(self._expressions[n] for n in found)
        return result

    def _matching(self, word: str, among: Sequence[int]) -> _Numbers:
        compiled = self._compiled
        return tuple([n for n in among if compiled[n].fullmatch(word) is not None])


class _Selection:
    """Of some expressions those that can match a word with a given prefix, or suffix; each is found out once.

    A partial match tells it: it reaches the end of the prefix without failing.
    """

    def __init__(
        self,
        compiled: Mapping[int, _Pattern],
        numbers: Iterable[int],
        by_beginning: Mapping[str, Sequence[int]] = MappingProxyType({}),
    ) -> None:
        """by_beginning: more expressions, by the folded letters with which all that they match begins."""
        self._compiled = compiled
        self._by_beginning = by_beginning
        self._of: dict[str, _Numbers] = {"": tuple(numbers)}
        # One tuple object for all prefixes with the same expressions.
        self._interned: dict[_Numbers, _Numbers] = {}

    def prefix(self, prefix: str) -> _Numbers:
        """Return the expressions that can match a word with this prefix, selected from those of the shorter prefix."""
        found = self._of.get(prefix)
        if found is None:
            letters, before = folded(prefix), len(folded(prefix[:-1]))
            begin = [self._by_beginning.get(letters[:end], ()) for end in range(before + 1, len(letters) + 1)]
            found = self._add(prefix, (*self.prefix(prefix[:-1]), *chain.from_iterable(begin)))
        return found

    def suffix(self, suffix: str) -> _Numbers:
        """Return the expressions, which search backwards, that can match a word with this suffix."""
        found = self._of.get(suffix)
        return self._add(suffix, self.suffix(suffix[1:])) if found is None else found

    def _add(self, part: str, among: _Numbers) -> _Numbers:
        possible = _possible(self._compiled, part, among)
        found = self._of[part] = self._interned.setdefault(possible, possible)
        return found


def _possible(compiled: Mapping[int, _Pattern], part: str, among: Iterable[int]) -> _Numbers:
    """Return those of the expressions `among` that can match a word with this prefix or suffix."""
    return tuple([number for number in among if compiled[number].fullmatch(part, partial=True) is not None])
