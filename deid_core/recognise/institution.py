"""Recogniser `institution`: names of hospitals, practices, homes, insurers, schools and employers.

Goes before `context` in a pipeline's order: "Dr. X vom Krankenhaus Y" is a person and a hospital.

A name is read around a head word, at most six tokens to either side:

| what stands there                                         | is a name                   | rule           | score |
|---|---|---|---|
| a compound with a name: "Rheintalklinik"                  | as it is, and with          | KIND.compound  | 0.90  |
| a place or name behind: "Klinik Bergstraße"               | what follows                | KIND.behind    | 0.90  |
| "am", "zum" … and a name behind: "Klinik am Südring"      |                             | KIND.behind    | 0.90  |
| a qualifier or name before: "Evangelisches Krankenhaus"   | what precedes               | KIND.before    | 0.85  |
| words before a legal form: "Druckmaschinen Hausner AG"    |                             | legal_form     | 0.90  |
| an insurer's name: "AOK", "Bahn-BKK"                      | and its region              | insurer        | 0.90  |
| capitals behind "beschäftigt … bei", before "angestellt"  |                             | employer       | 0.80  |
| "Station" with a person's name behind                     |                             | ward           | 0.80  |

KIND is hospital or organisation. A head word alone ("unsere Klinik", "Klinik für Kardiologie", "Medizinische Klinik")
is no name, nor is one with a common or medical word behind it ("in der Klinik Besserung").
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deid_core.config import InstitutionSettings
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.labels import PhiType, label_of
from deid_core.recognise import institution_words as words
from deid_core.recognise.base import Document
from deid_core.recognise.institution_words import institution_bits
from deid_core.spans import Detection
from deid_core.tokens import GAP, Vocabulary

_REACH = 6
_MAX_GAP = 2
_MAX_LETTERS_OF_WARD = 3
"""Station A, CPU, IMC: no person's name."""
_QUOTES = frozenset("\"„“”»«'")
_LINKS = frozenset({"&", "+", "Co.", "Co"})


class InstitutionRecogniser:
    """Names of institutions by head words; see the module."""

    kind = "institution"

    def __init__(self, settings: InstitutionSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._column = institution_bits(gazetteer, vocabulary)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """LOC and ORG detections; `rule` as in the module's table."""
        bits = self._column.gather(document.tokens.types)
        triggers = np.flatnonzero(bits & words.ANY_TRIGGER)
        if not len(triggers):
            return []
        reading = _Reading(document, bits.tolist())
        return [found for at in triggers.tolist() if (found := reading.at(at)) is not None]


class _Reading:
    """One document while its institutions are read; token ranges are [first, last)."""

    def __init__(self, document: Document, bits: list[int]) -> None:
        self._document = document
        self._text = document.text
        self._bits = bits
        self._starts = document.tokens.starts
        self._ends = document.tokens.ends

    def at(self, at: int) -> Detection | None:
        """The institution that the trigger at `at` belongs to."""
        bits = self._bits[at]
        if bits & words.HOSPITAL and (found := self._headed(at, PhiType.HOSPITAL)):
            return found
        if bits & words.INSURER and (found := self._insurer(at)):
            return found
        if bits & words.ORGANISATION and (found := self._headed(at, PhiType.ORGANISATION)):
            return found
        if bits & words.LEGAL:
            return self._legal(at)
        if bits & words.EMPLOYED:
            return self._employer(at)
        if bits & words.WARD:
            return self._ward(at)
        return None

    def _headed(self, head: int, phi: PhiType) -> Detection | None:
        last = self._behind(head)
        named = bool(self._bits[head] & words.NAMED)
        first = self._before(head, phi, sure=last > head + 1 or named)
        if last == head + 1 and first == head and not named:
            return None
        if last > head + 1 or named:
            return self._detection(first, last, phi, f"{phi}.{'compound' if named else 'behind'}", 0.9)
        return self._detection(first, last, phi, f"{phi}.before", 0.85)

    def _behind(self, head: int) -> int:
        """The end of the name that begins with the head word; head + 1 if nothing behind belongs to it."""
        at = self._quoted(head + 1)
        while at <= head + _REACH and (end := self._step(at, head)) > at:
            at = end
        return at

    def _step(self, at: int, head: int) -> int:
        """The end of the next part of the name at `at`; `at` if none is there."""
        bits = self._adjacent_bits(at)
        following = self._adjacent_bits(at + 1)
        if bits & words.TOWN_PREFIX and following & words.CAPITAL:
            return self._past_water(at + 2)
        if bits & words.TITLE and bits & words.CAPITAL and self._ends_in(head, "praxis", "praxisklinik"):
            while self._adjacent_bits(at) & words.TITLE:
                at += 1
            named = self._adjacent_bits(at)
            return at + 1 if named & words.CAPITAL and not named & words.TERM else at
        if bits & words.PREPOSITION and (not bits & words.CAPITAL or self._document.word(at).isupper()):
            return self._located(at)
        if not bits & words.CAPITAL or bits & (words.MEDICAL | words.HOSPITAL):
            return at
        if bits & words.NAMELIKE or (not bits & words.TERM and self._past_water(at + 1) > at + 1):
            return self._past_water(at + 1)
        # "Klinikum Essen" and "Klinikum Xylon"; a bare "Klinik" is too often a heading or a ward's.
        strong = bool(self._bits[head] & (words.STRONG | words.NAMED)) or at > head + 1 or self._qualified(head)
        if bits & words.PLACE and strong:
            return self._past_water(at + 1)
        unknown = not bits & (words.TERM | words.ADJECTIVE)
        trusting = self._bits[head] & words.STRONG or self._bits[head] & words.ORGANISATION
        return at + 1 if unknown and trusting and at == head + 1 and self._end_at(at) - self._start_at(at) > 3 else at

    def _qualified(self, head: int) -> bool:
        return self._adjacent(head) and bool(self._bits[head - 1] & words.QUALIFIER)

    def _located(self, at: int) -> int:
        """The end of "am Südring", "zum Guten Hirten", "an der Aue"; `at` if no name follows the preposition."""
        first = at + 1
        if self._adjacent_bits(first) & words.ARTICLE:
            first += 1
        bits, following = self._adjacent_bits(first), self._adjacent_bits(first + 1)
        if not bits & words.CAPITAL or bits & words.MEDICAL:
            return at
        # An adjective has a capital in the middle of a line only in a name.
        if following & words.CAPITAL and self._document.word(first).endswith(("en", "em", "er")):
            return first + 2 if not following & words.MEDICAL else at
        if bits & words.NAMELIKE:
            return first + 1
        town_follows = following & words.TOWN_PREFIX or (following & words.PLACE and following & words.NAMELIKE)
        return first + 1 if town_follows else at

    def _past_water(self, at: int) -> int:
        """Past "am Rhein", "an der Donau" behind a town."""
        if not self._adjacent_bits(at) & words.PREPOSITION:
            return at
        after = at + 1
        if self._adjacent_bits(after) & words.ARTICLE:
            after += 1
        return after + 1 if self._adjacent_bits(after) & words.WATER else at

    def _quoted(self, at: int) -> int:
        """Past a name of up to four words in quotation marks, if one stands at `at`."""
        if not self._adjacent(at) or self._document.word(at) not in _QUOTES:
            return at
        for end in range(at + 2, min(at + _REACH, len(self._bits))):
            if self._document.word(end) in _QUOTES and self._line_goes_on(at, end):
                return end + 1
        return at

    def _before(self, head: int, phi: PhiType, *, sure: bool) -> int:
        """The first token of the name that ends with the head word.

        sure: something else makes it a name, so that an unknown word may open a line or sentence.
        """
        first = head
        while first > max(0, head - _REACH) and self._adjacent(first):
            before = first - 1
            bits = self._bits[before]
            if self._glued(first) and self._glued(before) and self._document.word(before) == "-":
                first -= 2
                continue
            if not bits & words.CAPITAL or not self._may_precede(before, bits, phi, sure=sure):
                break
            first = before
        if sure and first == head:
            first = self._joined(head)
        return first

    def _may_precede(self, at: int, bits: int, phi: PhiType, *, sure: bool) -> bool:
        if bits & words.QUALIFIER:
            return True
        if phi is PhiType.ORGANISATION and bits & words.ADJECTIVE and words.is_regional(self._document.word(at)):
            return True
        if bits & (words.TERM | words.ADJECTIVE | words.TITLE) or bits & words.ANY_TRIGGER:
            return False
        if bits & words.NAMELIKE:
            return True
        saint = at > 0 and self._adjacent(at) and bool(self._bits[at - 1] & words.QUALIFIER)
        return saint or sure or not self._opens(at)

    def _joined(self, head: int) -> int:
        """The begin of "Herz- und Gefäßklinik"."""
        if head >= 3 and self._document.word(head - 1) in ("und", "u.") and self._document.word(head - 2) == "-":
            whole = self._adjacent(head) and self._adjacent(head - 1) and self._glued(head - 2)
            return head - 3 if whole and self._bits[head - 3] & words.CAPITAL else head
        return head

    def _insurer(self, at: int) -> Detection | None:
        first, last = at, at + 1
        bits = self._adjacent_bits(last)
        while last <= at + 2 and bits & words.CAPITAL and bits & (words.TAIL | words.NAMELIKE | words.PLACE):
            last += 1
            bits = self._adjacent_bits(last)
        if self._bits[at] & words.AMBIGUOUS and last == at + 1 and not self._insures(at):
            return None
        if self._bits[at] & words.AMBIGUOUS and last > at + 1 and not self._adjacent_bits(at + 1) & words.TAIL:
            return None
        if self._document.word(at).endswith("KK") and self._adjacent(at):
            before = self._bits[at - 1]
            named = before & words.CAPITAL and not before & (words.TERM | words.ADJECTIVE) and not self._opens(at - 1)
            if named or before & words.INSURER:
                first -= 1
        return self._detection(first, last, PhiType.ORGANISATION, "insurer", 0.9)

    def _insures(self, at: int) -> bool:
        """Whether the words next to ambiguous letters speak of insurance."""
        around = [
            self._document.word(i).lower() for i in range(max(0, at - 3), min(at + 2, len(self._bits))) if i != at
        ]
        return any("versicher" in word or word in ("krankenkasse", "kasse", "kostenträger") for word in around)

    def _legal(self, at: int) -> Detection | None:
        """Words before a legal form: capitals, "&" and hyphens, one of them no common word unless there are two."""
        first = at
        while first > max(0, at - _REACH) and self._adjacent(first) and self._may_be_firm(first - 1):
            first -= 1
        while first < at and not self._bits[first] & words.CAPITAL:
            first += 1
        names = [self._bits[i] for i in range(first, at) if self._bits[i] & words.CAPITAL]
        known_firm = any(bits & words.ORGANISATION for bits in names)
        distinct = any(not bits & (words.TERM | words.ADJECTIVE) for bits in names)
        sure_form = self._document.word(at).lower() not in ("ag", "kg") or "&" in self._text_of(first, at)
        if not names or not (known_firm or distinct or (sure_form and len(names) > 1)):
            return None
        end = at + 1
        while end < at + _REACH and self._adjacent(end) and self._continues_firm(end):
            end += 1
        while not self._bits[end - 1] & words.LEGAL:
            end -= 1
        return self._detection(first, end, PhiType.ORGANISATION, "legal_form", 0.9)

    def _continues_firm(self, at: int) -> bool:
        """Whether the token is a part of "& Co. KG"; the full stop may be a token of its own."""
        word = self._document.word(at)
        return bool(self._bits[at] & words.LEGAL) or word in _LINKS or (word == "." and self._glued(at))

    def _may_be_firm(self, at: int) -> bool:
        bits = self._bits[at]
        if bits & words.CAPITAL:
            return not bits & (words.MEDICAL | words.LEGAL) and not bits & words.TITLE
        return self._document.word(at) in _LINKS

    def _employer(self, at: int) -> Detection | None:
        """Capitals behind the "bei" that follows or precedes a word of employment on the same line."""
        nearby = [*range(at + 1, at + 2 * _REACH), *range(at - 2, at - _REACH - 2, -1)]
        for place in nearby:
            if 0 <= place < len(self._bits) and self._document.word(place) in ("bei", "beim"):
                low, high = sorted((place, at))
                if self._line_goes_on(low, high):
                    return self._firm(place + 1)
        return None

    def _firm(self, at: int) -> Detection | None:
        while self._adjacent_bits(at) & words.ARTICLE:
            at += 1
        end = at
        while (
            end < at + _REACH
            and self._adjacent(end)
            and (
                (self._bits[end] & words.CAPITAL and not self._bits[end] & words.MEDICAL)
                or (end > at and (self._document.word(end) in _LINKS or self._bits[end] & words.LEGAL))
                or (self._document.word(end) == "." and self._document.word(end - 1) == "Co")
            )
        ):
            end += 1
        if end == at or self._bits[at] & words.TITLE:
            return None
        single = end == at + 1
        if single and (self._bits[at] & words.TERM or self._bits[at] & words.ADJECTIVE):
            return None
        return self._detection(at, end, PhiType.ORGANISATION, "employer", 0.8)

    def _ward(self, at: int) -> Detection | None:
        last = at + 1
        if self._adjacent(last) and self._document.word(last) in ("de", "von", "van"):
            last += 1
        bits = self._adjacent_bits(last)
        no_name = words.ANY_TRIGGER | words.ADJECTIVE | (words.MEDICAL if bits & words.PERSON else words.TERM)
        named = bits & words.CAPITAL and not bits & no_name
        if not named or len(self._document.word(last)) <= _MAX_LETTERS_OF_WARD:
            return None
        return self._detection(at, last + 1, PhiType.DEPARTMENT, "ward", 0.8)

    def _adjacent(self, at: int) -> bool:
        """Whether the token at `at` exists and only blanks part it from the one before."""
        if not 0 < at < len(self._bits):
            return False
        gap = self._text[self._ends[at - 1] : self._starts[at]]
        return len(gap) <= _MAX_GAP and not gap.strip(GAP)

    def _adjacent_bits(self, at: int) -> int:
        return self._bits[at] if self._adjacent(at) else 0

    def _glued(self, at: int) -> bool:
        return 0 < at < len(self._bits) and bool(self._ends[at - 1] == self._starts[at])

    def _line_goes_on(self, first: int, last: int) -> bool:
        """Whether no line, column or sentence ends between the tokens."""
        between = self._text[self._start_at(first) : self._start_at(last)]
        return "\n" not in between and "\t" not in between and ". " not in between

    def _opens(self, at: int) -> bool:
        return not self._adjacent(at) or self._document.word(at - 1) in ".:;!?•*"

    def _ends_in(self, at: int, *endings: str) -> bool:
        return self._document.word(at).lower().endswith(endings)

    def _start_at(self, at: int) -> int:
        return int(self._starts[at])

    def _end_at(self, at: int) -> int:
        return int(self._ends[at])

    def _text_of(self, first: int, last: int) -> str:
        return self._text[self._start_at(first) : self._end_at(last - 1)] if first < last else ""

    def _detection(self, first: int, last: int, phi: PhiType, rule: str, score: float) -> Detection:
        return Detection(self._start_at(first), self._end_at(last - 1), label_of(phi), phi, "institution", rule, score)
