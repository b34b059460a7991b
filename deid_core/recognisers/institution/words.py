"""What a word type may be in the name of an institution, as bits; most of the words stand in lists.py.

The bits are those of flags.py; head words ("Klinik", "Krankenkasse") have a module of their own. What stands around a
word is no subject of this one.
"""

from __future__ import annotations

import re

import numpy as np

from deid_core.lexicon.flags import lowered
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.institution import flags, lists
from deid_core.recognisers.institution.head_words import HeadWords, head_of
from deid_core.recognisers.institution.ocr import repaired
from deid_core.text.capitals import has_one_capital
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_LETTERED_FORM = re.compile(r"(?:UK|KS|LK|UM|SM|UH|HS)[A-ZÄÖÜ]{1,2}")
_TERM_ENDINGS = tuple(
    "itis ose osen ung ungen heit keit ion ionen ie ien tomie skopie graphie gramm ekg syndrom pathie ämie urie algie "
    "pnoe insuffizienz stenose om ome tät ismus iker iose plastik befund kontrolle aufenthalt termin verlauf "
    "beginn".split()
)
_MIN_BEFORE_TERM_ENDING = 3
_MAX_COMPOUND = 64
"""Letters of a compound; a "word" may have megabytes, and is cut at each of its letters."""
_NAME_ENDINGS = tuple(
    """
    blick halde höhe tal thal wald see hof park land au aue auen bach berg born brunn burg dorf felden furt hausen
    heim hofen ingen kirchen münster stadt stetten weiler ring straße strasse str. allee platz weg gasse tor garten
    quelle kreis stern frieden ufer bucht schloss hang pforte linde winkel horst mühle börde quell hafen damm markt
    """.split()
)
_MIN_LANDSCAPE_NAME = 7
"""Letters of a word that names a clinic by its ending though frequency lists have it: "Donautal"."""
_TOWN_ENDINGS = (
    "hafen", "hausen", "ingen", "burg", "furt", "kirchen", "weiler", "heim", "hessen", "franken", "sachsen", "bayern",
    "pfalz", "westfalen", "holstein", "anhalt", "schwaben",
)  # fmt: skip
_MIN_TOWN_ENDED = 8
"""A word of fewer letters needs a list: Ludwigshafen is a town though common-word lists have it."""
_DIRECTIONS = frozenset("nord süd ost west mitte land stadt nordost nordwest südost südwest".split())
_ORDINARY_TAILS = ("raum", "arzt", "ärzte", "team", "plan", "test", "dienst", "arbeit", "zeit", "nummer")
_MIN_STEM, _MIN_TAIL = 4, 5
"""Letters of the two common words of an ordinary compound: "Thoraxschmerz"."""
_ADJECTIVE_ENDINGS = tuple(
    stem + ending for stem in ("isch", "lich", "ig", "end", "är", "ell", "iert") for ending in ("e", "er", "es", "en")
)
_PLAIN = {
    word: flag
    for words, flag in (
        (lists.QUALIFIERS, flags.QUALIFIER),
        (lists.TAILS, flags.TAIL),
        ("hilf trost königin stern frieden lourdes heimsuchung immaculata", flags.MARIAN),
        (lists.EMPLOYED, flags.EMPLOYED),
        ("bad sankt st. markt", flags.TOWN_PREFIX),
        ("am im an zum zur auf ob unter vor", flags.PREPOSITION),
        ("der dem den", flags.ARTICLE),
        ("dr. prof. dr.med. med. dres.", flags.TITLE),
        ("station stat. stat wohnbereich wohngruppe wb its imc ips kmt intensiv ebene unit", flags.WARD),
        ("haus", flags.HOUSE),
        (" ".join(unit + ending for unit in lists.UNIT_HEADS.split() for ending in ("", "s", "es", "en")), flags.UNIT),
    )
    for word in words.split()
} | {"sankt": flags.QUALIFIER | flags.TOWN_PREFIX, "st.": flags.QUALIFIER | flags.TOWN_PREFIX | flags.WARD}
_WARDS = tuple(
    kind + "station" for kind in ("intensiv", "wach", "infektions", "therapie", "normal", "aufnahme", "kinder", "-")
)
_FUNCTION = flags.PREPOSITION | flags.ARTICLE | flags.TITLE | flags.EMPLOYED
_DISCIPLINE_ADJECTIVES = tuple(
    stem + ending for stem in lists.DISCIPLINE_STEMS for ending in ("e", "er", "es", "en", "em")
)
_REGIONAL_WORDS = frozenset(lists.REGIONAL.split())
_WATER_WORDS = frozenset(lists.WATERS.split())
_FLAT_LETTERS = frozenset(
    word.lower()
    for word in (lists.KNOWN | lists.HOSPITAL_LETTERS | (lists.HOSPITAL_NAMES - lists.AMBIGUOUS_HOSPITALS))
    if word.isupper() and word not in ("BH", "LK")
) | {"ffw", "jva"}
"""Letters that need no capitals in a text without capitals."""
_AIDS = frozenset("DRK BRK ÖRK ASB AWO THW DLRG VdK".split())
"""With a hyphen behind: "DRK-Ortsverein"."""
_SECONDS = frozenset(second for _, second in lists.KNOWN_PAIRS)
_LOWER_KNOWN = frozenset(word.lower() for word in lists.KNOWN if len(word) > 4)


def institution_bits(gazetteer: Gazetteer, vocabulary: Vocabulary, *, flat: bool = False) -> TypeFeature:
    """A column of this module's bits; flat: for texts whose capitals mean nothing, words are read as if capitalised."""
    words = _Words(gazetteer)
    return TypeFeature(vocabulary, words.flat_bits if flat else words.bits, np.int64)


def is_regional(word: str) -> bool:
    """Whether the word begins organisations' names: "Deutsche Rentenversicherung"."""
    return word.lower() in _REGIONAL_WORDS


def is_lettered(word: str) -> bool:
    """Whether the word may be a hospital's letters in a context that says so: "UKX", "KS"."""
    return word in lists.PLACED_LETTERS or (
        _LETTERED_FORM.fullmatch(word) is not None and word not in lists.NO_HOSPITAL_LETTERS
    )


def is_numbered(word: str) -> bool:
    """Whether the word in lower case is a short subject that a ward's number follows: "gyn"."""
    return word.rstrip(".") in lists.NUMBERED_SUBJECTS


def is_water(word: str) -> bool:
    """Whether the word is a river, lake or hill that towns are named after: "Weil am Rhein"."""
    return word.lower() in _WATER_WORDS


class _Words:
    """The lists that tell names from terms."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._places = gazetteer.words("town") | gazetteer.words("region")
        self._towns = gazetteer.words("town")
        self._persons = gazetteer.words("first_name") | gazetteer.words("surname")
        self._professions = lowered(gazetteer, "profession")
        self._common = lowered(gazetteer, "common_word")
        self._stop = lowered(gazetteer, "stop_word")
        self._medical = lowered(gazetteer, "medical_word", "clinic_word", "month", "eponym") | self._stop
        self._heads = HeadWords(self._places, self._persons, self._common, self._medical)

    def flat_bits(self, word: str) -> int:
        """The bits of a word of a text in small letters or in capitals."""
        lower = word.lower()
        if lower in _FLAT_LETTERS:
            return self.bits(lower.upper())
        if lower in self._stop or _PLAIN.get(lower, 0) & _FUNCTION or len(word) < 3 or not word[0].isalpha():
            return self.bits(word if word in lists.CLUBS else lower)
        return self.bits("-".join(part.capitalize() for part in lower.split("-")))

    def bits(self, word: str) -> int:
        """The bits of one word."""
        word = repaired(word)
        lower = word.lower()
        bits = _PLAIN.get(lower, 0)
        if token_kind(word) != WORD:
            return 0
        bits |= flags.WORDLIKE
        if lower in lists.LEGAL:
            bits |= flags.LEGAL if word[0].isupper() or word in ("gGmbH", "mbH", "e.V.", "eG") else 0
            return bits | (flags.CLUB if word in lists.CLUBS else 0)
        if lower in lists.INSURERS or lower.rpartition("-")[2] in ("bkk", "ikk", "bg"):
            bits |= flags.INSURER if lower != "signal" else 0
        if word in lists.HOSPITAL_LETTERS:
            return (
                bits
                | flags.CAPITAL
                | flags.HOSPITAL
                | (flags.INSURER | flags.AMBIGUOUS if word in lists.AMBIGUOUS_INSURERS else 0)
            )
        if word in lists.KNOWN or (lower in _LOWER_KNOWN and not word.isupper()):
            bits |= flags.KNOWN
        first, hyphen, _ = word.partition("-")
        if hyphen and first in lists.KNOWN and first.isupper() and not head_of(lower):
            bits |= flags.KNOWN
        if hyphen and first in _AIDS and (lower.endswith("verein") or not head_of(lower)):
            bits |= flags.KNOWN
        if not word[0].isupper():
            return bits
        bits |= flags.CAPITAL | self._listed(word) | self._heads.bits(lower, word)
        if has_one_capital(word):
            bits |= flags.MIXED
        if lower.endswith(_ADJECTIVE_ENDINGS) or lower in _REGIONAL_WORDS:
            bits |= flags.ADJECTIVE
        if lower.endswith(_DISCIPLINE_ADJECTIVES) or lower in lists.DISCIPLINE_SHORT:
            bits |= flags.BRANCH
        if lower.endswith(lists.DISCIPLINE_ENDINGS):
            bits |= flags.DISCIPLINE
        if lower.endswith(lists.SPECIALTY_ENDINGS):
            bits |= flags.SPECIALTY
        if lower.endswith(_WARDS):
            bits |= flags.WARD
        if lower in _WATER_WORDS:
            bits |= flags.WATER
        if lower in self._professions:
            bits |= flags.EMPLOYED
        if word in lists.EMPLOYERS:
            bits |= flags.EMPLOYER
        if is_lettered(word):
            bits |= flags.LETTERED
        if is_numbered(lower):
            bits |= flags.NUMBERED
        if lower.startswith("dipl"):
            bits |= flags.TITLE
        if lower in _SECONDS:
            bits |= flags.PAIRED
        if word in lists.AMBIGUOUS_INSURERS:
            bits |= flags.INSURER | flags.AMBIGUOUS
        if word in lists.CLUBS:
            bits |= flags.CLUB
        if word in lists.HOSPITAL_NAMES and word not in lists.AMBIGUOUS_HOSPITALS:
            bits |= flags.FREE_NAME
        return bits

    def _listed(self, word: str) -> int:
        """The bits that tell a name from a term, by the lists and by the word's ending."""
        titled = "-".join(part.capitalize() for part in word.split("-")) if word.isupper() else word
        lower = word.lower()
        bits = flags.PLACE if titled in self._places or self._town_adjective(titled) or self._district(titled) else 0
        if len(lower) >= _MIN_TOWN_ENDED and lower.endswith(_TOWN_ENDINGS):
            bits |= flags.PLACE
        if titled in self._persons:
            bits |= flags.PERSON
        if lower in self._medical:
            return bits | flags.MEDICAL | flags.TERM
        if lower.endswith(_NAME_ENDINGS) and len(lower) >= _MIN_LANDSCAPE_NAME:
            bits |= flags.LANDSCAPE
        if lower in self._common and not (len(lower) >= _MIN_TOWN_ENDED and titled in self._towns):
            return bits | flags.TERM
        if lower.endswith(_ORDINARY_TAILS):
            return bits | flags.COMPOUND
        if bits or lower.endswith(_NAME_ENDINGS):
            return bits | flags.NAMELIKE
        ended = lower[_MIN_BEFORE_TERM_ENDING:].endswith(_TERM_ENDINGS)
        return flags.TERM if ended else flags.COMPOUND if self._compound(lower) else 0

    def _compound(self, lower: str) -> bool:
        """Whether the word is put together from two common or medical words: "Thoraxschmerz", not "Hohenrieden"."""
        if len(lower) > _MAX_COMPOUND:
            return False
        for start in range(_MIN_STEM, len(lower) - _MIN_TAIL + 1):
            if self._known(lower[start:]) and (self._known(lower[:start]) or self._known(lower[: start - 1])):
                return True
        return False

    def _known(self, part: str) -> bool:
        return part in self._common or part in self._medical

    def _district(self, titled: str) -> bool:
        """Lüneburg-Ost, Mayen-Koblenz."""
        first, hyphen, last = titled.partition("-")
        if not hyphen:
            return False
        known = first in self._places
        return (known and (last.lower() in _DIRECTIONS or last in self._places)) or (
            last.lower() in _DIRECTIONS and len(first) > 3 and first.lower() not in self._medical
        )

    def _town_adjective(self, titled: str) -> bool:
        """Mannheimer, Heidelberger."""
        return (
            titled.endswith("er") and len(titled) > 6 and (titled[:-2] in self._places or titled[:-1] in self._places)
        )
