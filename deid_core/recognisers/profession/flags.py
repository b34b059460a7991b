"""Flags of a word type where professions are looked for; word_flags.py computes them."""

from __future__ import annotations

from enum import IntFlag


class ProfessionFlag(IntFlag):
    """What a word may be: a profession, and how sure, or a word of its context."""

    SURE_PROFESSION = 1 << 0
    """A profession without further evidence: "Dachdecker"."""
    STAFF_PROFESSION = 1 << 1
    """A profession that the clinic's staff has as well: "Krankenschwester"."""
    SURNAME_PROFESSION = 1 << 2
    """A profession that is also a family name: "Koch"."""
    ANNOUNCES_PROFESSION = 1 << 3
    """als, gelernter, Beruf."""
    LEADS_IN = 1 << 4
    """Weaker than ANNOUNCES_PROFESSION: zum, ein, dann."""
    COPULA = 1 << 5
    """ist, war."""
    RELATIVE = 1 << 6
    """Tochter."""
    FORM_OF_ADDRESS = 1 << 7
    """Herr, Dr."""
    SKIPPED = 1 << 8
    """A word that may be between the evidence and the profession: "ist jetzt wieder"."""
    CONJUNCTION = 1 << 9
    """A comma, "und", "("."""
    SENTENCE_MARK = 1 << 10
    """A full stop, semicolon, exclamation or question mark."""
    INITIAL_CAPITAL = 1 << 11
    ONE_CAPITAL = 1 << 12
    """A capital followed by small letters only."""
    WORD_CHARACTERS = 1 << 13
    """A word, no number or mark."""
    PROFESSION_FORM = 1 << 14
    """In no list, but formed like a profession."""
    OFFICE = 1 << 15
    """An office or trade that precedes its holder's name: "Richter Muster"."""
    STRONG_CUE = 1 << 16
    """Only a profession follows: gelernter, Umschulung."""
    WORK_WORD = 1 << 17
    """A word of work near "als": gearbeitet, Lehre."""
    FOLLOWING_CUE = 1 << 18
    """A word after a profession: gewesen, lernen."""
    ALS = 1 << 19
    """The word "als"."""
    UNLISTED_NAME = 1 << 20
    """A capitalised word that is no common word and no profession."""
    TIME_ADVERB = 1 << 21
    """A word before what somebody then did: danach, heute."""
    PATIENT_WORD = 1 << 22
    AGE_WORD = 1 << 23
    """A word after an age: Jahre."""
    YEAR_NUMBER = 1 << 24
    YEAR_PREPOSITION = 1 << 25
    """ab, seit."""
    DECLINED_ADJECTIVE = 1 << 26
    """A profession that is an adjective in small letters: "angestellte"."""


# Plain integers for code that runs once per token: arithmetic with members of an IntFlag is slow.
SURE_PROFESSION = ProfessionFlag.SURE_PROFESSION.value
STAFF_PROFESSION = ProfessionFlag.STAFF_PROFESSION.value
SURNAME_PROFESSION = ProfessionFlag.SURNAME_PROFESSION.value
ANNOUNCES_PROFESSION = ProfessionFlag.ANNOUNCES_PROFESSION.value
LEADS_IN = ProfessionFlag.LEADS_IN.value
COPULA = ProfessionFlag.COPULA.value
RELATIVE = ProfessionFlag.RELATIVE.value
FORM_OF_ADDRESS = ProfessionFlag.FORM_OF_ADDRESS.value
SKIPPED = ProfessionFlag.SKIPPED.value
CONJUNCTION = ProfessionFlag.CONJUNCTION.value
SENTENCE_MARK = ProfessionFlag.SENTENCE_MARK.value
INITIAL_CAPITAL = ProfessionFlag.INITIAL_CAPITAL.value
ONE_CAPITAL = ProfessionFlag.ONE_CAPITAL.value
WORD_CHARACTERS = ProfessionFlag.WORD_CHARACTERS.value
PROFESSION_FORM = ProfessionFlag.PROFESSION_FORM.value
OFFICE = ProfessionFlag.OFFICE.value
STRONG_CUE = ProfessionFlag.STRONG_CUE.value
WORK_WORD = ProfessionFlag.WORK_WORD.value
FOLLOWING_CUE = ProfessionFlag.FOLLOWING_CUE.value
ALS = ProfessionFlag.ALS.value
UNLISTED_NAME = ProfessionFlag.UNLISTED_NAME.value
TIME_ADVERB = ProfessionFlag.TIME_ADVERB.value
PATIENT_WORD = ProfessionFlag.PATIENT_WORD.value
AGE_WORD = ProfessionFlag.AGE_WORD.value
YEAR_NUMBER = ProfessionFlag.YEAR_NUMBER.value
YEAR_PREPOSITION = ProfessionFlag.YEAR_PREPOSITION.value
DECLINED_ADJECTIVE = ProfessionFlag.DECLINED_ADJECTIVE.value

LISTED_PROFESSION = SURE_PROFESSION | STAFF_PROFESSION | SURNAME_PROFESSION
ANY_PROFESSION = LISTED_PROFESSION | PROFESSION_FORM | OFFICE
