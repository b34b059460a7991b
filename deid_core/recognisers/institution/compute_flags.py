"""Flags of word types in names of institutions: lists of the gazetteer, word lists and the form of the word.

Head words ("Klinik", "Krankenkasse") are in head_words.py. The words around a word do not matter here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from deid_core.core.word_lists import flags_by_word, word_list, word_set
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.institution import flags
from deid_core.recognisers.institution.head_words import HeadWords, head_of
from deid_core.recognisers.institution.ocr_repair import repaired
from deid_core.text.capitals import has_one_capital
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

HOSPITAL_ABBREVIATIONS = word_set("institution/hospital-abbreviations")
ORGANISATION_NAMES = word_set("institution/organisation-names")
TWO_WORD_NAMES = frozenset(tuple(name.split()) for name in word_list("institution/organisation-two-word-names"))

_HOSPITAL_NAMES = word_set("institution/hospital-names")
_INSURERS = word_set("institution/insurers")
_AMBIGUOUS_INSURERS = word_set("institution/ambiguous-insurers")
_CLUBS = word_set("institution/club-abbreviations")
_EMPLOYERS = word_set("institution/employers")
_LEGAL_FORMS = word_set("institution/legal-forms")
_WARD_SUBJECTS = word_set("institution/ward-subjects")
_TERM_ENDINGS = word_list("institution/term-endings")
_MIN_BEFORE_TERM_ENDING = 3
_MAX_COMPOUND = 64
"""Letters of a compound. A "word" may have megabytes, and is cut at each of its letters."""
_NAME_ENDINGS = word_list("institution/name-endings")
_MIN_LANDSCAPE_NAME = 7
"""Letters of a word that names a clinic by its ending although frequency lists have it: "Donautal"."""
_TOWN_ENDINGS = word_list("institution/town-endings")
_MIN_TOWN_ENDED = 8
"""A shorter word needs a list. Ludwigshafen is a town although common-word lists have it."""
_DIRECTIONS = frozenset("nord süd ost west mitte land stadt nordost nordwest südost südwest".split())
_ORDINARY_TAILS = ("raum", "arzt", "ärzte", "team", "plan", "test", "dienst", "arbeit", "zeit", "nummer")
_MIN_STEM, _MIN_TAIL = 4, 5
"""Letters of the two common words of an ordinary compound: "Thoraxschmerz"."""
_ADJECTIVE_ENDINGS = tuple(
    stem + ending for stem in ("isch", "lich", "ig", "end", "är", "ell", "iert") for ending in ("e", "er", "es", "en")
)
_BY_WORD = flags_by_word(
    {
        flags.QUALIFIER: "institution/qualifiers",
        flags.INSURER_BRANCH: "institution/insurer-branches",
        flags.EMPLOYMENT: "institution/employment-words",
        flags.WARD_WORD: "institution/ward-words",
    }
)
for _flag, _words in {
    flags.MARIAN: ("hilf", "trost", "königin", "stern", "frieden", "lourdes", "heimsuchung", "immaculata"),
    flags.TOWN_PREFIX: ("bad", "sankt", "st.", "markt"),
    flags.NAME_PREPOSITION: ("am", "im", "an", "zum", "zur", "auf", "ob", "unter", "vor"),
    flags.NAME_ARTICLE: ("der", "dem", "den"),
    flags.ACADEMIC_TITLE: ("dr.", "prof.", "dr.med.", "med.", "dres."),
    flags.HOUSE: ("haus",),
    flags.DEPARTMENT_UNIT: [
        unit + ending for unit in word_list("institution/department-units") for ending in ("", "s", "es", "en")
    ],
}.items():
    for _word in _words:
        _BY_WORD[_word] = _BY_WORD.get(_word, 0) | _flag
_WARDS = tuple(
    kind + "station" for kind in ("intensiv", "wach", "infektions", "therapie", "normal", "aufnahme", "kinder", "-")
)
_FUNCTION = flags.NAME_PREPOSITION | flags.NAME_ARTICLE | flags.ACADEMIC_TITLE | flags.EMPLOYMENT
_DISCIPLINE_ADJECTIVES = tuple(
    stem + ending
    for stem in word_list("institution/discipline-adjective-stems")
    for ending in ("e", "er", "es", "en", "em")
)
_DISCIPLINE_ABBREVIATIONS = word_set("institution/discipline-abbreviations")
_DISCIPLINE_ENDINGS = word_list("institution/discipline-endings")
_SPECIALTY_ENDINGS = word_list("institution/specialty-endings")
_ORGANISATION_QUALIFIERS = word_set("institution/organisation-qualifiers")
_WATERS = word_set("institution/waters-in-town-names")
_FLAT_ABBREVIATIONS = frozenset(
    word.lower()
    for word in ORGANISATION_NAMES | HOSPITAL_ABBREVIATIONS | _HOSPITAL_NAMES
    if word.isupper() and word not in ("BH", "LK")
) | {"ffw", "jva"}
"""Abbreviations that need no capitals in a text without capitals."""
_AIDS = frozenset("DRK BRK ÖRK ASB AWO THW DLRG VdK".split())
"""Relief organisations that are part of a compound's name: "DRK-Ortsverein"."""
_SECONDS = frozenset(second for _, second in TWO_WORD_NAMES)
_LOWER_ORGANISATIONS = frozenset(word.lower() for word in ORGANISATION_NAMES if len(word) > 4)
_FlagsOfTypes = Callable[[npt.NDArray[np.int32]], npt.NDArray[np.int64]]


def institution_flags(gazetteer: Gazetteer, vocabulary: Vocabulary) -> tuple[TypeFeature, _FlagsOfTypes]:
    """Return the flags of the vocabulary's word types, and a function for those in texts whose capitals mean nothing.

    There words are read as if capitalised. Such texts are few, so only the word types of these are ever computed.
    """
    words = _InstitutionWords(gazetteer)
    flat = cache(lambda number: words.flat_flags(vocabulary.words[number]))
    return (
        TypeFeature(vocabulary, words.flags_of, np.int64),
        lambda types: np.array([flat(number) for number in types.tolist()], np.int64),
    )


def is_organisation_qualifier(word: str) -> bool:
    """Return whether the word begins names of organisations: "Deutsche Rentenversicherung"."""
    return word.lower() in _ORGANISATION_QUALIFIERS


class _InstitutionWords:
    """Computes the flags of words with the gazetteer's lists, which tell names from terms."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._places = gazetteer.words("town") | gazetteer.words("region")
        self._towns = gazetteer.words("town")
        self._persons = gazetteer.words("first_name") | gazetteer.words("surname")
        self._professions = gazetteer.lowered("profession")
        self._common = gazetteer.lowered("common_word")
        self._stop = gazetteer.lowered("stop_word")
        medical = ("medical_word", "clinic_word", "month", "eponym", "stop_word")
        self._medical = gazetteer.lowered(*medical)
        self._lists_of = gazetteer.lists_of
        self._known = gazetteer.bits("common_word", *medical)
        self._heads = HeadWords(self._places, self._persons, self._common, self._medical)

    def flat_flags(self, word: str) -> int:
        """Return the flags of a word of a text in small letters or in capitals throughout."""
        lower = word.lower()
        if lower in _FLAT_ABBREVIATIONS:
            return self.flags_of(lower.upper())
        if lower in self._stop or _BY_WORD.get(lower, 0) & _FUNCTION or len(word) < 3 or not word[0].isalpha():
            return self.flags_of(word if word in _CLUBS else lower)
        return self.flags_of("-".join(part.capitalize() for part in lower.split("-")))

    def flags_of(self, word: str) -> int:
        """Return the flags of a word."""
        word = repaired(word)
        lower = word.lower()
        found = _BY_WORD.get(lower, 0)
        if token_kind(word) != WORD:
            return 0
        found |= flags.WORD_TOKEN
        if lower in _LEGAL_FORMS:
            found |= flags.LEGAL_FORM if word[0].isupper() or word in ("gGmbH", "mbH", "e.V.", "eG") else 0
            return found | (flags.CLUB if word in _CLUBS else 0)
        if lower in _INSURERS or lower.rpartition("-")[2] in ("bkk", "ikk", "bg"):
            found |= flags.INSURER if lower != "signal" else 0
        if word in HOSPITAL_ABBREVIATIONS:
            return (
                found
                | flags.INITIAL_CAPITAL
                | flags.HOSPITAL_HEAD
                | (flags.INSURER | flags.AMBIGUOUS_INSURER if word in _AMBIGUOUS_INSURERS else 0)
            )
        if word in ORGANISATION_NAMES or (lower in _LOWER_ORGANISATIONS and not word.isupper()):
            found |= flags.ORGANISATION_NAME
        first, hyphen, _ = word.partition("-")
        if hyphen and first in ORGANISATION_NAMES and first.isupper() and not head_of(lower):
            found |= flags.ORGANISATION_NAME
        if hyphen and first in _AIDS and (lower.endswith("verein") or not head_of(lower)):
            found |= flags.ORGANISATION_NAME
        if not word[0].isupper():
            return found
        found |= flags.INITIAL_CAPITAL | self._name_flags(word) | self._heads.flags_of(lower, word)
        if has_one_capital(word):
            found |= flags.MIXED_CASE
        if lower.endswith(_ADJECTIVE_ENDINGS) or lower in _ORGANISATION_QUALIFIERS:
            found |= flags.ADJECTIVE
        if lower.endswith(_DISCIPLINE_ADJECTIVES) or lower in _DISCIPLINE_ABBREVIATIONS:
            found |= flags.DISCIPLINE_ADJECTIVE
        if lower.endswith(_DISCIPLINE_ENDINGS):
            found |= flags.DISCIPLINE
        if lower.endswith(_SPECIALTY_ENDINGS):
            found |= flags.SPECIALTY
        if lower.endswith(_WARDS):
            found |= flags.WARD_WORD
        if lower in _WATERS:
            found |= flags.TOWN_WATER
        if lower in self._professions:
            found |= flags.EMPLOYMENT
        if word in _EMPLOYERS:
            found |= flags.EMPLOYER
        if lower.rstrip(".") in _WARD_SUBJECTS:
            found |= flags.WARD_SUBJECT
        if lower.startswith("dipl"):
            found |= flags.ACADEMIC_TITLE
        if lower in _SECONDS:
            found |= flags.SECOND_OF_NAME
        if word in _AMBIGUOUS_INSURERS:
            found |= flags.INSURER | flags.AMBIGUOUS_INSURER
        if word in _CLUBS:
            found |= flags.CLUB
        if word in _HOSPITAL_NAMES:
            found |= flags.HOSPITAL_NAME
        return found

    def _name_flags(self, word: str) -> int:
        """Return the flags that tell a name from a term, by the lists and by the word's ending."""
        titled = "-".join(part.capitalize() for part in word.split("-")) if word.isupper() else word
        lower = word.lower()
        found = (
            flags.LISTED_PLACE
            if titled in self._places or self._town_adjective(titled) or self._district(titled)
            else 0
        )
        if len(lower) >= _MIN_TOWN_ENDED and lower.endswith(_TOWN_ENDINGS):
            found |= flags.LISTED_PLACE
        if titled in self._persons:
            found |= flags.PERSON_NAME
        if lower in self._medical:
            return found | flags.MEDICAL_WORD | flags.ORDINARY
        if lower.endswith(_NAME_ENDINGS) and len(lower) >= _MIN_LANDSCAPE_NAME:
            found |= flags.LANDSCAPE_ENDING
        if lower in self._common and not (len(lower) >= _MIN_TOWN_ENDED and titled in self._towns):
            return found | flags.ORDINARY
        if lower.endswith(_ORDINARY_TAILS):
            return found | flags.ORDINARY_COMPOUND
        if found or lower.endswith(_NAME_ENDINGS):
            return found | flags.NAME_FORM
        ended = lower[_MIN_BEFORE_TERM_ENDING:].endswith(_TERM_ENDINGS)
        return flags.ORDINARY if ended else flags.ORDINARY_COMPOUND if self._compound(lower) else 0

    def _compound(self, lower: str) -> bool:
        """Return whether the word consists of two common or medical words: "Thoraxschmerz", not "Hohenrieden"."""
        if len(lower) > _MAX_COMPOUND:
            return False
        lists_of, known = self._lists_of.get, self._known
        for start in range(_MIN_STEM, len(lower) - _MIN_TAIL + 1):
            if lists_of(lower[start:], 0) & known:
                # With and without a letter between the two.
                lists = lists_of(lower[:start], 0) | lists_of(lower[: start - 1], 0)
                if lists & known:
                    return True
        return False

    def _district(self, titled: str) -> bool:
        """Return whether the word is a district or a double name of places: Lüneburg-Ost, Mayen-Koblenz."""
        first, hyphen, last = titled.partition("-")
        if not hyphen:
            return False
        known = first in self._places
        return (known and (last.lower() in _DIRECTIONS or last in self._places)) or (
            last.lower() in _DIRECTIONS and len(first) > 3 and first.lower() not in self._medical
        )

    def _town_adjective(self, titled: str) -> bool:
        """Return whether the word is an adjective of a listed place: Mannheimer, Heidelberger."""
        return (
            titled.endswith("er") and len(titled) > 6 and (titled[:-2] in self._places or titled[:-1] in self._places)
        )
