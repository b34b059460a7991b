"""Recogniser `pattern`: dates, telephone numbers, postcodes, … by the rules of deid_core/recognise/patterns.

Which rules may start at a token is known per word type: types are numbered by the set of their rules, set 0 being
none. A note's candidates are gathered in one numpy step, and only they are visited. Within a group matches do not
overlap: the leftmost start wins, then the order of the rules. Across groups they may; `decide` keeps the longest.
Rules see the note's plain form (patterns/plain.py); detections have the raw text's places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from deid_core.config import PatternSettings
from deid_core.errors import ConfigurationError, NoteError, Reason
from deid_core.labels import Label, label_of
from deid_core.recognise.base import Document
from deid_core.recognise.patterns import GROUPS
from deid_core.recognise.patterns.plain import plain_text
from deid_core.recognise.patterns.rule import PatternRule
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary
from deid_core.word_types import TypeColumn

_FLAGS = regex.VERBOSE | regex.VERSION0

GUARDED_CHARS = 20_000
"""Notes longer than this are matched with the guard: a `timeout` costs 1.7 µs a call, a match without 0.3 µs, and
within a usual note's length the bounded quantifiers are guard enough."""
MATCH_TIMEOUT_S = 2.0
"""Time for one rule at one token; a match takes microseconds."""


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A rule with its group's number and its compiled expressions."""

    rule: PatternRule
    group: int
    label: Label
    starts: regex.Pattern[str]
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
        self._rules = compile_rules([GROUPS[name] for name in dict.fromkeys(settings.groups)])
        self._any_start = regex.compile("|".join(f"(?:{c.rule.starts})" for c in self._rules) or r"(?!)", _FLAGS)
        self._sets: list[tuple[_Compiled, ...]] = [()]
        self._set_numbers: dict[tuple[int, ...], int] = {(): 0}
        self._column = TypeColumn(vocabulary, self._set_number)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """All matches of the note, ascending by the token they start at.

        Raises NoteError(ENGINE_TIMEOUT) naming the rule if a match does not end in its time.
        """
        tokens = document.tokens
        sets = self._column.gather(tokens.types)
        candidates = np.flatnonzero(sets)
        plain = plain_text(document.text)
        text, starts = plain.text, plain.places(tokens.starts[candidates])
        timeout = MATCH_TIMEOUT_S if len(text) > GUARDED_CHARS else None
        taken = [(0, 0)] * len(GROUPS)
        detections: list[Detection] = []
        for start, number in zip(starts.tolist(), sets[candidates].tolist(), strict=True):
            for compiled in self._sets[number]:
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

    def _set_number(self, word: str) -> int:
        """The number of the set of rules that may start at the word; a new set gets a new number."""
        if self._any_start.fullmatch(word) is None:
            return 0
        members = tuple(n for n, compiled in enumerate(self._rules) if compiled.starts.fullmatch(word) is not None)
        number = self._set_numbers.get(members)
        if number is None:
            number = self._set_numbers[members] = len(self._sets)
            self._sets.append(tuple(self._rules[n] for n in members))
        return number


def compile_rules(groups: Sequence[Sequence[PatternRule]]) -> list[_Compiled]:
    """The groups' rules in order, compiled."""
    compiled = []
    for number, rules in enumerate(groups):
        for rule in rules:
            pattern = regex.compile(rule.pattern, _FLAGS)
            names = pattern.groupindex
            compiled.append(
                _Compiled(
                    rule,
                    number,
                    label_of(rule.type),
                    regex.compile(rule.starts, _FLAGS),
                    pattern,
                    "phi" in names,
                    "head" in names,
                )
            )
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
