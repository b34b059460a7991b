"""Recogniser `pattern`: dates, telephone numbers, postcodes, … by the rules of deid_core/recognise/patterns.

Which rules may start at a token is known per word type: types are numbered by the set of their rules, set 0 being
none. Most rules also ask what stands around the token (PatternRule.before and the fields that follow it); which of
these expressions a word matches, the gates that it opens, is known per type, too. So where a rule is tried is found in
one pass of compiled code (patterns/tries.py), and only these places are visited, those of one group after the other: a
rule that the caches still hold from its last try costs a third of one that they do not.
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

from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.recognisers.pattern.expressions import FLAGS, Expressions
from deid_core.recognisers.pattern.groups import GROUPS
from deid_core.recognisers.pattern.plain_text import plain_text
from deid_core.recognisers.pattern.rule import OPEN, RULE, PatternRule
from deid_core.recognisers.settings import PatternSettings
from deid_core.text.arrays import with_room
from deid_core.text.document import Document
from deid_core.text.tokens import Tokens
from deid_core.text.vocabulary import TypeFeature, Vocabulary

GUARDED_CHARS = 20_000
"""Notes longer than this are matched with the guard: a `timeout` costs 1.7 µs a call, a match without 0.3 µs, and
within a usual note's length the bounded quantifiers are guard enough."""
MATCH_TIMEOUT_S = 2.0
"""Time for one rule at one token; a match takes microseconds."""

_BREAK = "\n"
"""What stands for a line's or a cell's end, or the note's, where a rule asks for the token behind the next one."""

_Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A rule with its group's number, what its detections say beside their place, and its compiled expression."""

    rule: PatternRule
    group: int
    said: tuple[Label, PhiType, str, str, float]
    pattern: regex.Pattern[str]
    has_phi: bool
    has_head: bool


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
        # Compiled code is loaded with the first engine, not with a command that reads no note.
        from deid_core.recognisers.pattern.prefilter import tries

        self._find_tries = tries
        self._rules = _compile([GROUPS[name] for name in dict.fromkeys(settings.groups)])
        self._groups_of = np.array([compiled.group for compiled in self._rules], np.uint8)
        self._gates: dict[str, int] = {}
        """Of each expression for what stands around a token the gate: a bit of its own, 62 at most."""
        # First, so that theirs are the lowest bits: the pass over the tokens counts up to the last of them.
        self._near_gates = reduce(or_, (self._gate(compiled.rule.near) for compiled in self._rules), 0) & ~OPEN
        self._started_by: dict[str, list[tuple[int, ...]]] = {}
        """What a word must match → entries of the rules that may start at it, as `tries` has them."""
        for number, compiled in enumerate(self._rules):
            rule = compiled.rule
            around = (self._gate(rule.after), self._gate(rule.near))
            self._started_by.setdefault(rule.starts, []).append((number, OPEN, OPEN, OPEN, *around))
            if rule.before is not None:
                behind = (self._gate(rule.before[1]), self._gate(rule.direct), self._gate(rule.then))
                self._started_by.setdefault(rule.before[0], []).append((number, *behind, *around))
        self._starts = Expressions(self._started_by)
        self._around = Expressions(self._gates)
        # What follows from the expressions that a word fits; words have few such sets.
        self._gates_of: dict[frozenset[str], int] = {}
        self._set_of: dict[frozenset[str], int] = {}
        self._entries = np.zeros((64, 6), np.int64)
        """Of all sets, one set's behind the other's; bounds: where each set's begin."""
        self._bounds = np.zeros(64, np.int64)
        self._sizes = np.zeros(64, np.int64)
        self._set_numbers: dict[tuple[tuple[int, ...], ...], int] = {(): 0}
        self._set_column = TypeFeature(vocabulary, self._set_number)
        self._gate_column = TypeFeature(vocabulary, self._gates_opened, np.int64)
        self._opened_by_break = self._gates_opened(_BREAK)
        self._full_stop = vocabulary.number(".")

    def recognise(self, document: Document) -> Iterable[Detection]:
        """All matches of the note, group by group, a group's ascending by the token they start at.

        Raises NoteError(ENGINE_TIMEOUT) naming the rule if a match does not end in its time.
        """
        plain = plain_text(document.text)
        text = plain.text
        tokens, rules = self._tries(document.tokens, text.count("\n") > document.text.count("\n"))
        by_group = self._groups_of[rules].argsort(kind="stable")
        starts, rules = plain.places(document.tokens.starts[tokens[by_group]]), rules[by_group]
        timeout = MATCH_TIMEOUT_S if len(text) > GUARDED_CHARS else None
        taken = [(0, 0)] * len(GROUPS)
        detections: list[Detection] = []
        for start, number in zip(starts.tolist(), rules.tolist(), strict=True):
            compiled = self._rules[number]
            last_start, last_end = taken[compiled.group]
            if last_start <= start < last_end:
                continue
            place = _match(compiled, text, start, timeout)
            if place is not None and not (place[0] < last_end and last_start < place[1]):
                taken[compiled.group] = place
                detections.append(Detection(*plain.raw(*place), *compiled.said))
        return detections

    def _tries(self, tokens: Tokens, foreign_breaks: bool) -> tuple[_Numbers, _Numbers]:
        """The tokens at which rules are tried, ascending, and for each the number of the rule.

        foreign_breaks: the note has ends of lines that are none for its tokens (U+2028), so one may be anywhere.
        """
        sets, opened = self._set_column.gather(tokens.types), self._gate_column.gather(tokens.types)
        room = int(self._sizes[sets].sum())
        at, rules = np.empty(room, np.int32), np.empty(room, np.int32)
        count = self._find_tries(
            tokens.starts,
            tokens.ends,
            tokens.types,
            np.ones_like(tokens.breaks) if foreign_breaks else tokens.breaks,
            sets,
            opened,
            self._full_stop,
            self._opened_by_break,
            self._near_gates,
            self._bounds,
            self._entries,
            at,
            rules,
        )
        return at[:count], rules[:count]

    def _gate(self, expression: str | None) -> int:
        """The gate of an expression; the open one where there is none."""
        return OPEN if expression is None else self._gates.setdefault(expression, OPEN << len(self._gates) + 1)

    def _gates_opened(self, word: str) -> int:
        """The gates that the word opens for the words around it."""
        # A word of a mark may be any dash; rules know one.
        fitting = self._around.fitting(word if word.isascii() else plain_text(word).text)
        gates = self._gates_of.get(fitting)
        if gates is None:
            gates = reduce(or_, (self._gates[expression] for expression in fitting), OPEN)
            self._gates_of[fitting] = gates
        return gates

    def _set_number(self, word: str) -> int:
        """The number of the set of rules that may start at the word; a new set gets a new number."""
        fitting = self._starts.fitting(word)
        number = self._set_of.get(fitting)
        if number is None:
            number = self._set_of[fitting] = self._number_of_rules(fitting)
        return number

    def _number_of_rules(self, fitting: frozenset[str]) -> int:
        """The number of the set of rules that may start at words that fit these expressions."""
        found: dict[int, tuple[int, ...]] = {}
        for expression in fitting:
            for entry in self._started_by[expression]:
                # A rule that may start here whatever follows needs no gate: the lowest entry has open ones.
                found[entry[RULE]] = min(entry, found.get(entry[RULE], entry))
        members = tuple(sorted(found.values()))
        number = self._set_numbers.get(members)
        if number is None:
            number = self._set_numbers[members] = len(self._set_numbers)
            self._bounds, self._sizes = with_room(self._bounds, number + 2), with_room(self._sizes, number + 1)
            first, end = self._bounds[number], self._bounds[number] + len(members)
            self._entries = with_room(self._entries, end)
            self._entries[first:end] = members
            self._bounds[number + 1], self._sizes[number] = end, len(members)
        return number


def _compile(groups: Sequence[Sequence[PatternRule]]) -> list[_Compiled]:
    """The groups' rules in order, compiled."""
    compiled: list[_Compiled] = []
    for number, rules in enumerate(groups):
        for rule in rules:
            pattern = regex.compile(rule.pattern, FLAGS)
            names = pattern.groupindex
            said = (label_of(rule.type), rule.type, PatternRecogniser.kind, rule.name, rule.score)
            compiled.append(_Compiled(rule, number, said, pattern, "phi" in names, "head" in names))
    return compiled


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
