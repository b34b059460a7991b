"""Names of institutions around a head word: "Rheintalklinik", "Klinik am Südring", "Evangelisches Krankenhaus".

A name includes at most six tokens before and after the head word. The table in recogniser.py lists the conditions.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_set
from deid_core.recognisers.institution import departments, flags
from deid_core.recognisers.institution.compute_flags import HOSPITAL_ABBREVIATIONS, is_organisation_qualifier
from deid_core.recognisers.institution.organisations import REACH
from deid_core.text.token_line import TokenLine

_QUOTES = frozenset("\"„“”»«'")
_MIN_UNKNOWN = 4
"""Minimum letters of an unknown word that makes a name of a head word."""
_NO_NAME = flags.ORDINARY | flags.MEDICAL_WORD | flags.ADJECTIVE | flags.ACADEMIC_TITLE | flags.ANY_TRIGGER
"""Flags that an unknown word in a name must not have."""
_ABBREVIATED = frozenset({"ev.", "evang.", "kath.", "städt.", "univ.", "staatl."})
_ANNOUNCING = ("firma", "fa.")
_TERRITORIES = frozenset({"landkreis", "kreis", "stadt", "gemeinde", "land", "bezirk", "kreisverband"})
_REGION_NOUNS = word_set("institution/region-nouns")
_OWNERS = word_set("institution/hospital-owners")
_INSURING = ("versicherung", "kasse", "genossenschaft", "anstalt")
_HOMES = ("heim", "residenz", "stift", "wohnpark", "apotheke", "zentrum")
"""Head words after which a compound of common words is a name: "Pflegeheim Abendsonne"."""
_VERBAL = ("t", "te", "en", "ig", "lich", "isch", "s", "er", "es", "em", "e")
"""In a text without capitals, an unlisted word with such an ending is more often a verb or adjective than a name."""
_TIMES = ("tag", "tage", "abend", "morgen", "mittag", "nacht", "woche", "monat", "jahr", "ende", "anfang")
_BEFORE_SPECIALTY = word_set("institution/before-specialty")


class HeadNames:
    """Finds the names around head words of one document.

    A method for the end of a part returns the token after the part.
    """

    def __init__(self, line: TokenLine, *, flat: bool) -> None:
        """flat: the text's capitals mean nothing."""
        self._line = line
        self._bits = line.bits
        self._flat = flat

    def headed(self, head: int, phi: PhiType) -> Detection | None:
        """Return the institution of type `phi` whose head word is at `head`."""
        end_token = self._name_end(head)
        named = bool(self._bits[head] & flags.SELF_NAMING)
        start_token = self._name_start(head, phi, sure=end_token > head + 1 or named)
        if end_token == head + 1 and start_token == head and not named:
            return None
        announced = (
            phi is PhiType.ORGANISATION and self._line.word(head).lower() in _ANNOUNCING and end_token > head + 1
        )
        if announced:
            start_token = head + 1
        if end_token > head + 1 or named:
            end_token = self.town_end(end_token) if phi is PhiType.HOSPITAL else end_token
            return self._line.detection(start_token, end_token, phi, f"{phi}.{'compound' if named else 'after'}", 0.9)
        return self._line.detection(start_token, end_token, phi, f"{phi}.before", 0.85)

    def subject(self, at: int) -> Detection | None:
        """Return the practice named by its subject at `at`: "Radiologie am Markt Wismar"."""
        line = self._line
        if line.adjacent(at) and line.word(at - 1).lower() in _BEFORE_SPECIALTY:
            return None
        bits = line.next_bits(at + 1)
        if bits & flags.NAME_PREPOSITION:
            end_token = self._location_end(at + 1)
            if end_token == at + 1:
                return None
            end_token = self._water_end(end_token + 1) if line.next_bits(end_token) & flags.LISTED_PLACE else end_token
        else:
            end_token = departments.named_and_placed_end(line, at + 1)
            if end_token == at + 1:
                return None
        if line.adjacent(at) and line.word(at - 1) in HOSPITAL_ABBREVIATIONS:
            at -= 1
        return line.detection(at, self.town_end(end_token), PhiType.HOSPITAL, "hospital.after", 0.8)

    def house(self, at: int) -> Detection | None:
        """Return the home of "Haus Lindenhof Celle", "Haus Abendfrieden"; None for "Haus Nr. 3", "Haus Sturz"."""
        line = self._line
        if line.word(at) not in ("Haus", "HAUS", "haus") or not self._names_house(at + 1):
            return None
        end_token = at + 2
        placed = line.next_bits(end_token) & flags.LISTED_PLACE
        if self._flat and not placed:
            return None
        return line.detection(at, self.town_end(end_token), PhiType.HOSPITAL, "hospital.house", 0.8)

    def _names_house(self, at: int) -> bool:
        bits = self._line.next_bits(at)
        return bool(bits & flags.INITIAL_CAPITAL) and not bits & _NO_NAME and len(self._line.word(at)) > _MIN_UNKNOWN

    def town_end(self, end_token: int) -> int:
        """Return the end of the town after a name, with or without a comma; `end_token` if there is none."""
        line = self._line
        at = end_token + 1 if line.next_word(end_token) == "," and not line.glued(end_token + 1) else end_token
        bits = line.next_bits(at)
        if bits & flags.TOWN_PREFIX and bits & flags.INITIAL_CAPITAL and line.word(at).lower() == "bad":
            return at + 2 if line.next_bits(at + 1) & flags.INITIAL_CAPITAL else end_token
        if bits & flags.LISTED_PLACE and bits & flags.NAME_FORM and not bits & flags.ANY_HEAD:
            return self._water_end(at + 1)
        return self._legal_form_end(end_token)

    def _legal_form_end(self, end_token: int) -> int:
        return end_token + 1 if self._line.next_bits(end_token) & flags.LEGAL_FORM else end_token

    def _name_end(self, head: int) -> int:
        """Return the end of the name that begins with the head word; head + 1 if nothing after it belongs to it."""
        at = self._quotation_end(head + 1)
        while at <= head + REACH and (end_token := self._part_end(at, head)) > at:
            at = end_token
        return at

    def _part_end(self, at: int, head: int) -> int:
        """Return the end of the next part of the name at `at`; `at` if there is none."""
        line = self._line
        bits, following = line.next_bits(at), line.next_bits(at + 1)
        if (
            bits & flags.TOWN_PREFIX
            and following & flags.INITIAL_CAPITAL
            and (not self._flat or following & flags.NAME_FORM)
        ):
            return self._water_end(at + 2)
        if bits & flags.NAME_PREPOSITION:
            return self._location_end(at)
        if self._of_town(at) and line.next_word(at + 1).lower() in _REGION_NOUNS:
            return at + 2 if bits & flags.INITIAL_CAPITAL and not bits & flags.MEDICAL_WORD else at
        if at == head + 1 and bits & flags.NAME_ARTICLE and line.next_word(at + 1).lower() in _OWNERS:
            return self._operator_end(at + 1)
        if line.word(at) in ("&", "+") and at > head + 1 and following & flags.INITIAL_CAPITAL:
            return at + 2
        if bits & flags.ACADEMIC_TITLE:
            return self._owner_end(at)
        return self._capitalised_part_end(at, head) if bits & flags.INITIAL_CAPITAL else at

    def _of_town(self, at: int) -> bool:
        """Return whether the word may be an adjective of a town: "Mittweidaer"."""
        word = self._line.word(at)
        return word.lower().endswith("er") and len(word) > _MIN_UNKNOWN

    def _capitalised_part_end(self, at: int, head: int) -> int:
        """Return the end of the next part of the name, if it begins with the capitalised word at `at`; else `at`."""
        line = self._line
        bits, following = line.next_bits(at), line.next_bits(at + 1)
        firm = bool(self._bits[head] & flags.BUSINESS_HEAD)
        if self._bits[head] & flags.ORGANISATION_HEAD and (end_token := self._office_end(at, head)) > at:
            return end_token
        if bits & flags.MARIAN and line.word(at - 1).lower() == "maria":
            return at + 1
        if (
            bits & flags.PERSON_NAME
            and not following & flags.LISTED_PLACE
            and line.word(head).lower().endswith("praxis")
        ):
            return at
        if (
            bits & flags.ADJECTIVE
            and following & flags.INITIAL_CAPITAL
            and following & (flags.NAME_FORM | flags.LANDSCAPE_ENDING)
        ):
            return at + 2 if not self._flat else at
        if bits & flags.HOUSE and self._names_house(at + 1):
            return at + 2
        if bits & flags.SPECIALTY and self._unknown(at + 1) and line.adjacent(at + 1) and at == head + 1:
            return at + 2
        if bits & flags.LISTED_PLACE and at > head + 1:
            return self._water_end(at + 1)
        if bits & flags.MEDICAL_WORD and not (firm and bits & flags.PERSON_NAME):
            return at
        if bits & flags.HOSPITAL_HEAD and not (firm and at == head + 1):
            return at
        if bits & flags.NAME_FORM or (not bits & flags.ORDINARY and self._water_end(at + 1) > at + 1):
            return self._water_end(at + 1)
        # "Klinikum Essen" and "Klinikum Xylon". "Klinik" alone is too often a heading or part of a ward.
        strong = (
            bool(self._bits[head] & (flags.STRONG_HEAD | flags.SELF_NAMING)) or at > head + 1 or self._qualified(head)
        )
        if strong and bits & (flags.LISTED_PLACE | flags.LANDSCAPE_ENDING):
            return self._water_end(at + 1)
        if (
            self._bits[head] & flags.STRONG_HEAD
            and bits & flags.ORDINARY_COMPOUND
            and not bits & flags.MEDICAL_WORD
            and not self._flat
        ):
            return at + 1
        if bits & flags.LANDSCAPE_ENDING and following & flags.LISTED_PLACE:
            return at + 1
        if firm and at == head + 1 and not self._flat and not bits & flags.LEGAL_FORM:
            return at + 1
        if (
            bits & (flags.ORDINARY_COMPOUND | flags.LANDSCAPE_ENDING)
            and line.word(head).lower().endswith(_HOMES)
            and at == head + 1
        ):
            return at + 1
        unlisted = at <= head + 2 and self._unknown(at)
        return at + 1 if unlisted and not (self._flat and line.word(at).lower().endswith(_VERBAL)) else at

    def _owner_end(self, at: int) -> int:
        """Return the end of "Dr. Muster Musterstadt" after "Praxisklinik"; `at` without the town, as for a person."""
        line, start_token = self._line, at
        while line.next_bits(at) & flags.ACADEMIC_TITLE:
            at += 1
        bits, town = line.next_bits(at), line.next_bits(at + 1)
        named = bits & flags.INITIAL_CAPITAL and not bits & flags.MEDICAL_WORD
        return at + 2 if named and town & flags.LISTED_PLACE and town & flags.NAME_FORM else start_token

    def _office_end(self, at: int, head: int) -> int:
        """Return the end of a part that only offices and firms have: "Landkreis Muster", "Bund", a common word."""
        line = self._line
        bits, following = line.next_bits(at), line.next_bits(at + 1)
        if line.word(at).lower() in _TERRITORIES and following & (flags.LISTED_PLACE | flags.NAME_FORM):
            return at + 2
        if bits & flags.INSURER_BRANCH and at == head + 1 and line.word(head).lower().endswith(_INSURING):
            return at + 1
        announced = line.word(head).lower() in _ANNOUNCING and not bits & (flags.MEDICAL_WORD | flags.ACADEMIC_TITLE)
        return at + 1 if announced and at <= head + 2 and not self._flat else at

    def _unknown(self, at: int) -> bool:
        """Return whether the word is in no list and not formed like a term."""
        bits = self._bits[at] if at < len(self._bits) else 0
        no_name = _NO_NAME | flags.ORDINARY_COMPOUND
        return bool(bits & flags.INITIAL_CAPITAL) and not bits & no_name and len(self._line.word(at)) >= _MIN_UNKNOWN

    def _operator_end(self, at: int) -> int:
        """Return the end of "Barmherzigen Brüder", "Elisabethinnen", "Universität"."""
        if (
            self._line.word(at).lower().startswith("barmherzig")
            and self._line.next_bits(at + 1) & flags.INITIAL_CAPITAL
        ):
            return at + 2
        return at + 1

    def _qualified(self, head: int) -> bool:
        """Return whether the word before the head word begins a name: "Evangelische", "Elbufer"."""
        return self._line.adjacent(head) and bool(self._bits[head - 1] & (flags.QUALIFIER | flags.LANDSCAPE_ENDING))

    def _location_end(self, at: int) -> int:
        """Return the end of "am Südring", "zum Guten Hirten", "an der Aue"; `at` if no name follows the preposition."""
        line = self._line
        start_token = at + 1
        if line.next_bits(start_token) & flags.NAME_ARTICLE:
            start_token += 1
        bits, following = line.next_bits(start_token), line.next_bits(start_token + 1)
        if not bits & flags.INITIAL_CAPITAL or bits & (flags.MEDICAL_WORD | flags.ANY_HEAD | flags.HOSPITAL_NAME):
            return at
        # An adjective in the middle of a line has a capital only in a name.
        if not self._flat and following & flags.INITIAL_CAPITAL and line.word(start_token).endswith(("en", "em", "er")):
            return start_token + 2 if not following & flags.MEDICAL_WORD else at
        if line.word(start_token).lower().endswith(_TIMES):
            return at
        at_place = line.word(at).lower() == "am" and bits & flags.ORDINARY_COMPOUND and not bits & flags.ORDINARY
        if not self._flat and (self._unknown(start_token) or at_place):
            return start_token + 1
        if (
            line.next_word(start_token + 1) == ","
            and line.next_bits(start_token + 2) & flags.LISTED_PLACE
            and not bits & flags.MEDICAL_WORD
        ):
            return start_token + 1
        if bits & flags.NAME_FORM:
            return start_token + 1 + bool(self._flat and bits & flags.ADJECTIVE and following & flags.NAME_FORM)
        town_follows = following & flags.TOWN_PREFIX or (following & flags.LISTED_PLACE and following & flags.NAME_FORM)
        return start_token + 1 if town_follows else at

    def _water_end(self, at: int) -> int:
        """Return the end of "am Rhein", "an der Donau" after a town; `at` if there is none."""
        line = self._line
        if not line.next_bits(at) & flags.NAME_PREPOSITION:
            return at
        after = at + 1
        if line.next_bits(after) & flags.NAME_ARTICLE:
            after += 1
        return after + 1 if line.next_bits(after) & flags.TOWN_WATER else at

    def _quotation_end(self, at: int) -> int:
        """Return the end of a name of up to four words in quotation marks; `at` if there is none."""
        line = self._line
        if not line.adjacent(at) or line.word(at) not in _QUOTES:
            return at
        for end_token in range(at + 2, min(at + REACH, len(self._bits))):
            if line.word(end_token) in _QUOTES and line.same_sentence(at, end_token):
                return end_token + 1
        return at

    def _name_start(self, head: int, phi: PhiType, *, sure: bool) -> int:
        """Return the start token of the name that ends with the head word.

        sure: another part makes it a name, so that an unknown word may open a line or sentence.
        """
        line = self._line
        start_token = head
        while start_token > max(0, head - REACH) and line.adjacent(start_token):
            before = start_token - 1
            bits = self._bits[before]
            if line.glued(start_token) and line.glued(before) and line.word(before) == "-":
                start_token -= 2
                continue
            abbreviated = line.word(before - 1).lower() + "." if line.word(before) == "." and line.glued(before) else ""
            if abbreviated in _ABBREVIATED:
                start_token -= 2
                continue
            if not bits & flags.INITIAL_CAPITAL or not self._may_precede(before, bits, phi, sure=sure):
                break
            start_token = before
        if sure and start_token == head:
            start_token = self._compound_start(head)
        return start_token

    def _may_precede(self, at: int, bits: int, phi: PhiType, *, sure: bool) -> bool:
        if bits & flags.QUALIFIER or (self._line.word(at) in HOSPITAL_ABBREVIATIONS and phi is PhiType.HOSPITAL):
            return True
        if phi is PhiType.ORGANISATION and is_organisation_qualifier(self._line.word(at)):
            return True
        if phi is PhiType.HOSPITAL and sure and bits & flags.DISCIPLINE_ADJECTIVE:
            return True
        if bits & (_NO_NAME | flags.ORDINARY_COMPOUND | flags.ORGANISATION_NAME | flags.INSURER):
            return False
        if self._flat or (self._line.word(at).isupper() and len(self._line.word(at)) <= _MIN_UNKNOWN):
            return False
        if not sure and self._line.word(at + 1).lower().endswith("praxis") and not bits & flags.LISTED_PLACE:
            return False
        if bits & flags.NAME_FORM:
            return True
        saint = at > 0 and self._line.adjacent(at) and bool(self._bits[at - 1] & flags.QUALIFIER)
        long = len(self._line.word(at)) > _MIN_UNKNOWN and not self._line.word(at).endswith(".")
        return saint or sure or (long and not self._line.opens(at))

    def _compound_start(self, head: int) -> int:
        """Return the start token of "Herz- und Gefäßklinik"; `head` for other names."""
        line = self._line
        if head >= 3 and line.word(head - 1) in ("und", "u.") and line.word(head - 2) == "-":
            whole = line.adjacent(head) and line.adjacent(head - 1) and line.glued(head - 2)
            return head - 3 if whole and self._bits[head - 3] & flags.INITIAL_CAPITAL else head
        return head
