"""Recogniser `address`: streets and towns that no list knows, by how an address or a residence is written.

- A street that begins with a preposition ("Am Alten Gaswerk 7b", "In der Aue 12") needs a house number and one of:
  a postcode behind it, a word of residence before it, an ending of streets, a capitalised adjective, brackets or
  commas around it, or a line of its own. Medical words ("Im EKG 2") and times ("Am Abend 1") are no streets.
- A street before a postcode and a town, however it is called: "Gampelmoos 3, 6700 Musterstadt" (address_line.py).
- "Straße des 17. Juni 135", "Platz der Republik 1"; "Postfach 1120".
- "Flughafen Stuttgart", "Strandbad Titisee": a kind of place and a name behind it; "am Neuwarper See".
- A town behind "wohnt in", "stammt aus" or before "geboren", if it is no common word; "Bad Schönborn", "Weil am Rhein".

What the lists have is the recogniser `gazetteer`'s, words by their ending alone the recogniser `suffix`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.disambiguation.evidence import NameEvidence
from deid_core.lexicon.disambiguation.flags import NameFlag
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.address.address_line import street_before_postcode, street_behind_residence
from deid_core.recognisers.institution.word_flags import is_water
from deid_core.text.document import Document
from deid_core.text.token_line import TokenLine
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_AMBIGUOUS = NameFlag.AMBIGUOUS.value
_MEDICAL = NameFlag.MEDICAL.value
_EPONYM = NameFlag.EPONYM.value
_STREET_SUFFIX = NameFlag.STREET_SUFFIX.value
_POSTCODE = NameFlag.POSTCODE.value
_RESIDENCE = NameFlag.RESIDENCE.value
_PREPOSITION = NameFlag.PREPOSITION.value
_STOP_WORD = NameFlag.STOP_WORD.value
_LISTED = NameFlag.LISTED.value

OPENS_STREET, LIVES, POSTBOX, STREET_WORD, BATH, WATER, SITE, LAKE = 1, 2, 4, 8, 16, 32, 64, 128
POSTCODE_LIKE, ADDRESSED = 256, 512
"""What a word may be of an address: each has its branch in `_Reading.at`."""

_OPENING = frozenset("Am Im An Auf In Zum Zur Unter Vor Hinter Beim Bei".split())
"""A street may begin with these."""
_ARTICLES = frozenset("der dem den Der Dem Den".split())
_LIVES = frozenset(
    """
    wohnt wohnte wohnhaft wohnend wohnh. wh. lebt lebte lebend stammt stammte stammend geboren gebürtig aufgewachsen
    """.split()
)
_ADDRESSES = frozenset("anschrift adresse wohnadresse heimatadresse wohnanschrift".split())
_ADDRESSED = _ADDRESSES | frozenset("wohnhaft wohnh anschr wohnort einsatzort ort".split())
"""Behind these a street may stand at once, or behind its town."""
_LAKES = frozenset("See Stausee Talsperre Berg Alm Moor".split())
"""An adjective of a place stands before these: "Neuwarper See"."""
_STREET_WORDS = frozenset("Straße Strasse Str. Platz Weg Allee Ufer Ring".split())
_TIMES = frozenset(
    """
    abend morgen mittag vormittag nachmittag nacht tag woche monat jahr jahre anfang ende anschluss wochenende
    montag dienstag mittwoch donnerstag freitag samstag sonntag folgetag aufnahmetag entlassungstag op-tag
    """.split()
)
_SITES = frozenset(
    """
    flughafen hauptbahnhof bahnhof strandbad freibad hallenbad thermalbad stadion stadthalle campingplatz zeltplatz
    talsperre stausee schloss burg kloster gut friedhof autobahnkreuz rastplatz raststätte gasthof marktplatz zoo
    waldbad parkplatz
    """.split()
)
"""Kinds of place that a town or a name stands behind."""
_SITE_ALONE = frozenset({"gut", "burg", "schloss", "marktplatz", "parkplatz"})
"""Of these, words with another meaning: only a listed town or a word in no list follows."""
_NO_TOWN = ("haus", "wohnung", "lage", "heim", "ung", "schaft", "verhältnissen", "familie", "ehe", "ort", "stadt")
"""Endings of what people live in or come from that is no town; listed towns are found by their list."""
_NUMBER = re.compile(r"[ \u00a0]{1,2}(?:Nr\.?[ ]?)?\d{1,3}(?!\d|[.,:/]\d|\.[ ]|[ ]?%)(?:[ ]?[a-zA-Z](?!\w))?(?!\w)")
_POSTCODE_BEHIND = re.compile(r"[ \u00a0]*[,;|•·-]?\s{0,4}(?:(?:D|A|CH)[-– ])?\d{5}(?!\d)")
_POSTCODE_LIKE = re.compile(r"(?:[ADLBI]-)?[0-9O][0-9OlI]{3,4}|CH-\d{4}")
_POSTBOX_NUMBER = re.compile(r":?[ \u00a0]{1,2}\d{1,3}(?:[ ]?\d{1,3}){0,2}(?!\d)")
_STREET_OF = re.compile(
    r"[ ](?:des|der|dem|von)(?:[ ](?:der|den))?[ ](?:\d{1,2}\.[ ]?)?[A-ZÄÖÜ][\w-]{1,30}(?:[ ][A-ZÄÖÜ][\w-]{1,30})?"
)
_LOOK_BACK = 4
_LOOK_AHEAD = 8
_MIN_TOWN = 4
_MAX_WORDS = 3


class AddressRecogniser:
    """Streets and towns by context; see the module."""

    kind = "address"

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._triggers = TypeFeature(vocabulary, _trigger, np.uint16)
        self._evidence = NameEvidence(gazetteer, vocabulary, ())
        self._towns = gazetteer.words("town")

    def recognise(self, document: Document) -> Iterable[Detection]:
        """LOC detections; `rule` is the type and the evidence, e.g. "street.postcode", "town.residence"."""
        triggers = self._triggers.gather(document.tokens.types)
        places = np.flatnonzero(triggers)
        if not len(places):
            return []
        line = TokenLine(document, self._evidence.flags_of(document).data, self.kind)
        reading = _Reading(line, self._towns)
        found: list[Detection] = []
        for at, trigger in zip(places.tolist(), triggers[places].tolist(), strict=True):
            found += reading.at(at, trigger)
        return found


class _Reading:
    """One document while its addresses are read."""

    def __init__(self, line: TokenLine, towns: frozenset[str]) -> None:
        self._line = line
        self._text = line.text
        self._bits = line.bits
        self._towns = towns

    def at(self, at: int, trigger: int) -> Iterator[Detection]:
        """What the trigger at `at` begins, or, for a word of residence, stands next to."""
        if trigger & OPENS_STREET:
            yield from self._street(at, lives=False)
        if trigger & POSTCODE_LIKE and (
            place := street_before_postcode(self._text, self._line.start(at), self._line.end(at))
        ):
            yield self._found(*place, PhiType.STREET, "line", 0.7)
        if trigger & ADDRESSED and (place := street_behind_residence(self._text, self._line.end(at))):
            yield self._found(*place, PhiType.STREET, "residence", 0.7)
        if trigger & LIVES:
            yield from list(self._lived_street(at)) or self._residence(at)
        if trigger & POSTBOX and (number := _POSTBOX_NUMBER.match(self._text, self._line.end(at))):
            yield self._found(self._line.start(at), number.end(), PhiType.STREET, "postbox", 0.95)
        if trigger & STREET_WORD and (name := _STREET_OF.match(self._text, self._line.end(at))):
            number = _NUMBER.match(self._text, name.end())
            if number:
                yield self._found(self._line.start(at), number.end(), PhiType.STREET, "number", 0.9)
        if trigger & BATH and self._line.adjacent(at + 1) and self._may_be_town(at + 1):
            yield self._place(at, self._past_water(at + 1), PhiType.TOWN, "bath", 0.9)
        if trigger & WATER:
            yield from self._town_at_water(at)
        if trigger & SITE and self._line.adjacent(at + 1) and self._names_site(at):
            yield self._place(at, self._past_water(at + 1), PhiType.PLACE, "place.site", 0.8)
        if trigger & LAKE:
            yield from self._lake(at)

    def _street(self, at: int, *, lives: bool) -> Iterator[Detection]:
        """The street that the preposition at `at` begins; lives: a word of residence stands before it."""
        first = at + 1
        if self._line.adjacent(first) and self._line.word(first) in _ARTICLES:
            first += 1
        last = first
        while last < first + _MAX_WORDS and self._line.adjacent(last) and self._capital(last):
            last += 1
        if last == first or (number := _NUMBER.match(self._text, self._line.end(last - 1))) is None:
            return
        evidence = self._street_evidence(at, first, last, number.end(), lives=lives)
        if evidence:
            # "wohnhaft in Lange Reihe 7": without an article "in" is no part of the street.
            begin = first if self._line.word(at) == "in" and first == at + 1 else at
            yield self._found(self._line.start(begin), number.end(), PhiType.STREET, evidence, 0.9)

    def _street_evidence(self, at: int, first: int, last: int, end: int, *, lives: bool) -> str:
        """What makes the words [first, last) behind the preposition at `at` a street, "" if nothing does."""
        if lives or any(self._says_residence(i) for i in range(at - 1, max(-1, at - _LOOK_BACK), -1)):
            return "residence"
        if _POSTCODE_BEHIND.match(self._text, end):
            return "postcode"
        name = self._bits[last - 1]
        if name & _MEDICAL or self._line.word(last - 1).lower() in _TIMES:
            return ""
        if name & _STREET_SUFFIX:
            return "suffix"
        if last - first > 1 and self._line.word(first).endswith(("er", "en")) and not self._bits[first] & _MEDICAL:
            return "adjective"
        if name & _LISTED and last - first == 1:
            return ""
        before, behind = self._text[: self._line.start(at)][-1:], self._text[end : end + 1]
        if before == "(" and behind in (")", ","):
            return "brackets"
        if at and self._line.word(at - 1) == "," and behind in (",", "."):
            return "commas"
        return "line" if before in ("", "\n") and behind in ("", "\n", "\t") else ""

    def _says_residence(self, at: int) -> bool:
        word = self._line.word(at).lower()
        return word in _LIVES or word in _ADDRESSES or bool(self._bits[at] & _RESIDENCE)

    def _lived_street(self, at: int) -> Iterator[Detection]:
        """A street whose preposition is in lower case: "wohnt am Mühlbach 5, …"."""
        after = at + 1
        if self._line.adjacent(after) and self._line.word(after).capitalize() in _OPENING:
            yield from self._street(after, lives=True)

    def _residence(self, at: int) -> Iterator[Detection]:
        """Towns behind "wohnt … in" and before "… in X geboren"."""
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
            yield self._place(at, self._past_water(at), PhiType.TOWN, "residence", 0.85)

    def _may_be_town(self, at: int) -> bool:
        """A capitalised word of enough letters that is no common, medical or function word."""
        if not self._capital(at) or self._line.end(at) - self._line.start(at) < _MIN_TOWN:
            return False
        return not self._bits[at] & (_LISTED | _MEDICAL | _STOP_WORD | _EPONYM)

    def _past_water(self, at: int) -> int:
        """The last token of "Horb am Neckar" if it begins at `at`, else `at`."""
        after = at + 1
        if not self._line.adjacent(after) or self._line.word(after) not in ("am", "an", "ob", "im"):
            return at
        after += 1
        if self._line.adjacent(after) and self._line.word(after) == "der":
            after += 1
        return after if self._line.adjacent(after) and is_water(self._line.word(after)) else at

    def _town_at_water(self, at: int) -> Iterator[Detection]:
        for town in (at - 2, at - 3):
            if town >= 0 and self._capital(town) and self._past_water(town) == at:
                before = self._bits[town - 1] if self._line.adjacent(town) else 0
                sure = before & (_POSTCODE | _PREPOSITION) or self._line.word(town) in self._towns
                if sure or (self._may_be_town(town) and self._line.word(town + 1) != "im"):
                    yield self._place(town, at, PhiType.TOWN, "water", 0.85)

    def _names_site(self, at: int) -> bool:
        """Whether the word behind the kind of place at `at` is a town or in no list."""
        behind = self._line.word(at + 1)
        if self._line.word(at).lower() not in _SITE_ALONE and behind in self._towns:
            return True
        return self._may_be_town(at + 1) and (behind in self._towns or not self._bits[at + 1] & _AMBIGUOUS)

    def _lake(self, at: int) -> Iterator[Detection]:
        """The lake, hill or moor of "am Neuwarper See": an adjective of a place stands before it."""
        before = at - 1
        if before < 1 or not self._line.adjacent(at) or not self._capital(before):
            return
        if self._line.word(before).endswith("er") and not self._bits[before] & (_LISTED | _MEDICAL):
            yield self._place(before, at, PhiType.PLACE, "place.lake", 0.8)

    def _capital(self, at: int) -> bool:
        word = self._line.word(at)
        return token_kind(word) == WORD and word[0].isupper()

    def _line_ends(self, at: int) -> bool:
        """Whether a line, column or sentence ends before or with the token."""
        gap = self._text[self._line.end(at - 1) : self._line.start(at)]
        return "\n" in gap or "\t" in gap or self._line.word(at) in (".", ";", "!", "?")

    def _place(self, first: int, last: int, phi: PhiType, evidence: str, score: float) -> Detection:
        """A detection of the tokens first to last, the last one included."""
        return self._found(self._line.start(first), self._line.end(last), phi, evidence, score)

    def _found(self, start: int, end: int, phi: PhiType, evidence: str, score: float) -> Detection:
        return self._line.detection_of(start, end, phi, f"{phi}.{evidence}", score)


def _trigger(word: str) -> int:
    """The trigger's bits of a word."""
    bits = OPENS_STREET if word in _OPENING else 0
    if word.lower() in _LIVES:
        bits |= LIVES
    if word.lower().rstrip(".") in _ADDRESSED:
        bits |= ADDRESSED
    if _POSTCODE_LIKE.fullmatch(word):
        bits |= POSTCODE_LIKE
    if word.lower() == "postfach":
        bits |= POSTBOX
    if word in _STREET_WORDS:
        bits |= STREET_WORD
    if word in ("Bad", "BAD"):
        bits |= BATH
    if word[0].isupper() and is_water(word):
        bits |= WATER
    if word[0].isupper() and word.lower() in _SITES:
        bits |= SITE
    if word in _LAKES:
        bits |= LAKE
    return bits
