"""What a word type may be in the name of an institution, as bits; most of the words stand in lists.py.

A head word says what the institution is: "Klinik", "Krankenkasse", "Bäckerei". It is recognised by its ending, in any
case and inflection. A compound whose first part is no generic word is a name by itself: "Rheintalklinik", but not
"Augenklinik". What stands around a head word is no subject of this module.
"""

from __future__ import annotations

import re

import numpy as np

from deid_core.gazetteer.compiled import Gazetteer
from deid_core.recognise.capitals import has_one_capital
from deid_core.recognise.institution import lists
from deid_core.recognise.institution.scanned import repaired
from deid_core.recognise.wordlists import lowered
from deid_core.tokens import WORD, Vocabulary, token_kind
from deid_core.word_types import TypeColumn

HOSPITAL, ORGANISATION, STRONG, NAMED = 1 << 0, 1 << 1, 1 << 2, 1 << 3
"""A head word of either kind; one that an unknown word behind it makes a name; one that is a name by itself."""
LEGAL, INSURER, QUALIFIER, PLACE = 1 << 4, 1 << 5, 1 << 6, 1 << 7
"""GmbH; AOK; a word that begins institutions' names ("Evangelisches"); a listed town or region."""
NAMELIKE, TERM, MEDICAL, CAPITAL = 1 << 8, 1 << 9, 1 << 10, 1 << 11
"""No common word and listed or formed like a name; a common or medical word or ending; a listed medical word."""
TOWN_PREFIX, PREPOSITION, ARTICLE, WATER = 1 << 12, 1 << 13, 1 << 14, 1 << 15
"""Bad, Sankt; am, zum; der, dem; the end of "Weil am Rhein"."""
EMPLOYED, TITLE, ADJECTIVE, TAIL = 1 << 16, 1 << 17, 1 << 18, 1 << 19
"""beschäftigt; Dr.; an adjective's ending; what may follow an insurer's name ("Ersatzkasse")."""
AMBIGUOUS, WARD, PERSON, BUSINESS = 1 << 20, 1 << 21, 1 << 22, 1 << 23
"""Letters that mean something else in medicine (TK); "Station"; a person's name; a head of a firm ("Hotel")."""
KNOWN, CLUB, UNIT, DISCIPLINE = 1 << 24, 1 << 25, 1 << 26, 1 << 27
"""DRK; TSV; "Abteilung"; a subject of a department ("Kardiologie", "Kinder-")."""
BRANCH, COMPOUND, HOUSE, FREE_NAME = 1 << 28, 1 << 29, 1 << 30, 1 << 31
"""A discipline's adjective ("Chirurgische"); an ordinary compound; "Haus"; a hospital's own name ("UKE")."""
MIXED, WORDLIKE, SPECIALTY, PAIRED, LANDSCAPE, MARIAN = 1 << 32, 1 << 33, 1 << 34, 1 << 35, 1 << 36, 1 << 37
"""A capital with a small letter behind; a word; a medical subject that may head a name ("Radiologie am Markt");
the second of two words that name an organisation ("Rotes Kreuz"); a landscape's ending; behind "Maria" ("Hilf")."""
EMPLOYER, LETTERED, NUMBERED = 1 << 38, 1 << 39, 1 << 40
"""A large employer's name, which is also its goods'; letters of a hospital that need a context; a short subject that
a ward's number follows ("Gyn")."""
ANY_HEAD = HOSPITAL | ORGANISATION
ANY_TRIGGER = (
    ANY_HEAD
    | LEGAL
    | INSURER
    | EMPLOYED
    | WARD
    | KNOWN
    | CLUB
    | UNIT
    | SPECIALTY
    | HOUSE
    | FREE_NAME
    | PAIRED
    | EMPLOYER
    | LETTERED
    | NUMBERED
)

_LETTERED_FORM = re.compile(r"(?:UK|KS|LK|UM|SM|UH|HS)[A-ZÄÖÜ]{1,2}")
_INFLECTIONS = ("", "s", "es", "en", "n", "e")
_IRREGULAR = {"krankenhäuser": "krankenhaus", "krankenhäusern": "krankenhaus", "zentren": "zentrum"}
_HEADS = {
    head + ending: flag
    for heads, flag in (
        (lists.ORGANISATION_HEADS, ORGANISATION),
        (lists.BUSINESS_HEADS, ORGANISATION | BUSINESS),
        (lists.HOSPITAL_HEADS, HOSPITAL),
        (lists.STRONG_HEADS, HOSPITAL | STRONG),
    )
    for head in heads.split()
    for ending in _INFLECTIONS
}
_HEADS |= {form: _HEADS[head] for form, head in _IRREGULAR.items()}
_HEAD_ENDINGS = tuple(sorted(_HEADS, key=lambda head: (-len(head), head)))
"""The heads in all their forms, the longest first."""
_WHOLE_WORDS = frozenset(
    """
    reha fa. firma elektro taxi veb lpg raw konsum werft werke pension uni hotel zeche grube pia häusliche marina
    volkseigenen schule gemeinde institut stift residenz physio physiotherapie café imbiss stiftung verlag werkstatt
    fabrik apotheke polizei chor verein theater optik akustik möbel agrar schacht hosp hosp. inst. diakonie
    konsulat bistro logistik orchester magistrat
    """.split()
)
"""Heads that are too common as an ending ("Suspension", "Bundeswerke"): the whole word, or behind a hyphen."""
_WHOLE_FORMS = frozenset(word + ending for word in _WHOLE_WORDS for ending in _INFLECTIONS)
_MAY_BE_ENDINGS = frozenset("apotheke werft stift zeche fabrik hotel residenz verlag schule".split())
"""Of these, those that end a compound all the same."""
_MAY_NAME_ITSELF = (
    "klinik", "klinikum", "krankenhaus", "hospital", "spital", "krankenkasse", "gymnasium", "werft", "apotheke",
    "schule", "grundschule", "sparkasse", "gemeinde", "berufsgenossenschaft",
)  # fmt: skip
"""Before these any stem that is not generic makes a name; before others it must be a listed name."""

_CALLED = ("schule", "gymnasium", "apotheke", "berufsgenossenschaft", "gemeinde", "sparkasse")
"""What stands before these and a hyphen is a name, common word or not: "Löwen-Apotheke"."""
_GENERIC_STEMS = frozenset(
    """
    uni universitäts kreis stadt dorf wald pfarr kirchen krankenpflege rücken fahr hebammen
    städtische landes land bezirks zentral fach allgemein kinder lehr bundeswehr privat
    akut reha rehabilitations kur tages nacht poli augen frauen haut zahn tier partner spezial beleg ambulanz heimat
    haus betriebs orts ersatz innungs pflege unfall renten kranken haftpflicht lebens sozial zusatz gesundheits
    senioren alten herz gefäß lungen thorax schmerz gelenk brust darm tumor krebs dialyse schlaf trauma
    kopf hals nasen ohren hno mkg bg ent ct mrt praxis gemeinschafts facharzt hausarzt arzt rechen einkaufs sprach
    eltern mutter diakonissen haupt neben voll teil zweit ur vor nach erst herkunfts heim reserve feld militär schul
    maximal grund regel schwerpunkt medizin gast not versand online krankenhaus klinik internet stamm hafen schiffs
    """.split()
)
_GENERIC_ROOTS = tuple(
    """
    kardio neuro gastro radio ortho psych chirurg uro gynäk derma nephro onko hämato pneumo rheuma dialys diabet
    geriatr pädiatr anästhes intensiv notfall rehabilit strahlen nuklear transplant gefäß herz lungen thorax wirbel
    unfall epilep palliativ akut univ röntgen endo viszeral
    """.split()
)
_GENERIC_ENDINGS = ("ologie", "ologien", "iatrie", "chirurgie", "medizin", "pädie", "therapie", "diagnostik")
_LINKS = ("", "s", "n", "en", "es", "e", "er")

_TERM_ENDINGS = (
    "itis ose osen ung ungen heit keit ion ionen ie ien tomie skopie graphie gramm ekg syndrom pathie ämie urie algie "
    "pnoe insuffizienz stenose om ome tät ismus iker iose plastik befund kontrolle aufenthalt termin verlauf beginn"
).split()
_MIN_BEFORE_TERM_ENDING = 3
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
_LANDSCAPES = ("tal", "thal", "wald", "see", "berg", "burg", "gau")
_MIN_LANDSCAPE = 5
"""Letters of a listed common word that names a clinic if it is a landscape's: Rheintalklinik."""

_PLAIN = {
    word: flag
    for words, flag in (
        (lists.QUALIFIERS, QUALIFIER),
        (lists.TAILS, TAIL),
        ("hilf trost königin stern frieden lourdes heimsuchung immaculata", MARIAN),
        (lists.EMPLOYED, EMPLOYED),
        ("bad sankt st. markt", TOWN_PREFIX),
        ("am im an zum zur auf ob unter vor", PREPOSITION),
        ("der dem den", ARTICLE),
        ("dr. prof. dr.med. med. dres.", TITLE),
        ("station stat. stat wohnbereich wohngruppe wb its imc ips kmt intensiv ebene unit", WARD),
        ("haus", HOUSE),
        (" ".join(unit + ending for unit in lists.UNIT_HEADS.split() for ending in ("", "s", "es", "en")), UNIT),
    )
    for word in words.split()
} | {"sankt": QUALIFIER | TOWN_PREFIX, "st.": QUALIFIER | TOWN_PREFIX | WARD}
_WARDS = tuple(
    kind + "station" for kind in ("intensiv", "wach", "infektions", "therapie", "normal", "aufnahme", "kinder", "-")
)
_FUNCTION = PREPOSITION | ARTICLE | TITLE | EMPLOYED
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


def institution_bits(gazetteer: Gazetteer, vocabulary: Vocabulary, *, flat: bool = False) -> TypeColumn:
    """A column of this module's bits; flat: for texts whose capitals mean nothing, words are read as if capitalised."""
    words = _Words(gazetteer)
    return TypeColumn(vocabulary, words.flat_bits if flat else words.bits, np.int64)


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
        bits |= WORDLIKE
        if lower in lists.LEGAL:
            bits |= LEGAL if word[0].isupper() or word in ("gGmbH", "mbH", "e.V.", "eG") else 0
            return bits | (CLUB if word in lists.CLUBS else 0)
        if lower in lists.INSURERS or lower.rpartition("-")[2] in ("bkk", "ikk", "bg"):
            bits |= INSURER if lower != "signal" else 0
        if word in lists.HOSPITAL_LETTERS:
            return bits | CAPITAL | HOSPITAL | (INSURER | AMBIGUOUS if word in lists.AMBIGUOUS_INSURERS else 0)
        if word in lists.KNOWN or (lower in _LOWER_KNOWN and not word.isupper()):
            bits |= KNOWN
        first, hyphen, _ = word.partition("-")
        if hyphen and first in lists.KNOWN and first.isupper() and not lower.endswith(_HEAD_ENDINGS):
            bits |= KNOWN
        if hyphen and first in _AIDS and (lower.endswith("verein") or not lower.endswith(_HEAD_ENDINGS)):
            bits |= KNOWN
        if not word[0].isupper():
            return bits
        bits |= CAPITAL | self._listed(word) | self._head(lower, word)
        if has_one_capital(word):
            bits |= MIXED
        if lower.endswith(_ADJECTIVE_ENDINGS) or lower in _REGIONAL_WORDS:
            bits |= ADJECTIVE
        if lower.endswith(_DISCIPLINE_ADJECTIVES) or lower in lists.DISCIPLINE_SHORT:
            bits |= BRANCH
        if lower.endswith(lists.DISCIPLINE_ENDINGS):
            bits |= DISCIPLINE
        if lower.endswith(lists.SPECIALTY_ENDINGS):
            bits |= SPECIALTY
        if lower.endswith(_WARDS):
            bits |= WARD
        if lower in _WATER_WORDS:
            bits |= WATER
        if lower in self._professions:
            bits |= EMPLOYED
        if word in lists.EMPLOYERS:
            bits |= EMPLOYER
        if is_lettered(word):
            bits |= LETTERED
        if is_numbered(lower):
            bits |= NUMBERED
        if lower.startswith("dipl"):
            bits |= TITLE
        if lower in _SECONDS:
            bits |= PAIRED
        if word in lists.AMBIGUOUS_INSURERS:
            bits |= INSURER | AMBIGUOUS
        if word in lists.CLUBS:
            bits |= CLUB
        if word in lists.HOSPITAL_NAMES and word not in lists.AMBIGUOUS_HOSPITALS:
            bits |= FREE_NAME
        return bits

    def _listed(self, word: str) -> int:
        """The bits that tell a name from a term, by the lists and by the word's ending."""
        titled = "-".join(part.capitalize() for part in word.split("-")) if word.isupper() else word
        lower = word.lower()
        bits = PLACE if titled in self._places or self._town_adjective(titled) or self._district(titled) else 0
        if len(lower) >= _MIN_TOWN_ENDED and lower.endswith(_TOWN_ENDINGS):
            bits |= PLACE
        if titled in self._persons:
            bits |= PERSON
        if lower in self._medical:
            return bits | MEDICAL | TERM
        if lower.endswith(_NAME_ENDINGS) and len(lower) >= _MIN_LANDSCAPE_NAME:
            bits |= LANDSCAPE
        if lower in self._common and not (len(lower) >= _MIN_TOWN_ENDED and titled in self._towns):
            return bits | TERM
        if lower.endswith(_ORDINARY_TAILS):
            return bits | COMPOUND
        if bits or lower.endswith(_NAME_ENDINGS):
            return bits | NAMELIKE
        ended = any(lower.endswith(e) and len(lower) >= len(e) + _MIN_BEFORE_TERM_ENDING for e in _TERM_ENDINGS)
        return TERM if ended else COMPOUND if self._compound(lower) else 0

    def _compound(self, lower: str) -> bool:
        """Whether the word is put together from two common or medical words: "Thoraxschmerz", not "Hohenrieden"."""
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

    def _head(self, lower: str, word: str) -> int:
        """The bits of a head word or of a compound with one, 0 for any other word."""
        parts = lower.split("-")
        if parts[-1] == "haus" and len(parts) > 1 and any(part.capitalize() in self._persons for part in parts[:-1]):
            return HOSPITAL | NAMED
        if len(parts) > 1 and parts[-1].endswith(_CALLED) and not any(self._generic(part) for part in parts[:-1]):
            return (HOSPITAL if parts[-1].endswith("apotheke") else ORGANISATION) | NAMED
        if not lower.endswith(_HEAD_ENDINGS):
            return 0
        head = next(ending for ending in _HEAD_ENDINGS if lower.endswith(ending))
        flag = _HEADS[head]
        if head in _WHOLE_FORMS and head not in _MAY_BE_ENDINGS and parts[-1] != head:
            return 0
        stems = [part for part in lower[: -len(head)].split("-") if part]
        free = head.startswith(_MAY_NAME_ITSELF)
        shouted = word.isupper()
        if any(self._names(stem, word, free=free, shouted=shouted) for stem in stems):
            flag |= NAMED
        elif stems and not (flag & ORGANISATION) and not all(self._generic(stem) for stem in stems) and not free:
            return 0 if head.startswith(("stift", "reha", "physio")) else flag
        return flag

    def _names(self, stem: str, word: str, *, free: bool, shouted: bool) -> bool:
        """Whether the part before the head word is a name's."""
        if self._generic(stem):
            return False
        forms = {stem.removesuffix(link) for link in _LINKS}
        if any(form.capitalize() in self._places or form.capitalize() in self._persons for form in forms):
            return len(stem) > 3
        if any(form in self._common for form in forms):
            return free and len(stem) > _MIN_LANDSCAPE and stem.endswith(_LANDSCAPES)
        return free and (len(stem) > 3 or (not shouted and stem.upper() in word))

    def _generic(self, stem: str) -> bool:
        """Whether the part before a head word says of what kind it is and not its name: "augen", "kardio"."""
        forms = {stem.removesuffix(link) for link in _LINKS}
        return (
            not forms.isdisjoint(_GENERIC_STEMS)
            or not forms.isdisjoint(self._medical)
            or stem.startswith(_GENERIC_ROOTS)
            or any(form.endswith(_GENERIC_ENDINGS) for form in forms)
        )
