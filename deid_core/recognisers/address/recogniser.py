"""Recogniser `address`: streets and towns in no list, found by the form of an address or a residence.

- A street that begins with a preposition ("Am Alten Gaswerk 7b", "In der Aue 12") needs a house number and one of:
  a postcode after it, a word of residence before it, an ending of streets, a capitalised adjective, brackets or
  commas around it, or a line of its own. Medical words ("Im EKG 2") and times ("Am Abend 1") are no streets.
- Any street before a postcode and a town: "Gampelmoos 3, 6700 Musterstadt" (address_line.py).
- "Straße des 17. Juni 135", "Platz der Republik 1"; "Postfach 1120".
- "Flughafen Stuttgart", "Strandbad Titisee": a kind of place and a name after it; "am Neuwarper See".
- A town after "wohnt in", "stammt aus" or before "geboren", if it is no common word; "Bad Schönborn", "Weil am Rhein".

The recogniser `gazetteer` finds listed streets and towns, the recogniser `suffix` words by their ending alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntFlag

import numpy as np

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_set
from deid_core.lexicon.disambiguation.evidence import NameEvidence
from deid_core.lexicon.disambiguation.flags import NameFlag
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.address.address_line import street_after_residence, street_before_postcode
from deid_core.recognisers.institution.compute_flags import is_water
from deid_core.text.document import Document
from deid_core.text.token_line import TokenLine
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary


class AddressFlag(IntFlag):
    """What a word may be in an address; each has its branch in `_AddressReader.at`."""

    OPENS_STREET = 1
    """A preposition that begins a street."""
    RESIDENCE_WORD = 2
    """wohnt, geboren."""
    POSTBOX = 4
    STREET_WORD = 8
    """Straße, Platz."""
    BAD_PREFIX = 16
    """Bad."""
    WATER_NAME = 32
    """The end of "Weil am Rhein"."""
    SITE_HEAD = 64
    """A kind of place that a name follows: "Flughafen"."""
    LAKE_NOUN = 128
    """See, Berg."""
    POSTCODE_LIKE = 256
    ADDRESS_LABEL = 512
    """A word that a street follows directly or after its town: "Anschrift"."""


# Plain integers: arithmetic with members of an IntFlag is slow.
_OPENS_STREET = AddressFlag.OPENS_STREET.value
_RESIDENCE_WORD = AddressFlag.RESIDENCE_WORD.value
_POSTBOX = AddressFlag.POSTBOX.value
_STREET_WORD = AddressFlag.STREET_WORD.value
_BAD_PREFIX = AddressFlag.BAD_PREFIX.value
_WATER_NAME = AddressFlag.WATER_NAME.value
_SITE_HEAD = AddressFlag.SITE_HEAD.value
_LAKE_NOUN = AddressFlag.LAKE_NOUN.value
_POSTCODE_LIKE = AddressFlag.POSTCODE_LIKE.value
_ADDRESS_LABEL = AddressFlag.ADDRESS_LABEL.value

_AMBIGUOUS = NameFlag.AMBIGUOUS.value
_EPONYM = NameFlag.EPONYM.value
_LISTED = NameFlag.LISTED.value
_MEDICAL = NameFlag.MEDICAL.value
_POSTCODE = NameFlag.POSTCODE.value
_PREPOSITION = NameFlag.PREPOSITION.value
_RESIDENCE = NameFlag.RESIDENCE.value
_STOP_WORD = NameFlag.STOP_WORD.value
_STREET_SUFFIX = NameFlag.STREET_SUFFIX.value

_OPENING = frozenset("Am Im An Auf In Zum Zur Unter Vor Hinter Beim Bei".split())
"""Prepositions that begin a street."""
_ARTICLES = frozenset("der dem den Der Dem Den".split())
_RESIDENCE_WORDS = word_set("address/residence-words")
_ADDRESSES = frozenset("anschrift adresse wohnadresse heimatadresse wohnanschrift".split())
_ADDRESS_LABELS = _ADDRESSES | frozenset("wohnhaft wohnh anschr wohnort einsatzort ort".split())
_LAKES = frozenset("See Stausee Talsperre Berg Alm Moor".split())
"""Nouns that follow an adjective of a place: "Neuwarper See"."""
_STREET_WORDS = frozenset("Straße Strasse Str. Platz Weg Allee Ufer Ring".split())
_TIMES = word_set("address/times")
_SITES = word_set("address/site-heads")
_AMBIGUOUS_SITES = frozenset({"gut", "burg", "schloss", "marktplatz", "parkplatz"})
"""Sites with another meaning: only a listed town or a word in no list may follow."""
_NO_TOWN = ("haus", "wohnung", "lage", "heim", "ung", "schaft", "verhältnissen", "familie", "ehe", "ort", "stadt")
"""Endings of other words after "wohnt in" or "stammt aus"; listed towns are found by their list."""
_NUMBER = re.compile(r"[ \u00a0]{1,2}(?:Nr\.?[ ]?)?\d{1,3}(?!\d|[.,:/]\d|\.[ ]|[ ]?%)(?:[ ]?[a-zA-Z](?!\w))?(?!\w)")
_POSTCODE_AFTER = re.compile(r"[ \u00a0]*[,;|•·-]?\s{0,4}(?:(?:D|A|CH)[-– ])?\d{5}(?!\d)")
_POSTCODE_FORM = re.compile(r"(?:[ADLBI]-)?[0-9O][0-9OlI]{3,4}|CH-\d{4}")
_POSTBOX_NUMBER = re.compile(r":?[ \u00a0]{1,2}\d{1,3}(?:[ ]?\d{1,3}){0,2}(?!\d)")
_STREET_OF = re.compile(
    r"[ ](?:des|der|dem|von)(?:[ ](?:der|den))?[ ](?:\d{1,2}\.[ ]?)?[A-ZÄÖÜ][\w-]{1,30}(?:[ ][A-ZÄÖÜ][\w-]{1,30})?"
)
_LOOK_BACK = 4
_LOOK_AHEAD = 8
_MIN_TOWN = 4
_MAX_WORDS = 3


class AddressRecogniser:
    """Finds streets and towns by context; see the module."""

    kind = "address"

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._word_flags = TypeFeature(vocabulary, _flags_of, np.uint16)
        self._evidence = NameEvidence(gazetteer, vocabulary, ())
        self._towns = gazetteer.words("town")

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Return LOC detections; `rule` is the type and the evidence, e.g. "street.postcode", "town.residence"."""
        word_flags = self._word_flags.gather(document.tokens.types)
        triggers = np.flatnonzero(word_flags)
        if not len(triggers):
            return []
        line = TokenLine(document, self._evidence.flags_of(document).data, self.kind)
        reader = _AddressReader(line, self._towns)
        found: list[Detection] = []
        for at, flags in zip(triggers.tolist(), word_flags[triggers].tolist(), strict=True):
            found += reader.at(at, flags)
        return found


class _AddressReader:
    """Finds the addresses of one document at its trigger words."""

    def __init__(self, line: TokenLine, towns: frozenset[str]) -> None:
        self._line = line
        self._text = line.text
        self._bits = line.bits
        self._towns = towns

    def at(self, at: int, flags: int) -> Iterator[Detection]:
        """Yield the streets, towns and places of the trigger at `at`; flags: its AddressFlag values."""
        if flags & _OPENS_STREET:
            yield from self._street(at, after_residence=False)
        if flags & _POSTCODE_LIKE and (
            place := street_before_postcode(self._text, self._line.start(at), self._line.end(at))
        ):
            yield self._found(*place, PhiType.STREET, "line", 0.7)
        if flags & _ADDRESS_LABEL and (place := street_after_residence(self._text, self._line.end(at))):
            yield self._found(*place, PhiType.STREET, "residence", 0.7)
        if flags & _RESIDENCE_WORD:
            yield from list(self._street_of_residence(at)) or self._residence(at)
        if flags & _POSTBOX and (number := _POSTBOX_NUMBER.match(self._text, self._line.end(at))):
            yield self._found(self._line.start(at), number.end(), PhiType.STREET, "postbox", 0.95)
        if flags & _STREET_WORD and (name := _STREET_OF.match(self._text, self._line.end(at))):
            number = _NUMBER.match(self._text, name.end())
            if number:
                yield self._found(self._line.start(at), number.end(), PhiType.STREET, "number", 0.9)
        if flags & _BAD_PREFIX and self._line.adjacent(at + 1) and self._may_be_town(at + 1):
            yield self._place(at, self._town_end(at + 1), PhiType.TOWN, "bath", 0.9)
        if flags & _WATER_NAME:
            yield from self._town_at_water(at)
        if flags & _SITE_HEAD and self._line.adjacent(at + 1) and self._names_site(at):
            yield self._place(at, self._town_end(at + 1), PhiType.PLACE, "place.site", 0.8)
        if flags & _LAKE_NOUN:
            yield from self._lake(at)

    def _street(self, at: int, *, after_residence: bool) -> Iterator[Detection]:
        """Yield the street that the preposition at `at` begins."""
        start_token = at + 1
        if self._line.adjacent(start_token) and self._line.word(start_token) in _ARTICLES:
            start_token += 1
        end_token = start_token
        while end_token < start_token + _MAX_WORDS and self._line.adjacent(end_token) and self._capital(end_token):
            end_token += 1
        if end_token == start_token or (number := _NUMBER.match(self._text, self._line.end(end_token - 1))) is None:
            return
        evidence = self._street_evidence(at, start_token, end_token, number.end(), after_residence=after_residence)
        if evidence:
            # "wohnhaft in Lange Reihe 7": without an article, "in" is not part of the street.
            begin = start_token if self._line.word(at) == "in" and start_token == at + 1 else at
            yield self._found(self._line.start(begin), number.end(), PhiType.STREET, evidence, 0.9)

    def _street_evidence(self, at: int, start_token: int, end_token: int, end: int, *, after_residence: bool) -> str:
        """Return what makes a street of the words [start_token, end_token) after the preposition at `at`, else ""."""
        if after_residence or any(self._says_residence(i) for i in range(at - 1, max(-1, at - _LOOK_BACK), -1)):
            return "residence"
        if _POSTCODE_AFTER.match(self._text, end):
            return "postcode"
        name = self._bits[end_token - 1]
        if name & _MEDICAL or self._line.word(end_token - 1).lower() in _TIMES:
            return ""
        if name & _STREET_SUFFIX:
            return "suffix"
        if (
            end_token - start_token > 1
            and self._line.word(start_token).endswith(("er", "en"))
            and not self._bits[start_token] & _MEDICAL
        ):
            return "adjective"
        if name & _LISTED and end_token - start_token == 1:
            return ""
        before, after = self._text[: self._line.start(at)][-1:], self._text[end : end + 1]
        if before == "(" and after in (")", ","):
            return "brackets"
        if at and self._line.word(at - 1) == "," and after in (",", "."):
            return "commas"
        return "line" if before in ("", "\n") and after in ("", "\n", "\t") else ""

    def _says_residence(self, at: int) -> bool:
        word = self._line.word(at).lower()
        return word in _RESIDENCE_WORDS or word in _ADDRESSES or bool(self._bits[at] & _RESIDENCE)

    def _street_of_residence(self, at: int) -> Iterator[Detection]:
        """Yield a street whose preposition is in lower case: "wohnt am Mühlbach 5, …"."""
        after = at + 1
        if self._line.adjacent(after) and self._line.word(after).capitalize() in _OPENING:
            yield from self._street(after, after_residence=True)

    def _residence(self, at: int) -> Iterator[Detection]:
        """Yield the towns after "wohnt … in" and before "… in X geboren"."""
        for place in range(at + 1, min(at + _LOOK_AHEAD, len(self._bits) - 1)):
            if self._line_ends(place):
                break
            if self._line.word(place) in ("in", "aus"):
                yield from self._town(place + 1)
        for place in range(at - 2, max(-1, at - _LOOK_BACK), -1):
            if self._line.word(place) in ("in", "aus") and self._line.adjacent(at):
                yield from self._town(place + 1)

    def _town(self, at: int) -> Iterator[Detection]:
        if not self._line.adjacent(at):
            return
        if self._may_be_town(at) and not self._line.word(at).lower().endswith(_NO_TOWN):
            yield self._place(at, self._town_end(at), PhiType.TOWN, "residence", 0.85)

    def _may_be_town(self, at: int) -> bool:
        """Return whether the word is capitalised, long enough and no common, medical or function word."""
        if not self._capital(at) or self._line.end(at) - self._line.start(at) < _MIN_TOWN:
            return False
        return not self._bits[at] & (_LISTED | _MEDICAL | _STOP_WORD | _EPONYM)

    def _town_end(self, at: int) -> int:
        """Return the end token of "Horb am Neckar" if it begins at `at`, else at + 1."""
        after = at + 1
        if not self._line.adjacent(after) or self._line.word(after) not in ("am", "an", "ob", "im"):
            return at + 1
        after += 1
        if self._line.adjacent(after) and self._line.word(after) == "der":
            after += 1
        return after + 1 if self._line.adjacent(after) and is_water(self._line.word(after)) else at + 1

    def _town_at_water(self, at: int) -> Iterator[Detection]:
        for town in (at - 2, at - 3):
            if town >= 0 and self._capital(town) and self._town_end(town) == at + 1:
                before = self._bits[town - 1] if self._line.adjacent(town) else 0
                sure = before & (_POSTCODE | _PREPOSITION) or self._line.word(town) in self._towns
                if sure or (self._may_be_town(town) and self._line.word(town + 1) != "im"):
                    yield self._place(town, at + 1, PhiType.TOWN, "water", 0.85)

    def _names_site(self, at: int) -> bool:
        """Return whether the word after the kind of place at `at` is a town or in no list."""
        name = self._line.word(at + 1)
        if self._line.word(at).lower() not in _AMBIGUOUS_SITES and name in self._towns:
            return True
        return self._may_be_town(at + 1) and (name in self._towns or not self._bits[at + 1] & _AMBIGUOUS)

    def _lake(self, at: int) -> Iterator[Detection]:
        """Yield the lake, hill or moor of "am Neuwarper See", with the adjective of a place before it."""
        before = at - 1
        if before < 1 or not self._line.adjacent(at) or not self._capital(before):
            return
        if self._line.word(before).endswith("er") and not self._bits[before] & (_LISTED | _MEDICAL):
            yield self._place(before, at + 1, PhiType.PLACE, "place.lake", 0.8)

    def _capital(self, at: int) -> bool:
        word = self._line.word(at)
        return token_kind(word) == WORD and word[0].isupper()

    def _line_ends(self, at: int) -> bool:
        """Return whether a line, column or sentence ends before or with the token."""
        gap = self._text[self._line.end(at - 1) : self._line.start(at)]
        return "\n" in gap or "\t" in gap or self._line.word(at) in (".", ";", "!", "?")

    def _place(self, start_token: int, end_token: int, phi: PhiType, evidence: str, score: float) -> Detection:
        return self._line.detection(start_token, end_token, phi, f"{phi}.{evidence}", score)

    def _found(self, start: int, end: int, phi: PhiType, evidence: str, score: float) -> Detection:
        return self._line.detection_of(start, end, phi, f"{phi}.{evidence}", score)


def _flags_of(word: str) -> int:
    """Return the AddressFlag values of a word."""
    flags = _OPENS_STREET if word in _OPENING else 0
    if word.lower() in _RESIDENCE_WORDS:
        flags |= _RESIDENCE_WORD
    if word.lower().rstrip(".") in _ADDRESS_LABELS:
        flags |= _ADDRESS_LABEL
    if _POSTCODE_FORM.fullmatch(word):
        flags |= _POSTCODE_LIKE
    if word.lower() == "postfach":
        flags |= _POSTBOX
    if word in _STREET_WORDS:
        flags |= _STREET_WORD
    if word in ("Bad", "BAD"):
        flags |= _BAD_PREFIX
    if word[0].isupper() and is_water(word):
        flags |= _WATER_NAME
    if word[0].isupper() and word.lower() in _SITES:
        flags |= _SITE_HEAD
    if word in _LAKES:
        flags |= _LAKE_NOUN
    return flags
