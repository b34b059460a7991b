"""Cue words of persons' names: words that indicate a name next to them, such as "Herr", "OA", "geb." or "gez.".

The words are the lists gazetteers/lists/cue_words. Whole dates, initials and compounds ("Wundschwester") are recognised
by their shape.
"""

from __future__ import annotations

import re
from enum import IntFlag, auto
from functools import lru_cache

from deid_core.core.word_lists import alternatives, flags_by_word, word_set
from deid_core.lexicon.name_regexes import PARTICLES


class CueFlag(IntFlag):
    """What a word indicates about a name next to it."""

    SALUTATION = auto()
    """Form of address: "Herr", "Familie"."""
    TITLE = auto()
    """Academic title or a part of one: "Dr.", "med."."""
    KINSHIP = auto()
    """Relative or other person close to the patient: "Tochter", "Nachbar"."""
    CLINICAL_ROLE = auto()
    """Function or profession in a hospital or practice: "Oberarzt". After a salutation it is part of the address."""
    CIVIL_ROLE = auto()
    """Function or profession outside of medicine: "Richter". Otherwise like CLINICAL_ROLE."""
    NAME_FIELD = auto()
    """Label of a form field. A name follows only after a colon or in the next cell."""
    SIGNED = auto()
    """Before the name of who signed: "gez."."""
    DICTATION = auto()
    """Before the initials of those who dictated, wrote or released a letter: "Diktat Mu", "3.4. kb"."""
    BIRTH = auto()
    """Between a name and a date of birth: "geb.", "*"."""
    FORMER_NAME = auto()
    """Before a name that somebody had or has as well: "geb. Muster", "verw Muster"."""
    ALIAS = auto()
    """Before or after what somebody is called: "genannt Beispiel". Never part of a name."""
    DATE = auto()
    """A whole date: at the beginning of a line the name before it may be that of the person born on this day."""
    GLUED = auto()
    """Salutation and name without a blank between them: "HerrMuster"."""

    INITIAL = auto()
    """First letter of a given name: "S. Muster"."""
    CLOSING = auto()
    """May begin a closing formula: "Mit". Indicates no name."""
    PARTICLE = auto()
    """Small word that may be inside a name: "von". Indicates no name."""

    PLURAL = auto()
    """Indicates several people: commas may add names."""
    BEFORE_COLON = auto()
    """Role that counts only before a colon or in the cell before the name: "Protokoll: Muster"."""
    AMBIGUOUS_FIELD = auto()
    """Label of a field that may hold something other than a name."""
    ABBREVIATED = auto()
    """May be followed by a full stop that is a token of its own: "Sr. Anna"."""

    NEVER_IN_NAME = (
        SALUTATION | TITLE | KINSHIP | CLINICAL_ROLE | CIVIL_ROLE | NAME_FIELD | SIGNED | DICTATION | BIRTH
        | FORMER_NAME | ALIAS | DATE | GLUED
    )  # fmt: skip
    """Cues that are themselves no part of a name."""


_FLAGS_BY_WORD = flags_by_word(
    {
        CueFlag.SALUTATION: "cue_words/salutations",
        CueFlag.TITLE: "cue_words/titles",
        CueFlag.KINSHIP: "cue_words/kinship",
        CueFlag.CLINICAL_ROLE: "cue_words/clinical-roles",
        CueFlag.CIVIL_ROLE: "cue_words/civil-roles",
        CueFlag.NAME_FIELD: "cue_words/name-fields",
        CueFlag.SIGNED: "cue_words/signed",
        CueFlag.DICTATION: "cue_words/dictation",
        CueFlag.BIRTH: "cue_words/birth",
        CueFlag.FORMER_NAME: "cue_words/former-names",
        CueFlag.ALIAS: "cue_words/aliases",
        CueFlag.CLOSING: "cue_words/closing-starts",
        CueFlag.PLURAL: "cue_words/plurals",
        CueFlag.BEFORE_COLON: "cue_words/roles-before-colon",
        CueFlag.AMBIGUOUS_FIELD: "cue_words/ambiguous-fields",
        CueFlag.ABBREVIATED: "cue_words/abbreviations",
    }
)
for _particle in (*PARTICLES, "v.", "d.", "v", "af"):
    _FLAGS_BY_WORD[_particle] = _FLAGS_BY_WORD.get(_particle, 0) | CueFlag.PARTICLE.value

_CLINICAL_ROLE = CueFlag.CLINICAL_ROLE.value
_CIVIL_ROLE = CueFlag.CIVIL_ROLE.value
_SIGNED = CueFlag.SIGNED.value
_DATE_FLAG = CueFlag.DATE.value
_GLUED_FLAG = CueFlag.GLUED.value
_INITIAL_FLAG = CueFlag.INITIAL.value
_NOT_PARTICLE = ~CueFlag.PARTICLE.value
_COLON_ROLE = _CLINICAL_ROLE | CueFlag.BEFORE_COLON.value

_PRIMARY = frozenset(("prim", "PRIM"))
"""Not a title but "primarily"; a head physician in Austria is "Prim."."""
_ON_BEHALF = frozenset(("i.A.", "I.A.", "i.V.", "ppa."))
"""Before a signature. Not "i.v.": that is intravenous."""
_IN_CAPITALS = {
    "NA": _CLINICAL_ROLE,
    "RS": _CLINICAL_ROLE,
    "RTW": _COLON_ROLE,
    "ANÄ": _COLON_ROLE,
    "RTA": _CLINICAL_ROLE,
    "MTLA": _COLON_ROLE,
}
"""Staff of an ambulance or operating theatre. In other spellings these are words or measurements."""

_CLINICAL_ENDINGS, _CIVIL_ENDINGS = "cue_words/clinical-role-endings", "cue_words/civil-role-endings"
_COMPOUND = re.compile(rf"\w{{3,}}(?:{alternatives(_CLINICAL_ENDINGS, _CIVIL_ENDINGS)})s?", re.IGNORECASE)
"""Compounds of roles that no list needs to have: "Bezirksinspektor", "Wundschwester"."""
_COMPOUND_ENDS = frozenset(
    form[-2:] for ending in word_set(_CLINICAL_ENDINGS, _CIVIL_ENDINGS) for form in (ending, f"{ending}s")
)
"""The last two letters of compounds. They are checked first: on other words the expression tries every letter."""
_CLINICAL = re.compile(rf"(?:{alternatives(_CLINICAL_ENDINGS)})s?$", re.IGNORECASE)
_INITIAL = re.compile(r"[A-ZÄÖÜ]\.")
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})")
GLUED_SALUTATION = re.compile(rf"(?:{alternatives('cue_words/glued')})(?=[A-ZÄÖÜ][a-zäöüßé]{{2}})")

NOT_A_NAME = word_set("cue_words/not-names")
"""Words in lower case that are found in the place of a name, and are none: "Sehr geehrte Frau Kollegin"."""
ALSO_SURNAMES = word_set("cue_words/also-surnames")
"""Cue words in lower case that many people are called."""


@lru_cache(8192)
def cue_flags(word: str) -> int:
    """Return the cue flags of a word as a plain int. A particle counts in lower case only."""
    if word in _ON_BEHALF:
        return _SIGNED
    flags = 0 if word in _PRIMARY else _FLAGS_BY_WORD.get(word.lower(), 0) | _IN_CAPITALS.get(word, 0)
    return (flags & _NOT_PARTICLE if word[0].isupper() else flags) if flags else _flags_by_shape(word)


def _flags_by_shape(word: str) -> int:
    """Return the flags of a word that is on no list."""
    if _DATE.fullmatch(word):
        return _DATE_FLAG
    if _INITIAL.fullmatch(word):
        return _INITIAL_FLAG
    if GLUED_SALUTATION.match(word):
        return _GLUED_FLAG
    end = word[-2:]
    if (end.lower() in _COMPOUND_ENDS or not end.isascii()) and _COMPOUND.fullmatch(word):
        return _CLINICAL_ROLE if _CLINICAL.search(word) else _CIVIL_ROLE
    return 0
