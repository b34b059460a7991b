"""Recogniser `pattern`: dates, telephone numbers, postcodes, … by the rules of deid_core/recognise/patterns.

Which rules may start at a token is known per word type: types are numbered by the set of their rules, set 0 being
none. Some of a set's rules are behind a gate that only certain next words open (PatternRule.before); which gates a word
opens is known per type, too. So a note's candidates are gathered in a few numpy steps, and only they are visited.
Within a group matches do not overlap: the leftmost start wins, then the order of the rules. Across groups they may;
`decide` keeps the longest.
Rules see the note's plain form (patterns/plain.py); detections have the raw text's places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np
import numpy.typing as npt
import regex

from deid_core.config import PatternSettings
from deid_core.errors import ConfigurationError, NoteError, Reason
from deid_core.labels import Label, label_of
from deid_core.recognise.base import Document
from deid_core.recognise.patterns import GROUPS
from deid_core.recognise.patterns.plain import plain_text
from deid_core.recognise.patterns.rule import PatternRule
from deid_core.spans import Detection
from deid_core.tokens import Tokens, Vocabulary
from deid_core.word_types import TypeColumn, with_room

GUARDED_CHARS = 20_000
"""Notes longer than this are matched with the guard: a `timeout` costs 1.7 µs a call, a match without 0.3 µs, and
within a usual note's length the bounded quantifiers are guard enough."""
MATCH_TIMEOUT_S = 2.0
"""Time for one rule at one token; a match takes microseconds."""

_FLAGS = regex.VERBOSE | regex.VERSION0
_BEGINNING = 2
"""Characters of a word that tell which expressions it may fit: with one twice as many are left, with three the table
has six times as many beginnings."""
_OPEN = 1
"""The gate that every next word opens; each expression for next words has a gate, a bit of its own, 62 at most."""

_Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A rule with its group's number and its compiled expression; gate: that of its `before`, 0 without one."""

    rule: PatternRule
    group: int
    label: Label
    gate: int
    pattern: regex.Pattern[str]
    has_phi: bool
    has_head: bool


class _Expressions:
    """Many expressions for words, of which few fit one: each is tried only where the word begins as it may.

    Which expressions a word with this beginning can fit, a partial match tells: it runs out of text, but did not fail.
    """

    def __init__(self, expressions: Iterable[str]) -> None:
        distinct = dict.fromkeys(expressions)
        self._begun: dict[str, tuple[tuple[str, regex.Pattern[str]], ...]] = {
            "": tuple((expression, regex.compile(expression, _FLAGS)) for expression in distinct)
        }

    def fitting(self, word: str) -> frozenset[str]:
        """Those that match the whole word."""
        return frozenset(
            expression
            for expression, compiled in self._beginning(word[:_BEGINNING])
            if compiled.fullmatch(word) is not None
        )

    def _beginning(self, beginning: str) -> tuple[tuple[str, regex.Pattern[str]], ...]:
        """The expressions that may fit a word with this beginning; found among those of the beginning's beginning."""
        begun = self._begun.get(beginning)
        if begun is None:
            begun = self._begun[beginning] = tuple(
                (expression, compiled)
                for expression, compiled in self._beginning(beginning[:-1])
                if compiled.fullmatch(beginning, partial=True) is not None
            )
        return begun


class PatternRecogniser:
    """Finds what a pattern can tell by itself.

    Raises ConfigurationError if the settings name a group that does not exist.
    """

    kind = "pattern"

    def __init__(self, settings: PatternSettings, vocabulary: Vocabulary) -> None:
        if unknown := [name for name in settings.groups if name not in GROUPS]:
            there_are = ", ".join(GROUPS)
            raise ConfigurationError(
                [f"recogniser pattern: there is no group {name!r}; there are: {there_are}" for name in unknown]
            )
        self._rules, self._gates = _compile([GROUPS[name] for name in dict.fromkeys(settings.groups)])
        self._following = _Expressions(self._gates)
        self._started_by: dict[str, list[tuple[int, int]]] = {}
        """What a word must match → the rules that may start at it, by number, and the gate of each."""
        for rule, compiled in enumerate(self._rules):
            self._started_by.setdefault(compiled.rule.starts, []).append((rule, _OPEN))
            if compiled.rule.before is not None:
                self._started_by.setdefault(compiled.rule.before[0], []).append((rule, compiled.gate))
        self._starts = _Expressions(self._started_by)
        self._sets: list[tuple[tuple[_Compiled, int], ...]] = [()]
        """Of each set its rules with their gates."""
        self._set_numbers: dict[tuple[tuple[int, int], ...], int] = {(): 0}
        self._set_gates = np.zeros(64, np.int64)
        """Of each set the gates of all its rules."""
        self._tried: dict[tuple[int, int], tuple[_Compiled, ...]] = {}
        self._set_column = TypeColumn(vocabulary, self._set_number)
        self._gate_column = TypeColumn(vocabulary, self._gates_opened, np.int64)
        self._full_stop = vocabulary.number(".")

    def recognise(self, document: Document) -> Iterable[Detection]:
        """All matches of the note, ascending by the token they start at.

        Raises NoteError(ENGINE_TIMEOUT) naming the rule if a match does not end in its time.
        """
        tokens = document.tokens
        candidates, sets, gates = self._candidates(tokens)
        plain = plain_text(document.text)
        text, starts = plain.text, plain.places(tokens.starts[candidates])
        timeout = MATCH_TIMEOUT_S if len(text) > GUARDED_CHARS else None
        taken = [(0, 0)] * len(GROUPS)
        detections: list[Detection] = []
        for start, key in zip(starts.tolist(), zip(sets.tolist(), gates.tolist(), strict=True), strict=True):
            for compiled in self._tried.get(key) or self._rules_tried(*key):
                last_start, last_end = taken[compiled.group]
                if last_start <= start < last_end:
                    continue
                place = _match(compiled, text, start, timeout)
                if place is not None and not (place[0] < last_end and last_start < place[1]):
                    taken[compiled.group] = place
                    rule = compiled.rule
                    detections.append(
                        Detection(*plain.raw(*place), compiled.label, rule.type, self.kind, rule.name, rule.score)
                    )
        return detections

    def _candidates(self, tokens: Tokens) -> tuple[_Numbers, _Numbers, _Numbers]:
        """The tokens at which a rule is tried, and for each the number of its set of rules and the open gates."""
        types = tokens.types
        if not len(types):
            return (np.zeros(0, np.int64),) * 3
        sets = self._set_column.gather(types)
        # Two more, for what stands behind the note's end.
        opened = np.append(self._gate_column.gather(types), (_OPEN, _OPEN))
        opened_behind = opened[1:-1]
        stops = np.flatnonzero(types[1:] == self._full_stop)
        opened_behind[stops] = opened[stops + 2]
        candidates = np.flatnonzero(sets)
        sets = sets[candidates].astype(np.int64)
        gates = opened_behind[candidates] & self._set_gates[sets]
        tried = np.flatnonzero(gates)
        return candidates[tried], sets[tried], gates[tried]

    def _rules_tried(self, number: int, gates: int) -> tuple[_Compiled, ...]:
        """The rules of a set that are tried with these gates open; kept, since few sets and gates occur together."""
        rules = tuple(compiled for compiled, gate in self._sets[number] if gate & gates)
        self._tried[number, gates] = rules
        return rules

    def _gates_opened(self, word: str) -> int:
        """The gates that the word opens for the word before it."""
        # A word of a mark may be any dash; rules know one.
        word = plain_text(word).text
        return reduce(or_, (self._gates[following] for following in self._following.fitting(word)), _OPEN)

    def _set_number(self, word: str) -> int:
        """The number of the set of rules that may start at the word; a new set gets a new number."""
        found: dict[int, int] = {}
        for expression in self._starts.fitting(word):
            for rule, gate in self._started_by[expression]:
                # A rule that may start here whatever follows needs no gate.
                found[rule] = min(gate, found.get(rule, gate))
        members = tuple(sorted(found.items()))
        number = self._set_numbers.get(members)
        if number is None:
            number = self._set_numbers[members] = len(self._sets)
            self._sets.append(tuple((self._rules[rule], gate) for rule, gate in members))
            self._set_gates = with_room(self._set_gates, number + 1)
            self._set_gates[number] = reduce(or_, (gate for _, gate in members), 0)
        return number


def _compile(groups: Sequence[Sequence[PatternRule]]) -> tuple[list[_Compiled], dict[str, int]]:
    """The groups' rules in order, compiled, and the gates: expression for next words → its bit."""
    compiled: list[_Compiled] = []
    gates: dict[str, int] = {}
    for number, rules in enumerate(groups):
        for rule in rules:
            pattern = regex.compile(rule.pattern, _FLAGS)
            names = pattern.groupindex
            compiled.append(
                _Compiled(
                    rule,
                    number,
                    label_of(rule.type),
                    0 if rule.before is None else gates.setdefault(rule.before[1], _OPEN << len(gates) + 1),
                    pattern,
                    "phi" in names,
                    "head" in names,
                )
            )
    return compiled, gates


def _match(compiled: _Compiled, text: str, at: int, timeout: float | None) -> tuple[int, int] | None:
    """The PHI's [start, end) if the rule matches at the token that starts at `at`."""
    if timeout is None:
        match = compiled.pattern.match(text, at)
    else:
        try:
            match = compiled.pattern.match(text, at, timeout=timeout)
        except TimeoutError:
            raise NoteError(Reason.ENGINE_TIMEOUT, compiled.rule.name) from None
    if match is None:
        return None
    check = compiled.rule.check
    if check is not None and not check(match):
        return None
    start, end = match.span()
    if compiled.has_phi:
        phi = match.span("phi")
        start, end = phi if phi[0] >= 0 else (start, end)
    if compiled.has_head and match.start("head") >= 0:
        start = match.start("head")
    return (start, end) if start < end else None
