"""Recogniser `pattern`: dates, telephone numbers, postcodes and more, by the rules of this package's groups.

Each word type has a set of rules that may match at it; set 0 is empty. Most rules also ask something of the tokens
around (PatternRule.token_pair and the fields that follow it). What a word offers its neighbours is a bit mask, known
per word type, too. One compiled pass (prefilter.py) finds the candidates, and only there patterns are matched, one
group after the other: a rule that is still in the processor's caches costs a third of one that is not.
Within a group matches do not overlap: the leftmost start wins, then the order of the rules. Matches of different groups
may overlap; the ensemble resolves that.
Rules see the document's plain text (plain_text.py); detections have offsets into the document's text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np
import numpy.typing as npt
import regex

from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.recognisers.pattern.document_style import DocumentStyle
from deid_core.recognisers.pattern.groups import GROUPS
from deid_core.recognisers.pattern.plain_text import plain_text
from deid_core.recognisers.pattern.rule import ALWAYS, PatternRule
from deid_core.recognisers.settings import PatternSettings
from deid_core.text.arrays import with_room
from deid_core.text.document import Document
from deid_core.text.regex_set import RegexSet, kept_expressions
from deid_core.text.tokens import Tokens
from deid_core.text.vocabulary import TypeFeature, Vocabulary

GUARDED_CHARS = 20_000
"""Only notes longer than this are matched with a `timeout`, which costs 1.7 µs a call where a match without costs
0.3 µs. In notes of usual length the bounded quantifiers suffice."""
MATCH_TIMEOUT_S = 2.0
"""Time limit of one rule at one token; a match takes microseconds."""

_BREAK = "\n"
"""The word that stands for the end of a line, a cell or the note in PatternRule.second_next."""

_Numbers = npt.NDArray[np.int32]
_Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _GroupRule:
    """A rule with the number of its group and the constant fields of its detections."""

    rule: PatternRule
    group: int
    detection_fields: tuple[Label, PhiType, str, str, float]


class PatternRecogniser:
    """Finds PHI that has a form of its own.

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
        from deid_core.recognisers.pattern.prefilter import find_candidates

        self._find_candidates = find_candidates
        self._rules = [
            _GroupRule(rule, number, (label_of(rule.type), rule.type, self.kind, rule.name, rule.score))
            for number, name in enumerate(dict.fromkeys(settings.groups))
            for rule in GROUPS[name]
        ]
        self._kept_patterns = kept_expressions(tuple(of_group.rule.pattern for of_group in self._rules))
        self._patterns: list[regex.Pattern[str] | None] = [None] * len(self._rules)
        """Of each rule, None as long as it was not tried."""
        self._groups_of = np.array([of_group.group for of_group in self._rules], np.uint8)
        self._bits: dict[str, int] = {}
        """The bit of each condition on a neighbouring token: 62 at most, the bits of an int64 less sign and ALWAYS."""
        self._rows: dict[str, list[_Row]] = {}
        """For each expression on the candidate token the rows of the rule table that it brings."""
        for number, of_group in enumerate(self._rules):
            rule = of_group.rule
            if rule.token_regex is not None:
                self._rows.setdefault(rule.token_regex, []).append((number, ALWAYS, ALWAYS, ALWAYS))
            if rule.token_pair is not None:
                token, next_of_pair = rule.token_pair
                after = (self._bit(next_of_pair), self._bit(rule.next_token), self._bit(rule.second_next))
                self._rows.setdefault(token, []).append((number, *after))
        # One set for both: what they have in common is looked up once for each word.
        self._expressions = RegexSet([*self._rows, *self._bits])
        # Few different results occur, so what follows from each is kept.
        self._kind_of: dict[tuple[frozenset[str], frozenset[str]], int] = {}
        self._rule_sets = np.zeros(64, np.uint32)
        self._masks = np.zeros(64, np.int64)
        """Of each kind of word the set of rules that may match at it, and the conditions that it meets."""
        self._rule_table = np.zeros((64, 4), np.int64)
        """The rows of all sets of rules, one set after the other; set_starts has where each begins."""
        self._set_starts = np.zeros(64, np.int64)
        self._set_sizes = np.zeros(64, np.int64)
        self._set_numbers: dict[tuple[_Row, ...], int] = {(): 0}
        self._kinds = TypeFeature(vocabulary, self._kind, np.int32)
        self._break_mask = self._mask(self._expressions.matches(_BREAK))
        self._full_stop = vocabulary.number(".")

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Return all matches in the note, group by group, ascending within a group by the token they start at.

        Raises NoteError(ENGINE_TIMEOUT) naming the rule if a match exceeds its time limit.
        """
        plain = plain_text(document.text)
        text = plain.text
        style = DocumentStyle(text)
        tokens, rules = self._candidates(document.tokens, text.count("\n") > document.text.count("\n"))
        by_group = self._groups_of[rules].argsort(kind="stable")
        starts, rules = plain.from_raw(document.tokens.starts[tokens[by_group]]), rules[by_group]
        is_guarded = len(text) > GUARDED_CHARS
        last_match = [(0, 0)] * len(GROUPS)
        detections: list[Detection] = []
        for start, number in zip(starts.tolist(), rules.tolist(), strict=True):
            of_group = self._rules[number]
            last_start, last_end = last_match[of_group.group]
            if last_start <= start < last_end:
                continue
            pattern = self._patterns[number]
            if pattern is None:
                pattern = self._patterns[number] = self._kept_patterns[number]
            # Most patterns do not match.
            found = _in_time(of_group.rule, pattern, text, start) if is_guarded else pattern.match(text, start)
            if found is None:
                continue
            interval = _phi(of_group.rule, found, style)
            if interval is not None and not (interval[0] < last_end and last_start < interval[1]):
                last_match[of_group.group] = interval
                detections.append(Detection(*plain.to_raw(*interval), *of_group.detection_fields))
        return detections

    def _candidates(self, tokens: Tokens, hidden_breaks: bool) -> tuple[_Numbers, _Numbers]:
        """Return the tokens at which rules are tried, ascending, and for each the number of the rule.

        hidden_breaks: the note has line ends that the tokens do not show (U+2028), so a line may end at any token.
        """
        kinds = self._kinds.gather(tokens.types)
        rule_sets, masks = self._rule_sets.take(kinds), self._masks.take(kinds)
        room = int(self._set_sizes[rule_sets].sum())
        candidate_tokens, candidate_rules = np.empty(room, np.int32), np.empty(room, np.int32)
        count = self._find_candidates(
            tokens.types,
            np.ones_like(tokens.breaks) if hidden_breaks else tokens.breaks,
            rule_sets,
            masks,
            self._full_stop,
            self._break_mask,
            self._set_starts,
            self._rule_table,
            candidate_tokens,
            candidate_rules,
        )
        return candidate_tokens[:count], candidate_rules[:count]

    def _bit(self, condition: str | None) -> int:
        """Return the bit of a condition, ALWAYS where there is none."""
        return ALWAYS if condition is None else self._bits.setdefault(condition, ALWAYS << len(self._bits) + 1)

    def _kind(self, word: str) -> int:
        """Return the number of the word's kind: words of one kind have the same rules and meet the same conditions."""
        matching = met = self._expressions.matches(word)
        # A word that is a single mark may be any dash; rules know one.
        if not (word.isascii() or word.isalpha()) and (plain := plain_text(word).text) != word:
            met = self._expressions.matches(plain)
        number = self._kind_of.get((matching, met))
        if number is None:
            number = len(self._kind_of)
            rule_set, mask = self._set_number(self._rows.keys() & matching), self._mask(met)
            self._rule_sets, self._masks = with_room(self._rule_sets, number + 1), with_room(self._masks, number + 1)
            self._rule_sets[number], self._masks[number] = rule_set, mask
            self._kind_of[matching, met] = number
        return number

    def _mask(self, met: frozenset[str]) -> int:
        """Return the bits of the conditions that are met."""
        return reduce(or_, (self._bits[condition] for condition in self._bits.keys() & met), ALWAYS)

    def _set_number(self, expressions: Iterable[str]) -> int:
        """Return the number of the set of rules that these token expressions bring; a new set gets a new number."""
        by_rule: dict[int, _Row] = {}
        for expression in expressions:
            for row in self._rows[expression]:
                # The lowest row of a rule is the one without conditions, if there is one: it needs no other.
                by_rule[row[0]] = min(row, by_rule.get(row[0], row))
        rows = tuple(sorted(by_rule.values()))
        number = self._set_numbers.get(rows)
        if number is None:
            number = self._set_numbers[rows] = len(self._set_numbers)
            self._set_starts = with_room(self._set_starts, number + 2)
            self._set_sizes = with_room(self._set_sizes, number + 1)
            start, end = self._set_starts[number], self._set_starts[number] + len(rows)
            self._rule_table = with_room(self._rule_table, end)
            self._rule_table[start:end] = rows
            self._set_starts[number + 1], self._set_sizes[number] = end, len(rows)
        return number


def _in_time(rule: PatternRule, pattern: regex.Pattern[str], text: str, position: int) -> regex.Match[str] | None:
    """Return the match at a position, if there is one; raise NoteError if it takes longer than MATCH_TIMEOUT_S."""
    try:
        return pattern.match(text, position, timeout=MATCH_TIMEOUT_S)
    except TimeoutError:
        raise NoteError(Reason.ENGINE_TIMEOUT, rule.name) from None


def _phi(rule: PatternRule, match: regex.Match[str], style: DocumentStyle) -> tuple[int, int] | None:
    """Return the PHI's [start, end) in a match of the rule, None if the rule's checks refuse it."""
    if (rule.check is not None and not rule.check(match)) or (rule.style is not None and not rule.style(style)):
        return None
    start, end = match.span()
    names = match.re.groupindex
    if "phi" in names:
        phi = match.span("phi")
        start, end = phi if phi[0] >= 0 else (start, end)
    if "head" in names and match.start("head") >= 0:
        start = match.start("head")
    return (start, end) if start < end else None
