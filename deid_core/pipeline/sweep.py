"""The sweep: look for what is known of a note's people in the text that is left after redaction.

It does not use the engine's decisions: it takes known terms (known_terms.py) and searches the output text outside the
replacements. It shares with the engine the tokeniser, the reader of header fields, whose result it takes over from
recogniser `letterhead`, and the matcher of spelling variants (letterhead/fuzzy_match.py).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from deid_core.core.labels import Label, label_of
from deid_core.core.spans import Dropped, DropReason, Span
from deid_core.ensemble.own_lists import NeverRemoved
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.lexicon.name_regexes import SALUTE, TITLES
from deid_core.pipeline.known_terms import MIN_DIGITS, TYPES, Term, TermKind, TermSource, date_of, digits_of
from deid_core.pipeline.sweep_words import Hit, SearchWords, WordTypes
from deid_core.text.arrays import code_points
from deid_core.text.vocabulary import Vocabulary

KIND = "sweep"
"""The sweep's name in spans and among dropped detections."""
NOBODY = "none"
"""Who should have found a term if the pipeline has no recogniser for its kind."""
_BETWEEN = re.compile(r"[ \u00a0,.-]{1,3}|[ \u00a0]?\n[ \u00a0]?")
"""What may stand between two words of a name."""
_LONG_NUMBER = re.compile(r"\d(?:[\s()./–-]{0,3}\d){5,}")
"""At least MIN_DIGITS digits with separators."""
_SHORT_NUMBER = re.compile(r"(?<![\w.,/])\d{4,5}(?![\w/]|[.,]\d)")
_DATE = re.compile(
    r"\d(?<!\d\d)(?:\d{3}-\d{1,2}-\d{1,2}"
    r"|\d?\.?[ ./-]{0,2}(?:\d{1,2}|[^\W\d_]{3,9}\.?)[ ./-]{1,2}(?:\d{4}|\d{2}))(?!\d)"
)
"""It begins with a digit, to which the search skips."""
_CAPITAL = r"[A-ZÄÖÜ]"
_INITIALS = re.compile(rf"(?<!\w)({_CAPITAL})\.[ \u00a0]?({_CAPITAL})\.(?!\w)")
_INITIAL_AFTER_SALUTE = re.compile(rf"(?:\b{SALUTE}|<{Label.SALUTE}>)[ \u00a0]+(?P<initial>{_CAPITAL}\.)(?!\w)")
_ADDRESSED = re.compile(rf"(?:\b{SALUTE}|\b{TITLES}|<(?:{Label.SALUTE}|{Label.TITLE})>)[ \u00a0]*\Z")
_INITIAL_BEFORE = re.compile(rf"(?<!\w)({_CAPITAL})\.[ \u00a0]?\Z")
_OTHER_DIGITS = 0x0660
"""The first digit that is not one of 0 to 9."""
_BEFORE = 24
"""Characters before a word in which a salutation, a title or an initial may stand."""

_RESPONSIBLE = {
    TermKind.NAME: ("letterhead", "gazetteer", "crf"),
    TermKind.ADDRESS: ("letterhead", "gazetteer"),
}
_PATTERN = ("pattern",)
"""Recognisers that look for a kind of term, the first that a pipeline has is named; `pattern` for other kinds."""
_DROPPED_BY = {
    DropReason.DROP_ABOVE: "stacking",
    DropReason.CUT_ABOVE: "stacking",
    DropReason.FOREIGN: "foreign_passages",
    DropReason.TRIMMED: "boundary_trimming",
    DropReason.NEVER: "own_list",
}
"""Who decided against a term that a recogniser had found."""


class Leak(NamedTuple):
    """A range [start, end) of the output text in which a term stands.

    common: the word is also a particle or a common word, so it is counted and not redacted.
    """

    start: int
    end: int
    kind: TermKind
    source: TermSource
    common: bool


class LeakRule(NamedTuple):
    """The rule of a span or drop of the sweep, and the detail of a quarantined note: "header.name.letterhead".

    missed_by: the recogniser, or step of the ensemble, that should have removed the term.
    """

    source: TermSource
    kind: TermKind
    missed_by: str

    def __str__(self) -> str:
        return ".".join(self)

    @staticmethod
    def from_text(text: str) -> LeakRule:
        """Return the rule of its text. Before version 0.5 this was the kind alone."""
        if "." not in text:
            return LeakRule(TermSource.HEADER, TermKind(text), NOBODY)
        source, kind, missed_by = text.split(".", 2)
        return LeakRule(TermSource(source), TermKind(kind), missed_by)


def in_note(leaks: Iterable[Leak], spans: Sequence[Span], outputs: Sequence[tuple[int, int]]) -> Iterator[Leak]:
    """Yield leaks with their places in the note instead of the output.

    spans, outputs: of the note, and what stands for each in the output. A leak around a span that is replaced by
    nothing is yielded as what stands before and after it.
    """
    starts, ends = [start for start, _ in outputs], [end for _, end in outputs]
    for leak in leaks:
        first, last = bisect_right(ends, leak.start), bisect_left(starts, leak.end)
        start, end = (
            place + (spans[number - 1].end - ends[number - 1] if number else 0)
            for place, number in ((leak.start, first), (leak.end, last))
        )
        edges = [start, *chain.from_iterable((span.start, span.end) for span in spans[first:last]), end]
        for one, other in zip(edges[::2], edges[1::2], strict=True):
            if one < other:
                yield leak._replace(start=one, end=other)


class Sweep:
    """Looks for terms in output texts; it holds word lists and no state of a note."""

    def __init__(
        self,
        gazetteer: Gazetteer,
        vocabulary: Vocabulary | None = None,
        recognisers: Collection[str] = (),
        keep: Collection[Label] = (),
        never: Iterable[str] = (),
    ) -> None:
        """vocabulary: the engine's. recognisers: kinds of the pipeline. keep, never: labels and words that it does not
        remove; a name of the header, or that the hospital knows, is removed all the same, unless persons are kept.
        """
        self._vocabulary = Vocabulary() if vocabulary is None else vocabulary
        self._never = NeverRemoved([*never, *gazetteer.words(ListKind.KEPT_WORD)], self._vocabulary)
        self._types = WordTypes(gazetteer, self._vocabulary)
        self._kinds = frozenset(kind for kind in TermKind if label_of(TYPES[kind]) not in keep)
        self._responsible = {
            kind: next((name for name in _RESPONSIBLE.get(kind, _PATTERN) if name in recognisers), NOBODY)
            for kind in TermKind
        }

    def find(self, text: str, replaced: Iterable[tuple[int, int]], terms: Collection[Term]) -> list[Leak]:
        """Return where terms stand in an output text, ascending, each range once.

        replaced: (start, end) in `text` of what stands for the removed spans; it is not searched, since a surrogate may
        equal a name of the header by chance.
        """
        searched = [term for term in terms if term.kind in self._kinds]
        left = _without(text, replaced)
        found: dict[tuple[int, int], Leak] = {}
        for leak in self._all(text, left, searched):
            other = found.get(leak[:2])
            if other is None or (other.common and not leak.common):
                found[leak[:2]] = leak
        return self._removable(text, sorted(found.values()))

    def _removable(self, text: str, leaks: list[Leak]) -> list[Leak]:
        """Return the leaks without words that are never removed."""
        if not any(_may_be_kept(leak) for leak in leaks):
            return leaks
        kept = self._never.places(text)
        return [
            leak
            for leak in leaks
            if not (_may_be_kept(leak) and any(start <= leak.start and leak.end <= end for start, end in kept))
        ]

    def added(
        self, leaks: Iterable[Leak], spans: Sequence[Span], dropped: Iterable[Dropped] = ()
    ) -> tuple[tuple[Span, ...], tuple[Dropped, ...]]:
        """Return the note's spans with one added for each leak, and the leaks that stay because they are common words.

        leaks: with places of the note (`in_note`), ascending. spans: ascending and disjoint, and so are the spans that
        are returned. dropped: what the ensemble decided against.
        """
        known: list[Span] = []
        common: list[Dropped] = []
        decided = list(dropped)
        for leak in leaks:
            start, end, phi = leak.start, leak.end, TYPES[leak.kind]
            span = Span(start, end, label_of(phi), phi, KIND, str(self._rule(leak, decided)))
            if leak.common:
                common.append(Dropped.from_detection(span, DropReason.COMMON))
            elif known and start < known[-1].end:
                known[-1] = known[-1]._replace(end=max(end, known[-1].end))
            else:
                known.append(span)
        return tuple(sorted([*spans, *known])), tuple(common)

    def is_readable(self, text: str, replaced: Iterable[tuple[int, int]], terms: Collection[Term]) -> bool:
        """Return whether a term stands in an output text that is to be redacted."""
        return any(not leak.common for leak in self.find(text, replaced, terms))

    def rules(self, leaks: Iterable[Leak]) -> list[str]:
        """Return the rules of leaks, sorted, each once."""
        return sorted({str(self._rule(leak, ())) for leak in leaks})

    def _rule(self, leak: Leak, dropped: Iterable[Dropped]) -> LeakRule:
        decided = (
            name
            for drop in dropped
            if drop.start < leak.end and leak.start < drop.end and (name := _DROPPED_BY.get(drop.reason))
        )
        return LeakRule(leak.source, leak.kind, next(decided, self._responsible[leak.kind]))

    def _all(self, text: str, left: str, terms: Sequence[Term]) -> Iterator[Leak]:
        yield from self._names(text, left, terms)
        yield from _numbers(left, terms)
        yield from _initials(text, left, terms)
        yield from _electronic(left, [term for term in terms if term.kind is TermKind.ELECTRONIC])
        births = {date_of(term.text): term.source for term in reversed(terms) if term.kind is TermKind.BIRTH_DATE}
        # Most texts have none of these years, which is quick to see.
        if any(f"{date[0]:02}" in left for date in births if date):
            for match in _DATE.finditer(left):
                if (date := date_of(match.group())) in births and date:
                    yield Leak(*match.span(), TermKind.BIRTH_DATE, births[date], common=False)

    def _names(self, text: str, left: str, terms: Sequence[Term]) -> Iterator[Leak]:
        """Yield words that are a name's or an address's word in any case, inflected or misspelt.

        A common word counts as a name beside another word of the name, and after a salutation, title or initial.
        """
        # Names first: a word that is of both counts as a name.
        named = [term for kind in (TermKind.NAME, TermKind.ADDRESS) for term in terms if term.kind is kind]
        known = SearchWords(named, self._types.is_stop)
        if not known.pieces:
            return
        found = list(self._types.closest(self._vocabulary.tokenise(left), list(known.pieces)))
        together: set[int] = set()
        for kind, words in known.terms if any(hit.common or hit.compound for hit in found) else ():
            for run in _runs(left, (hit for hit in found if not hit.distance and hit.piece in words)):
                if self._types.is_whole({words[hit.piece] for hit in run}, kind):
                    together.update(hit.start for hit in run)
        for hit in found:
            kind, source = known.pieces[hit.piece]
            # A street's name is a compound most often.
            common = hit.common or (hit.compound and (hit.distance > 0 or kind is TermKind.NAME))
            if common and hit.start in together:
                common = False
            elif common and not self._types.is_stop(hit.word):
                common = not _is_named(text, hit.start, kind, () if hit.distance else known.initials)
            yield Leak(hit.start, hit.end, kind, source, common)


def _may_be_kept(leak: Leak) -> bool:
    """Whether it is a word that a hospital's list may keep: no number, and no name that header or hospital gives."""
    return leak.kind is TermKind.ADDRESS or (leak.kind is TermKind.NAME and leak.source is TermSource.PATIENT)


def _runs(left: str, hits: Iterable[Hit]) -> Iterator[list[Hit]]:
    """Yield the words that follow one another with nothing but a blank, comma or hyphen between."""
    run: list[Hit] = []
    for hit in hits:
        if run and not _BETWEEN.fullmatch(left, run[-1].end, hit.start):
            yield run
            run = []
        run.append(hit)
    if run:
        yield run


def _is_named(text: str, start: int, kind: TermKind, initials: Collection[str] = ()) -> bool:
    """Return whether a salutation, a title or one of the initials stands before a name."""
    before = text[max(0, start - _BEFORE) : start]
    if kind is not TermKind.NAME or not before.endswith((" ", "\u00a0", ".")):
        return False
    initial = _INITIAL_BEFORE.search(before)
    return _ADDRESSED.search(before) is not None or (initial is not None and initial.group(1) in initials)


def _initials(text: str, left: str, terms: Sequence[Term]) -> Iterator[Leak]:
    """Yield "P. M." for Peter Müller, and "M." after a salutation."""
    letters = {
        tuple(word[0].upper() for word in term.text.split() if word[0].isupper()): term.source
        for term in reversed(terms)
        if term.kind is TermKind.NAME
    }
    pairs = {(of_name[0], of_name[-1]): source for of_name, source in letters.items() if len(of_name) >= 2}
    surnames = {of_name[-1]: source for of_name, source in letters.items() if of_name}
    # Most texts have none of these letters with a full stop, which is quick to see.
    pairs = {pair: source for pair, source in pairs.items() if all(f"{letter}." in left for letter in pair)}
    surnames = {letter: source for letter, source in surnames.items() if f"{letter}." in left}
    for match in _INITIALS.finditer(left) if pairs else ():
        if (pair := (match[1], match[2])) in pairs:
            yield Leak(*match.span(), TermKind.NAME, pairs[pair], common=False)
    for match in _INITIAL_AFTER_SALUTE.finditer(text) if surnames else ():
        letter = match["initial"][0]
        if letter in surnames and left.startswith(match["initial"], match.start("initial")):
            yield Leak(*match.span("initial"), TermKind.NAME, surnames[letter], common=False)


def _electronic(left: str, terms: Sequence[Term]) -> Iterator[Leak]:
    """Yield e-mail and web addresses in any case."""
    lower = left.lower() if terms else left
    for term in terms if len(lower) == len(left) else ():
        for match in re.finditer(re.escape(term.text.lower()), lower):
            yield Leak(*match.span(), term.kind, term.source, common=False)


def _numbers(left: str, terms: Sequence[Term]) -> Iterator[Leak]:
    """Yield numbers with a term's digits, however they are separated, and postcodes and numbers of five digits."""
    numbers = {digits_of(term.text): term.source for term in reversed(terms) if term.kind is TermKind.NUMBER}
    numbers = {number: source for number, source in numbers.items() if len(number) >= MIN_DIGITS}
    # Most texts have none of these digits, which is quick to see.
    written = _digits(left) if numbers else ""
    numbers = {number: source for number, source in numbers.items() if number in written}
    for match in _LONG_NUMBER.finditer(left) if numbers else ():
        digits = digits_of(match.group())
        if source := next((source for number, source in numbers.items() if number in digits), None):
            yield Leak(*match.span(), TermKind.NUMBER, source, common=False)
    short: dict[str, tuple[TermKind, TermSource]] = {}
    for kind, text, source in terms:
        if kind is TermKind.POSTCODE or kind is TermKind.NUMBER:
            digits = re.sub(r"\D", "", text)
            if kind is TermKind.POSTCODE or len(digits) == MIN_DIGITS - 1:
                short.setdefault(digits, (kind, source))
    short = {digits: found for digits, found in short.items() if digits in left}
    for match in _SHORT_NUMBER.finditer(left) if short else ():
        if (found := short.get(match.group())) is not None:
            yield Leak(*match.span(), *found, common=False)


def _digits(text: str) -> str:
    """Return the digits of a text, one after the other, those of a "(0)" left out as `digits_of` does."""
    codes = code_points(text.replace("(0)", ""))
    # Between these two, Unicode has no digit.
    return "".join(filter(str.isdecimal, map(chr, codes[(codes - ord("0") < 10) | (codes >= _OTHER_DIGITS)].tolist())))


def _without(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """Return the text with a NUL for each character of the ascending ranges, so that offsets stay.

    No NUL is a part of a word, a number or a date, so that what is found lies outside the ranges.
    """
    kept: list[str] = []
    at = 0
    for start, end in ranges:
        kept += (text[at:start], "\0" * (end - start))
        at = end
    return "".join([*kept, text[at:]])
