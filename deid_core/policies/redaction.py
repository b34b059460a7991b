"""Redaction: replaces each span by what the policy's operator gives; text outside spans stays as it is.

The same code for the engine, the command line and the library. Two things have the label OTHER unless another detection
gives them its own: a word of an untyped letterhead (`variants`, `full`), and a ship's name (`default`). Seed 000
(section 5, step 1) writes the first as `<O>`. So do all pipelines with both, unless `unlabelled_placeholder` says
otherwise.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import NamedTuple

from deid_core.core.errors import SecretMissingError
from deid_core.core.labels import TYPES, Label, PhiType
from deid_core.core.spans import Span
from deid_core.policies.broken_words import broken, cut_at_line_ends, joined
from deid_core.policies.dates.letterhead_date import letterhead_date
from deid_core.policies.key import NoDraws, PolicyKey, load_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.operators.base import LeavesDay, Operator
from deid_core.policies.settings import (
    DEFAULT_POLICY,
    KeepSettings,
    PlaceholderSettings,
    PolicySettings,
    ShiftSettings,
    SurrogateSettings,
    load_policy,
)


class Redacted(NamedTuple):
    """A note's text after redaction.

    outputs: (start, end) in `text` of what stands for each span, in the order of the spans. unparsed: for each label
    the number of spans that the operator could not read, as an impossible date; they became placeholders. note_date:
    the latest date of the letterhead that is no birth date, as it is in `text`, moved by the same days; of a date that
    is made coarse it is the first day of the month or year. None if the policy removes that date, the letterhead has
    none, or it was not asked for.
    """

    text: str
    outputs: tuple[tuple[int, int], ...]
    unparsed: Mapping[str, int]
    note_date: date | None = None


class Redactor:
    """Applies one policy with one key. It holds no state between notes: their order changes nothing."""

    def __init__(self, policy: PolicySettings, key: PolicyKey | None = None) -> None:
        """Raise SecretMissingError if an operator is keyed and there is no key."""
        if policy.needs_key and key is None:
            raise SecretMissingError(f"policy {policy.name} needs a key; see deid_core.policies.key.load_key")
        self.policy = policy
        self.key = key if policy.needs_key else None
        """None if no operator is keyed."""
        self._labels = {phi: entry.label for phi, entry in TYPES.items()}
        self._placeholders = {phi: f"<{entry.label}>" for phi, entry in TYPES.items()}
        computed = [
            (phi, settings) for phi in TYPES if not isinstance(settings := policy.operator(phi), PlaceholderSettings)
        ]
        self._operators: dict[PhiType, Operator] = {}
        if computed:
            # Placeholders need neither the operators' code nor the lists of names that it loads.
            from deid_core.policies.operators.factory import make_operator
            from deid_core.policies.spelling import spelled_as_note

            self._spelled = spelled_as_note
            self._operators = {phi: make_operator(settings, phi, policy.shift) for phi, settings in computed}
        self._fixed = {phi: self._placeholders[phi] for phi in TYPES if phi not in self._operators}
        self._keeps_countries = isinstance(policy.operator(PhiType.COUNTRY), KeepSettings)
        written = SurrogateSettings, ShiftSettings
        self._written = {phi for phi in TYPES if isinstance(policy.operator(phi), written)}

    @property
    def key_id(self) -> str:
        """The id of the key that outputs depend on, "" if the policy has no keyed operator."""
        return self.key.id if self.key else ""

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with the policy's operators and settings and with the key."""
        return self.policy.fingerprint(self.key_id)

    def redact(
        self,
        text: str,
        spans: Sequence[Span],
        *,
        note_id: str = "",
        patient: str = "",
        unlabelled: str = "O",
        with_date: bool = False,
    ) -> Redacted:
        """Replace each span as the policy says.

        spans: ascending and disjoint. note_id, patient: within what surrogates and shifts are the same, as the policy's
        `consistency` says. Without a patient the note stands for it; without an id the text's digest stands for the
        note. unlabelled: the placeholder of the label OTHER. with_date: return the note's date too.

        Raises ValueError if the spans overlap or leave the text.
        """
        at = 0
        for span in spans:
            if span.start < at or span.end > len(text):
                raise ValueError(f"span [{span.start}, {span.end}) overlaps the one before it or leaves the text")
            at = span.end
        unparsed: Counter[str] = Counter()
        pieces, owners = cut_at_line_ends(text, spans, self._written)
        whole, words, halves = joined(text, pieces, self._written)
        note = self._context(whole, words, note_id, patient) if self._operators else None
        replacements: list[str] = []
        for index, new in enumerate(self._replacements(words, note, unparsed, unlabelled)):
            replacements += broken(new, *halves[index]) if index in halves else (new,)
        parts: list[str] = []
        outputs: list[tuple[int, int]] = []
        at = length = 0
        for owner, span, new in zip(owners, pieces, replacements, strict=True):
            place = length + span.start - at
            length = place + len(new)
            if owner < len(outputs):  # a further piece of the last span
                place, _ = outputs.pop()
            outputs.append((place, length))
            parts += (text[at : span.start], new)
            at = span.end
        parts.append(text[at:])
        note_date = self._note_date(note) if with_date and note else None
        return Redacted("".join(parts), tuple(outputs), unparsed, note_date)

    def _note_date(self, note: NoteContext) -> date | None:
        operator = self._operators.get(PhiType.DATE)
        if not isinstance(operator, LeavesDay):
            return None
        found = letterhead_date(note.text, note.spans)
        return found and operator.day(found.day, found.span_index, note)

    def _replacements(
        self, spans: Sequence[Span], note: NoteContext | None, unparsed: Counter[str], unlabelled: str
    ) -> Iterator[str]:
        """Yield what stands for each span, and count in `unparsed` what the operators could not read.

        note: None for placeholders alone.
        """
        fixed, labels = self._fixed, self._labels
        if PhiType.OTHER in fixed:
            fixed = fixed | {PhiType.OTHER: self._other(Label.OTHER, unlabelled)}
        for index, span in enumerate(spans):
            label, phi = span.label, span.type
            # A recogniser of another package may give a label and a type of another one.
            replacement = fixed.get(phi) if labels[phi] is label else self._other(label, unlabelled)
            if replacement is None:
                assert note is not None  # noqa: S101 - there are operators
                replacement = self._operators[phi].replacement(index, note)
                if replacement is None:
                    unparsed[label] += 1
                    replacement = self._placeholders[phi]
                elif not replacement.isascii() and phi in self._written:
                    replacement = self._spelled(replacement, note)
            yield replacement

    @staticmethod
    def _other(label: Label, unlabelled: str) -> str:
        return f"<{unlabelled if label is Label.OTHER else label}>"

    def _context(self, text: str, spans: Sequence[Span], note_id: str, patient: str) -> NoteContext:
        note = f"note {note_id}" if note_id else f"text {sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
        consistency = self.policy.consistency
        subject = f"patient {patient}" if patient and consistency != "note" else note
        is_shared = consistency == "corpus"
        dates = self.key.draws(subject) if self.key else NoDraws()
        names = self.key.draws("corpus") if is_shared and self.key else dates
        repeat, keeps_countries = self.policy.repeat_surrogate, self._keeps_countries
        return NoteContext(
            text, spans, names, dates, repeat, note, is_shared=is_shared, keeps_countries=keeps_countries
        )


def load_redactor(
    policy: str | os.PathLike[str] | PolicySettings = DEFAULT_POLICY,
    key: str | os.PathLike[str] | PolicyKey | None = None,
) -> Redactor:
    """Return the redactor of a policy.

    policy: a name, a path or the policy. key: its file or the key; None is the variable DEID_POLICY_KEY. It is read
    only if the policy needs one.

    Raises ConfigurationError and SecretMissingError as `load_policy` and `load_key`.
    """
    if not isinstance(policy, PolicySettings):
        policy = load_policy(os.fspath(policy))
    if policy.needs_key and not isinstance(key, PolicyKey):
        key = load_key(key)
    return Redactor(policy, key if isinstance(key, PolicyKey) else None)
