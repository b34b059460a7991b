"""Which of many expressions fit a word, where few do: for what a rule asks of a token, and of the tokens around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import regex

FLAGS = regex.VERBOSE | regex.VERSION0
_BEGINNING = 3
"""Characters of a word that tell which expressions it may fit; its last ones tell the same of expressions that any
letters may begin ("…sparkasse"). One more or less costs more, in tables that have to be made or in matches."""
_ENDING = 2
_UNUSUAL = "Yqy", "yqy"
"""Beginnings of no words: what may begin so may begin in any way."""
_LOOKS_AROUND = ("(?=", "(?!", "(?<", r"\b", "^", "$", "(?>", "++", "*+", "?+", "}+")
"""Signs of what may match otherwise from the end than from the beginning: looks, and what gives nothing back."""

_Pattern = regex.Pattern[str]
_Some = tuple[int, ...]


class Expressions:
    """Expressions for words, each tried only where the word begins as it may, or, if that tells nothing, so ends.

    Which expressions a word with this beginning can fit, a partial match tells: it runs out of text, but did not fail.
    So it does of an ending that is searched backwards, unless the expression looks around itself.
    """

    def __init__(self, expressions: Iterable[str]) -> None:
        self._expressions = tuple(dict.fromkeys(expressions))
        self._compiled = tuple(regex.compile(expression, FLAGS) for expression in self._expressions)
        everything = tuple(range(len(self._compiled)))
        for_any = set.intersection(*(set(_partly(self._compiled, begun, everything)) for begun in _UNUSUAL))
        by_ending = [n for n in for_any if not any(sign in self._expressions[n] for sign in _LOOKS_AROUND)]
        self._backwards = {n: regex.compile(f"(?r){self._expressions[n]}", FLAGS) for n in by_ending}
        self._begun: dict[str, _Some] = {"": tuple(n for n in everything if n not in self._backwards)}
        self._ended: dict[str, _Some] = {"": tuple(self._backwards)}
        self._found: dict[_Some, frozenset[str]] = {}
        # Of the same expressions one tuple for all beginnings and endings.
        self._kept: dict[_Some, _Some] = {}

    def fitting(self, word: str) -> frozenset[str]:
        """Those that match the whole word; the same object for the same ones."""
        compiled = self._compiled
        may_fit = self._beginning(word[:_BEGINNING]) + self._ending(word[-_ENDING:])
        fitting = tuple([n for n in may_fit if compiled[n].fullmatch(word) is not None])
        found = self._found.get(fitting)
        if found is None:
            found = self._found[fitting] = frozenset(self._expressions[n] for n in fitting)
        return found

    def _beginning(self, beginning: str) -> _Some:
        """The expressions that may fit a word with this beginning; found among those of the beginning's beginning."""
        begun = self._begun.get(beginning)
        if begun is None:
            begun = _partly(self._compiled, beginning, self._beginning(beginning[:-1]))
            begun = self._begun[beginning] = self._kept.setdefault(begun, begun)
        return begun

    def _ending(self, ending: str) -> _Some:
        """The same of endings."""
        ended = self._ended.get(ending)
        if ended is None:
            ended = _partly(self._backwards, ending, self._ending(ending[1:]))
            ended = self._ended[ending] = self._kept.setdefault(ended, ended)
        return ended


def _partly(compiled: Mapping[int, _Pattern] | Sequence[_Pattern], part: str, among: _Some) -> _Some:
    """Which of the expressions `among` may fit a word with this part."""
    return tuple(number for number in among if compiled[number].fullmatch(part, partial=True) is not None)
