"""What operators know of the note: its text and spans, what is drawn for it, and what they found out together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.spans import Span
from deid_core.policies.key import Draws
from deid_core.policies.normal_form import name_key, spelling_key, value_key

Part = TypeVar("Part")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NAMES = (Label.PER, Label.LOC, Label.ORG, Label.EMAIL, Label.OTHER)
_NUMBERS = (Label.PHONE, Label.PLZ, Label.ID)
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_DIGITS = "0123456789"
_TRIES = 50
_VOWELS = re.compile("[aeiou]")


@lru_cache(20_000)
def _word_keys(text: str) -> frozenset[str]:
    """Return the normal forms of the words of an entry of a list, or of a span."""
    return frozenset(map(name_key, _WORD.findall(text)))


def _sounds_like(name: str, value: str) -> bool:
    """Return whether a name differs from an original, by its key, in vowels and spelling alone: Annalise, Anneliese."""
    key = name_key(name)
    return key[:1] == value[:1] and (key == value or _consonants(key) == _consonants(value))


def _consonants(key: str) -> str:
    return _VOWELS.sub("", spelling_key(key))


class NoteContext:
    """One note while it is redacted.

    draws: for names, places and numbers, by the policy's consistency. dates: for the shift, by patient or note.
    repeat: probability that a mention repeats the surrogate of the mention before. seed: names the note. is_shared:
    whether `draws` are those of other patients too. keeps_countries: whether the policy leaves countries as they are.
    """

    def __init__(
        self,
        text: str,
        spans: Sequence[Span],
        draws: Draws,
        dates: Draws,
        repeat: float,
        seed: str,
        *,
        is_shared: bool = False,
        keeps_countries: bool = False,
    ) -> None:
        self.text = text
        self.spans = spans
        self.texts = [text[span.start : span.end] for span in spans]
        """What stands in the spans."""
        self.draws = draws
        self.dates = dates
        self.keeps_countries = keeps_countries
        self.is_consistent = repeat == 1
        """Whether all mentions of a value have the same surrogate."""
        self.keeps_initials = self.is_consistent and not is_shared
        """Whether equal initials of the patient's names have equal surrogates. Over many patients that would tell the
        commonest initials."""
        self._repeat = repeat
        self._seed = seed
        self._parts: dict[Hashable, Any] = {}
        self._variants: dict[tuple[str, str], str] = {}
        self._chosen: dict[tuple[str, str], str] = {}

    @cached_property
    def _indices(self) -> Mapping[str, Sequence[int]]:
        """The spans of each label, by their indices."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for index, span in enumerate(self.spans):
            found[span.label].append(index)
        return found

    def with_label(self, label: Label) -> Sequence[int]:
        """Return the indices of the spans of a label, ascending."""
        return self._indices.get(label, ())

    def with_type(self, phi_type: PhiType) -> Sequence[int]:
        """Return the indices of the spans of a type, ascending."""
        spans = self.spans
        return [index for index in self.with_label(label_of(phi_type)) if spans[index].type is phi_type]

    def original(self, index: int) -> str:
        """Return the text of a span."""
        return self.texts[index]

    def shared(self, key: Hashable, make: Callable[[], Part]) -> Part:
        """Return what was made for this key, made on first use: operators of several types share it."""
        found: Part | None = self._parts.get(key)
        if found is None:
            found = self._parts[key] = make()
        return found

    @cached_property
    def originals(self) -> frozenset[str]:
        """The normal forms of all words of names and places that are removed from this note."""
        texts = self.texts
        return frozenset().union(*[_word_keys(texts[index]) for label in _NAMES for index in self.with_label(label)])

    def is_free(self, name: str, avoided: frozenset[str] = frozenset()) -> bool:
        """Return whether no word of a name is an original of this note, or avoided."""
        words = _word_keys(name)
        return self.originals.isdisjoint(words) and avoided.isdisjoint(words)

    def choose(
        self, purpose: str, value: str, index: int, among: Sequence[str], avoided: frozenset[str] = frozenset()
    ) -> str:
        """Return one of `among` for a normalised value, no word of which is an original of this note, or avoided.

        purpose: one for each `among` and `avoided`. index: of the span, which counts if surrogates are not repeated.
        """
        drawn = value if self.is_consistent else value + self._variant(purpose, value, index)
        key = purpose, drawn
        known = self._chosen.get(key)
        if known is not None:
            return known
        found = self.draws.choice(purpose, drawn, among)
        words = _word_keys(found)
        # Most names are free, which `is_free` would tell at the cost of a call.
        if not (self.originals.isdisjoint(words) and avoided.isdisjoint(words)) or _sounds_like(found, value):
            found = self._next_free(purpose, value, drawn, among, avoided)
        self._chosen[key] = found
        return found

    def _next_free(self, purpose: str, value: str, drawn: str, among: Sequence[str], avoided: frozenset[str]) -> str:
        found = ""
        for tries in range(1, _TRIES + 1):
            found = self.draws.choice(purpose, f"{drawn}\0{tries}", among)
            if self.is_free(found, avoided) and not _sounds_like(found, value):
                break
        return found

    def choose_number(self, purpose: str, value: str, index: int) -> int:
        """Return an integer of 64 bits for a normalised value."""
        drawn = value if self.is_consistent else value + self._variant(purpose, value, index)
        return self.draws.number(purpose, drawn)

    def unlike_originals(self, purpose: str, value: str, index: int, make: Callable[[int], str]) -> str:
        """Return what `make` gives for a number of 256 bits and is no value of this note."""
        drawn = value if self.is_consistent else value + self._variant(purpose, value, index)
        found = ""
        for tries in range(_TRIES):
            digest = self.draws.digest(purpose, f"{drawn}\0{tries}" if tries else drawn)
            found = make(int.from_bytes(digest, "big"))
            if (key := value_key(found)) != value and key not in self._values:
                break
        return found

    def digits_like(self, purpose: str, text: str, index: int) -> str:
        """Return the text with other digits; a zero that stands alone stays, a number begins with another digit."""
        return self._like(purpose, text, index, letters=False)

    def characters_like(self, purpose: str, text: str, index: int) -> str:
        """Return the text with other digits, and other letters in the same case."""
        return self._like(purpose, text, index, letters=True)

    def _like(self, purpose: str, text: str, index: int, *, letters: bool) -> str:
        if not (any(map(str.isdigit, text)) or (letters and any(map(str.isalpha, text)))):
            return text

        def make(number: int) -> str:
            out: list[str] = []
            leads = True
            for char in text:
                if char.isdigit():
                    number, digit = divmod(number, 9)
                    # No leading zero where none was, and the zero of an extension stays one.
                    out.append("0" if char == "0" and leads else _DIGITS[digit + 1])
                    leads = False
                    continue
                leads = True
                if letters and char.isalpha():
                    number, letter = divmod(number, len(_LETTERS))
                    char = _LETTERS[letter] if char.isupper() else _LETTERS[letter].lower()
                out.append(char)
            return "".join(out)

        return self.unlike_originals(purpose, value_key(text), index, make)

    @cached_property
    def _values(self) -> frozenset[str]:
        """The normal forms of the numbers that are removed from this note."""
        texts = self.texts
        return frozenset([value_key(texts[index]) for label in _NUMBERS for index in self.with_label(label)])

    def _variant(self, purpose: str, value: str, index: int) -> str:
        """Return which of a value's surrogates a mention has, by a Markov chain."""
        known = self._variants.get((purpose, value))
        mention = f"\0{self._seed}\0{self.spans[index].start}"
        if known is None or self.draws.number("repeat", mention) >= self._repeat * 2**64:
            known = self._variants[purpose, value] = mention
        return known
