"""Sorts errors by how a span was missed and by what it is, as far as that can be told without a reader.

Two groups, each exclusive in itself. `ErrorOutcome` says how prediction and gold overlap. `Kind` follows seed
003's categories (section 5.2.1, Table 7) where a rule can tell them, takes seed 001's two hard sorts of PHI beside them
(ambiguous with non-PHI, out of vocabulary; Tables 2 and 3) and leaves the rest as OTHER, which is more than half in the
seed as well. "Debatable" and "annotation error" need a reader and are among the others.

An entity counts as found if place and label are right (exact); a boundary error is thus an error on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from deid_core.core.uncovered_text import covered_characters, is_legible
from deid_core.lab.evaluate.listed_words import ListedWords
from deid_core.lab.evaluate.scores import LabelledRange
from deid_core.text.tokens import Tokens
from deid_core.text.vocabulary import Vocabulary

Range = TypeVar("Range", bound=LabelledRange)


class Side(StrEnum):
    """Whose span has no counterpart."""

    FALSE_NEGATIVE = "false_negative"
    FALSE_POSITIVE = "false_positive"


class ErrorOutcome(StrEnum):
    """How the span overlaps the other side's spans."""

    MISSED = "missed"
    """A gold span that no predicted span touches."""
    SPURIOUS = "spurious"
    """A predicted span that touches no gold span."""
    WRONG_LABEL = "wrong_label"
    """Only spans of other labels touch it."""
    TOO_SHORT = "too_short"
    """The predicted span is within the gold span."""
    TOO_LONG = "too_long"
    """The gold span is within the predicted span."""
    SHIFTED = "shifted"
    """They overlap, and each has something the other has not."""


class Kind(StrEnum):
    """What the span is; the first that fits, in this order."""

    TOKENISATION = "tokenisation"
    """The gold span begins or ends within a token (seed 003: tokenization error)."""
    COMPOUND = "compound"
    """The predicted span cuts a token, or the missed one is a compound with a hyphen: a part is a name."""
    PREFIX = "prefix"
    """Only words before the name differ: articles, particles, titles, salutations (seed 003: prefix)."""
    ABBREVIATION = "abbreviation"
    """An initial, a capital abbreviation of up to five letters, or a word with its full stop (seed 003)."""
    MISSING_ANNOTATION = "missing_annotation"
    """A spurious span whose words are a gold span elsewhere in the same note (seed 003)."""
    COMMON_LANGUAGE = "common_language"
    """All words are common or medical words (seed 003; seed 001's dictionaries)."""
    AMBIGUITY = "ambiguity"
    """A word of it stands both inside and outside of gold spans in these notes (seed 001, Table 2)."""
    OUT_OF_VOCABULARY = "out_of_vocabulary"
    """No word of it is in any list (seed 001, Table 3)."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ScoredNote:
    """A note with its gold and predicted spans."""

    id: str
    text: str
    gold: Sequence[LabelledRange]
    predicted: Sequence[LabelledRange]


@dataclass(frozen=True, slots=True)
class ErrorCase:
    """One error: the span [start, end) of the note at place `note`, without its text.

    label: the span's own; other_label: that of the other side's first span it touches, "" if it touches none.
    legible: a letter or digit of it is in no predicted span.
    """

    note: int
    start: int
    end: int
    label: str
    other_label: str
    side: Side
    outcome: ErrorOutcome
    kind: Kind
    legible: bool


def without_counterpart(spans: Iterable[Range], others: Iterable[LabelledRange]) -> list[Range]:
    """The spans that no other equals in place and label, each place and label once."""
    matched = {_key(other) for other in others}
    return list({_key(span): span for span in spans if _key(span) not in matched}.values())


def find_errors(notes: Sequence[ScoredNote], known: ListedWords) -> list[ErrorCase]:
    """All spans without an exact counterpart, in the order of the notes and places."""
    vocabulary = Vocabulary()
    tokens = [vocabulary.tokenise(note.text) for note in notes]
    ambiguous = _ambiguous_types(notes, tokens, vocabulary)
    cases: list[ErrorCase] = []
    for number, note in enumerate(notes):
        view = _NoteView(note, tokens[number], vocabulary, ambiguous, known)
        cases += view.cases(number)
    return sorted(cases, key=lambda case: (case.note, case.start, case.end, case.side))


class _NoteView:
    """One note while its errors are sorted."""

    def __init__(
        self,
        note: ScoredNote,
        tokens: Tokens,
        vocabulary: Vocabulary,
        ambiguous: npt.NDArray[np.bool_],
        known: ListedWords,
    ) -> None:
        self._note, self._tokens, self._known = note, tokens, known
        self._words = vocabulary.words
        self._ambiguous = ambiguous
        self._covered = covered_characters(note.text, note.predicted)
        self._gold_surfaces = {self._surface(span) for span in note.gold}

    def cases(self, number: int) -> Iterable[ErrorCase]:
        for side, spans, others in (
            (Side.FALSE_NEGATIVE, self._note.gold, self._note.predicted),
            (Side.FALSE_POSITIVE, self._note.predicted, self._note.gold),
        ):
            for span in without_counterpart(spans, others):
                touching = [o for o in others if o.start < span.end and span.start < o.end]
                partner = next((o for o in touching if o.label == span.label), None)
                outcome = _outcome(side, span, touching, partner)
                yield ErrorCase(
                    number,
                    span.start,
                    span.end,
                    str(span.label),
                    str(touching[0].label) if touching else "",
                    side,
                    outcome,
                    self._kind(side, span, partner, outcome),
                    is_legible(self._note.text, span, self._covered),
                )

    def _kind(self, side: Side, span: LabelledRange, partner: LabelledRange | None, outcome: ErrorOutcome) -> Kind:
        gold, found = (span, partner) if side is Side.FALSE_NEGATIVE else (partner, span)
        types = self._types(span.start, span.end)
        words = [self._words[number] for number in types.tolist()]
        words = [word for word in words if any(map(str.isalnum, word))]
        if gold is not None and self._cuts_token(gold):
            return Kind.TOKENISATION
        if found is not None and self._cuts_token(found):
            return Kind.COMPOUND
        if outcome is ErrorOutcome.MISSED and any("-" in word[1:-1] for word in words):
            return Kind.COMPOUND
        if partner is not None and self._is_prefix(span, partner):
            return Kind.PREFIX
        if words and any(self._is_abbreviation(word) for word in self._differing(span, partner) or words):
            return Kind.ABBREVIATION
        if outcome is ErrorOutcome.SPURIOUS and self._surface(span) in self._gold_surfaces:
            return Kind.MISSING_ANNOTATION
        if words and all(self._known.is_common(word) for word in words):
            return Kind.COMMON_LANGUAGE
        if self._ambiguous[types].any():
            return Kind.AMBIGUITY
        if words and not any(word[0].isdigit() or self._known.is_listed(word) for word in words):
            return Kind.OUT_OF_VOCABULARY
        return Kind.OTHER

    def _types(self, start: int, end: int) -> npt.NDArray[np.int32]:
        """Word types of the tokens that share a character with [start, end)."""
        first = np.searchsorted(self._tokens.ends, start, side="right")
        return self._tokens.types[first : np.searchsorted(self._tokens.starts, end)]

    def _differing(self, span: LabelledRange, partner: LabelledRange | None) -> list[str]:
        """The words that one of two overlapping spans has and the other has not."""
        if partner is None:
            return []
        pieces = [sorted((span.start, partner.start)), sorted((span.end, partner.end))]
        return [self._words[n] for start, end in pieces if start < end for n in self._types(start, end).tolist()]

    def _is_prefix(self, span: LabelledRange, partner: LabelledRange) -> bool:
        if span.end != partner.end or span.start == partner.start:
            return False
        words = [word for word in self._differing(span, partner) if word[0].isalnum()]
        return bool(words) and all(self._known.is_prefix(word) for word in words)

    def _cuts_token(self, span: LabelledRange) -> bool:
        for place in (span.start, span.end):
            token = int(np.searchsorted(self._tokens.ends, place, side="right"))
            if token < len(self._tokens) and self._tokens.starts[token] < place:
                # A full stop of a sentence or an abbreviation at the border is nobody's error.
                rest = self._note.text[place : self._tokens.ends[token]]
                if any(map(str.isalnum, rest)):
                    return True
        return False

    def _is_abbreviation(self, word: str) -> bool:
        letters = word.rstrip(".")
        if not letters.replace(".", "").isalpha():
            return False
        # A name in capitals, as headers have it, is no acronym.
        capitals = letters.isupper() and len(letters) <= 5 and not self._known.is_name(word)
        return len(letters) == 1 or "." in word or capitals

    def _surface(self, span: LabelledRange) -> str:
        return " ".join(self._note.text[span.start : span.end].casefold().split())


def _outcome(
    side: Side, span: LabelledRange, touching: Sequence[LabelledRange], partner: LabelledRange | None
) -> ErrorOutcome:
    if not touching:
        return ErrorOutcome.MISSED if side is Side.FALSE_NEGATIVE else ErrorOutcome.SPURIOUS
    if partner is None:
        return ErrorOutcome.WRONG_LABEL
    gold, found = (span, partner) if side is Side.FALSE_NEGATIVE else (partner, span)
    if gold.start <= found.start and found.end <= gold.end:
        return ErrorOutcome.TOO_SHORT
    if found.start <= gold.start and gold.end <= found.end:
        return ErrorOutcome.TOO_LONG
    return ErrorOutcome.SHIFTED


def _ambiguous_types(
    notes: Sequence[ScoredNote], tokens: Sequence[Tokens], vocabulary: Vocabulary
) -> npt.NDArray[np.bool_]:
    """Word types with a letter that stand inside a gold span here and outside of all there, shape (types,)."""
    inside, outside = np.zeros(len(vocabulary), np.bool_), np.zeros(len(vocabulary), np.bool_)
    for note, part in zip(notes, tokens, strict=True):
        covered = covered_characters(note.text, note.gold)
        golden = covered[part.starts] | covered[part.ends - 1] if len(part) else np.zeros(0, np.bool_)
        inside[part.types[golden]] = True
        outside[part.types[~golden]] = True
    return inside & outside & np.array([word[0].isalpha() for word in vocabulary.words], np.bool_)


def _key(span: LabelledRange) -> tuple[int, int, str]:
    return span.start, span.end, str(span.label)
