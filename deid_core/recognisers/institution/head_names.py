"""Names of institutions around a head word: "Rheintalklinik", "Klinik am Südring", "Evangelisches Krankenhaus".

What stands before and behind the word that says what the institution is, at most six tokens to either side; the table
in recogniser.py says what makes a name of it.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.recognisers.institution import departments, flags, lists, words
from deid_core.recognisers.institution.organisations import REACH
from deid_core.text.token_line import TokenLine

_QUOTES = frozenset("\"„“”»«'")
_MIN_UNKNOWN = 4
"""Letters of an unknown word that makes a name of a head word."""
_NO_NAME = flags.TERM | flags.MEDICAL | flags.ADJECTIVE | flags.TITLE | flags.ANY_TRIGGER
"""What an unknown word in a name is not."""
_ABBREVIATED = frozenset({"ev.", "evang.", "kath.", "städt.", "univ.", "staatl."})
_ANNOUNCING = ("firma", "fa.")
_TERRITORIES = frozenset({"landkreis", "kreis", "stadt", "gemeinde", "land", "bezirk", "kreisverband"})
_GEOGRAPHIC = frozenset(
    "land bucht pforte markt tor heide börde see berg tal wald höhe straße forst moor aue hof kreuz haff".split()
)
"""Behind an adjective of a town they name a region or a street: "Mittweidaer Land"."""
_INSURING = ("versicherung", "kasse", "genossenschaft", "anstalt")
_HOMES = ("heim", "residenz", "stift", "wohnpark", "apotheke", "zentrum")
"""Behind these a compound of common words is a name: "Pflegeheim Abendsonne"."""
_VERBAL = ("t", "te", "en", "ig", "lich", "isch", "s", "er", "es", "em", "e")
"""In a text without capitals an unlisted word with such an ending is more often a verb or adjective than a name."""
_TIMES = ("tag", "tage", "abend", "morgen", "mittag", "nacht", "woche", "monat", "jahr", "ende", "anfang")
_SUBJECT_OF = frozenset(
    "für und u. f. facharzt fachärztin arzt ärztin klinik innere allgemeine bereich abteilung".split()
)
"""Before a subject: what is no name of a practice ("Facharzt für Radiologie")."""


class HeadNames:
    """Reads the names around head words of one document; token ranges are [first, last)."""

    def __init__(self, line: TokenLine, *, flat: bool) -> None:
        """flat: the text's capitals mean nothing."""
        self._line = line
        self._bits = line.bits
        self._flat = flat

    def headed(self, head: int, phi: PhiType) -> Detection | None:
        """The institution of type `phi` whose head word stands at `head`."""
        last = self._behind(head)
        named = bool(self._bits[head] & flags.NAMED)
        first = self._before(head, phi, sure=last > head + 1 or named)
        if last == head + 1 and first == head and not named:
            return None
        announced = phi is PhiType.ORGANISATION and self._line.word(head).lower() in _ANNOUNCING and last > head + 1
        if announced:
            first = head + 1
        if last > head + 1 or named:
            last = self.town_behind(last) if phi is PhiType.HOSPITAL else last
            return self._line.detection(first, last, phi, f"{phi}.{'compound' if named else 'behind'}", 0.9)
        return self._line.detection(first, last, phi, f"{phi}.before", 0.85)

    def subject(self, at: int) -> Detection | None:
        """A practice named by its subject: "Radiologie am Markt Wismar"."""
        line = self._line
        if line.adjacent(at) and line.word(at - 1).lower() in _SUBJECT_OF:
            return None
        bits = line.next_bits(at + 1)
        if bits & flags.PREPOSITION:
            last = self._located(at + 1)
            if last == at + 1:
                return None
            last = self._past_water(last + 1) if line.next_bits(last) & flags.PLACE else last
        else:
            last = departments.named_and_placed_end(line, at + 1)
            if last == at + 1:
                return None
        if line.adjacent(at) and line.word(at - 1) in lists.HOSPITAL_LETTERS:
            at -= 1
        return line.detection(at, self.town_behind(last), PhiType.HOSPITAL, "hospital.behind", 0.8)

    def house(self, at: int) -> Detection | None:
        """A home: "Haus Lindenhof Celle", "Haus Abendfrieden"; not "Haus Nr. 3", "Haus Sturz"."""
        line = self._line
        if line.word(at) not in ("Haus", "HAUS", "haus") or not self._names_house(at + 1):
            return None
        last = at + 2
        placed = line.next_bits(last) & flags.PLACE
        if self._flat and not placed:
            return None
        return line.detection(at, self.town_behind(last), PhiType.HOSPITAL, "hospital.house", 0.8)

    def _names_house(self, at: int) -> bool:
        bits = self._line.next_bits(at)
        return bool(bits & flags.CAPITAL) and not bits & _NO_NAME and len(self._line.word(at)) > _MIN_UNKNOWN

    def town_behind(self, last: int) -> int:
        """Past the town behind a name, with or without a comma; `last` if there is none."""
        line = self._line
        at = last + 1 if line.next_word(last) == "," and not line.glued(last + 1) else last
        bits = line.next_bits(at)
        if bits & flags.TOWN_PREFIX and bits & flags.CAPITAL and line.word(at).lower() == "bad":
            return at + 2 if line.next_bits(at + 1) & flags.CAPITAL else last
        if bits & flags.PLACE and bits & flags.NAMELIKE and not bits & flags.ANY_HEAD:
            return self._past_water(at + 1)
        return self._legal_behind(last)

    def _legal_behind(self, last: int) -> int:
        return last + 1 if self._line.next_bits(last) & flags.LEGAL else last

    def _behind(self, head: int) -> int:
        """The end of the name that begins with the head word; head + 1 if nothing behind belongs to it."""
        at = self._quoted(head + 1)
        while at <= head + REACH and (end := self._step(at, head)) > at:
            at = end
        return at

    def _step(self, at: int, head: int) -> int:
        """The end of the next part of the name at `at`; `at` if none is there."""
        line = self._line
        bits, following = line.next_bits(at), line.next_bits(at + 1)
        if bits & flags.TOWN_PREFIX and following & flags.CAPITAL and (not self._flat or following & flags.NAMELIKE):
            return self._past_water(at + 2)
        if bits & flags.PREPOSITION:
            return self._located(at)
        if self._of_town(at) and line.next_word(at + 1).lower() in _GEOGRAPHIC:
            return at + 2 if bits & flags.CAPITAL and not bits & flags.MEDICAL else at
        if at == head + 1 and bits & flags.ARTICLE and line.next_word(at + 1).lower() in lists.ORDERS:
            return self._kept_by(at + 1)
        if line.word(at) in ("&", "+") and at > head + 1 and following & flags.CAPITAL:
            return at + 2
        if bits & flags.TITLE:
            return self._owner(at)
        return self._capitalised_step(at, head) if bits & flags.CAPITAL else at

    def _of_town(self, at: int) -> bool:
        """Whether the word may be an adjective of a town: "Mittweidaer"."""
        word = self._line.word(at)
        return word.lower().endswith("er") and len(word) > _MIN_UNKNOWN

    def _capitalised_step(self, at: int, head: int) -> int:
        """The end of the next part of the name, whose first word has a capital at `at`; `at` if it is none."""
        line = self._line
        bits, following = line.next_bits(at), line.next_bits(at + 1)
        firm = bool(self._bits[head] & flags.BUSINESS)
        if self._bits[head] & flags.ORGANISATION and (end := self._office(at, head)) > at:
            return end
        if bits & flags.MARIAN and line.word(at - 1).lower() == "maria":
            return at + 1
        if bits & flags.PERSON and not following & flags.PLACE and line.word(head).lower().endswith("praxis"):
            return at
        if bits & flags.ADJECTIVE and following & flags.CAPITAL and following & (flags.NAMELIKE | flags.LANDSCAPE):
            return at + 2 if not self._flat else at
        if bits & flags.HOUSE and self._names_house(at + 1):
            return at + 2
        if bits & flags.SPECIALTY and self._unknown(at + 1) and line.adjacent(at + 1) and at == head + 1:
            return at + 2
        if bits & flags.PLACE and at > head + 1:
            return self._past_water(at + 1)
        if bits & flags.MEDICAL and not (firm and bits & flags.PERSON):
            return at
        if bits & flags.HOSPITAL and not (firm and at == head + 1):
            return at
        if bits & flags.NAMELIKE or (not bits & flags.TERM and self._past_water(at + 1) > at + 1):
            return self._past_water(at + 1)
        # "Klinikum Essen" and "Klinikum Xylon"; a bare "Klinik" is too often a heading or a ward's.
        strong = bool(self._bits[head] & (flags.STRONG | flags.NAMED)) or at > head + 1 or self._qualified(head)
        if strong and bits & (flags.PLACE | flags.LANDSCAPE):
            return self._past_water(at + 1)
        if self._bits[head] & flags.STRONG and bits & flags.COMPOUND and not bits & flags.MEDICAL and not self._flat:
            return at + 1
        if bits & flags.LANDSCAPE and following & flags.PLACE:
            return at + 1
        if firm and at == head + 1 and not self._flat and not bits & flags.LEGAL:
            return at + 1
        if bits & (flags.COMPOUND | flags.LANDSCAPE) and line.word(head).lower().endswith(_HOMES) and at == head + 1:
            return at + 1
        unlisted = at <= head + 2 and self._unknown(at)
        return at + 1 if unlisted and not (self._flat and line.word(at).lower().endswith(_VERBAL)) else at

    def _owner(self, at: int) -> int:
        """The end of "Dr. Muster Musterstadt" behind "Praxisklinik", "Labor": without the town it is a person alone."""
        line, first = self._line, at
        while line.next_bits(at) & flags.TITLE:
            at += 1
        bits, town = line.next_bits(at), line.next_bits(at + 1)
        named = bits & flags.CAPITAL and not bits & flags.MEDICAL
        return at + 2 if named and town & flags.PLACE and town & flags.NAMELIKE else first

    def _office(self, at: int, head: int) -> int:
        """The end of what only names of offices and firms have: "Landkreis Muster", "Bund", a second common word."""
        line = self._line
        bits, following = line.next_bits(at), line.next_bits(at + 1)
        if line.word(at).lower() in _TERRITORIES and following & (flags.PLACE | flags.NAMELIKE):
            return at + 2
        if bits & flags.TAIL and at == head + 1 and line.word(head).lower().endswith(_INSURING):
            return at + 1
        announced = line.word(head).lower() in _ANNOUNCING and not bits & (flags.MEDICAL | flags.TITLE)
        return at + 1 if announced and at <= head + 2 and not self._flat else at

    def _unknown(self, at: int) -> bool:
        """Whether the word is in no list and formed like no term."""
        bits = self._bits[at] if at < len(self._bits) else 0
        no_name = _NO_NAME | flags.COMPOUND
        return bool(bits & flags.CAPITAL) and not bits & no_name and len(self._line.word(at)) >= _MIN_UNKNOWN

    def _kept_by(self, at: int) -> int:
        """The end of "Barmherzigen Brüder", "Elisabethinnen", "Universität"."""
        if self._line.word(at).lower().startswith("barmherzig") and self._line.next_bits(at + 1) & flags.CAPITAL:
            return at + 2
        return at + 1

    def _qualified(self, head: int) -> bool:
        """Whether what stands before the head word begins a name: "Evangelische", "Elbufer"."""
        return self._line.adjacent(head) and bool(self._bits[head - 1] & (flags.QUALIFIER | flags.LANDSCAPE))

    def _located(self, at: int) -> int:
        """The end of "am Südring", "zum Guten Hirten", "an der Aue"; `at` if no name follows the preposition."""
        line = self._line
        first = at + 1
        if line.next_bits(first) & flags.ARTICLE:
            first += 1
        bits, following = line.next_bits(first), line.next_bits(first + 1)
        if not bits & flags.CAPITAL or bits & (flags.MEDICAL | flags.ANY_HEAD | flags.FREE_NAME):
            return at
        # An adjective has a capital in the middle of a line only in a name.
        if not self._flat and following & flags.CAPITAL and line.word(first).endswith(("en", "em", "er")):
            return first + 2 if not following & flags.MEDICAL else at
        if line.word(first).lower().endswith(_TIMES):
            return at
        at_place = line.word(at).lower() == "am" and bits & flags.COMPOUND and not bits & flags.TERM
        if not self._flat and (self._unknown(first) or at_place):
            return first + 1
        if line.next_word(first + 1) == "," and line.next_bits(first + 2) & flags.PLACE and not bits & flags.MEDICAL:
            return first + 1
        if bits & flags.NAMELIKE:
            return first + 1 + bool(self._flat and bits & flags.ADJECTIVE and following & flags.NAMELIKE)
        town_follows = following & flags.TOWN_PREFIX or (following & flags.PLACE and following & flags.NAMELIKE)
        return first + 1 if town_follows else at

    def _past_water(self, at: int) -> int:
        """Past "am Rhein", "an der Donau" behind a town."""
        line = self._line
        if not line.next_bits(at) & flags.PREPOSITION:
            return at
        after = at + 1
        if line.next_bits(after) & flags.ARTICLE:
            after += 1
        return after + 1 if line.next_bits(after) & flags.WATER else at

    def _quoted(self, at: int) -> int:
        """Past a name of up to four words in quotation marks, if one stands at `at`."""
        line = self._line
        if not line.adjacent(at) or line.word(at) not in _QUOTES:
            return at
        for end in range(at + 2, min(at + REACH, len(self._bits))):
            if line.word(end) in _QUOTES and line.same_sentence(at, end):
                return end + 1
        return at

    def _before(self, head: int, phi: PhiType, *, sure: bool) -> int:
        """The first token of the name that ends with the head word.

        sure: something else makes it a name, so that an unknown word may open a line or sentence.
        """
        line = self._line
        first = head
        while first > max(0, head - REACH) and line.adjacent(first):
            before = first - 1
            bits = self._bits[before]
            if line.glued(first) and line.glued(before) and line.word(before) == "-":
                first -= 2
                continue
            abbreviated = line.word(before - 1).lower() + "." if line.word(before) == "." and line.glued(before) else ""
            if abbreviated in _ABBREVIATED:
                first -= 2
                continue
            if not bits & flags.CAPITAL or not self._may_precede(before, bits, phi, sure=sure):
                break
            first = before
        if sure and first == head:
            first = self._joined(head)
        return first

    def _may_precede(self, at: int, bits: int, phi: PhiType, *, sure: bool) -> bool:
        if bits & flags.QUALIFIER or (self._line.word(at) in lists.HOSPITAL_LETTERS and phi is PhiType.HOSPITAL):
            return True
        if phi is PhiType.ORGANISATION and words.is_regional(self._line.word(at)):
            return True
        if phi is PhiType.HOSPITAL and sure and bits & flags.BRANCH:
            return True
        if bits & (_NO_NAME | flags.COMPOUND | flags.KNOWN | flags.INSURER):
            return False
        if self._flat or (self._line.word(at).isupper() and len(self._line.word(at)) <= _MIN_UNKNOWN):
            return False
        if not sure and self._line.word(at + 1).lower().endswith("praxis") and not bits & flags.PLACE:
            return False
        if bits & flags.NAMELIKE:
            return True
        saint = at > 0 and self._line.adjacent(at) and bool(self._bits[at - 1] & flags.QUALIFIER)
        long = len(self._line.word(at)) > _MIN_UNKNOWN and not self._line.word(at).endswith(".")
        return saint or sure or (long and not self._line.opens(at))

    def _joined(self, head: int) -> int:
        """The beginning of "Herz- und Gefäßklinik"."""
        line = self._line
        if head >= 3 and line.word(head - 1) in ("und", "u.") and line.word(head - 2) == "-":
            whole = line.adjacent(head) and line.adjacent(head - 1) and line.glued(head - 2)
            return head - 3 if whole and self._bits[head - 3] & flags.CAPITAL else head
        return head
