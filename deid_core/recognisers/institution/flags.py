"""What a word may be in the name of an institution, a flag each; compute_flags.py and head_words.py compute them.

Plain integers: code that runs once per token combines them, and arithmetic with members of an IntFlag is slow.
"""

from __future__ import annotations

HOSPITAL_HEAD = 1 << 0
"""The kind of a hospital, practice or home: "Klinik"."""
ORGANISATION_HEAD = 1 << 1
"""The kind of an organisation: "Krankenkasse"."""
STRONG_HEAD = 1 << 2
"""A head word that makes a name of an unknown word after it: "Klinikum"."""
SELF_NAMING = 1 << 3
"""A compound with a head word that is a name by itself: "Rheintalklinik"."""
LEGAL_FORM = 1 << 4
"""GmbH."""
INSURER = 1 << 5
"""AOK."""
QUALIFIER = 1 << 6
"""A word that begins names of institutions: "Evangelisches"."""
LISTED_PLACE = 1 << 7
"""A listed town or region, an adjective of one, or a word with a town's ending."""
NAME_FORM = 1 << 8
"""No common word, and listed or formed like a name."""
ORDINARY = 1 << 9
"""A common or medical word, or a word with the ending of one."""
MEDICAL_WORD = 1 << 10
INITIAL_CAPITAL = 1 << 11
TOWN_PREFIX = 1 << 12
"""Bad, Sankt."""
NAME_PREPOSITION = 1 << 13
"""am, zum."""
NAME_ARTICLE = 1 << 14
"""der, dem."""
TOWN_WATER = 1 << 15
"""A river or hill at the end of a town's name: "Weil am Rhein"."""
EMPLOYMENT = 1 << 16
"""A word of employment ("beschäftigt") or a listed profession."""
ACADEMIC_TITLE = 1 << 17
ADJECTIVE = 1 << 18
"""A word with an adjective's ending."""
INSURER_BRANCH = 1 << 19
"""A word that may follow an insurer's name: "Ersatzkasse"."""
AMBIGUOUS_INSURER = 1 << 20
"""An insurer's abbreviation with another meaning in medicine: "TK"."""
WARD_WORD = 1 << 21
"""Station."""
PERSON_NAME = 1 << 22
BUSINESS_HEAD = 1 << 23
"""The kind of a firm: "Hotel"."""
ORGANISATION_NAME = 1 << 24
"""A word that names an organisation: "DRK"."""
CLUB = 1 << 25
"""TSV."""
DEPARTMENT_UNIT = 1 << 26
"""Abteilung."""
DISCIPLINE = 1 << 27
"""The subject of a department: "Kardiologie", "Kinder-"."""
DISCIPLINE_ADJECTIVE = 1 << 28
"""Chirurgische."""
ORDINARY_COMPOUND = 1 << 29
"""A compound of common or medical words."""
HOUSE = 1 << 30
"""Haus."""
HOSPITAL_NAME = 1 << 31
"""A hospital by its own name or abbreviation: "UKE"."""
MIXED_CASE = 1 << 32
"""A capital followed by small letters only."""
WORD_TOKEN = 1 << 33
"""A word, no number or mark."""
SPECIALTY = 1 << 34
"""A medical subject that may begin a name: "Radiologie am Markt"."""
SECOND_OF_NAME = 1 << 35
"""The second of two words that name an organisation: "Rotes Kreuz"."""
LANDSCAPE_ENDING = 1 << 36
"""A word with the ending of a landscape: "Donautal"."""
MARIAN = 1 << 37
"""A word that follows "Maria" in names of hospitals: "Hilf"."""
EMPLOYER = 1 << 38
"""A large employer, whose name is also that of its goods."""
WARD_SUBJECT = 1 << 39
"""A short subject that a ward's number follows: "Gyn"."""

ANY_HEAD = HOSPITAL_HEAD | ORGANISATION_HEAD
ANY_TRIGGER = (
    ANY_HEAD
    | LEGAL_FORM
    | INSURER
    | EMPLOYMENT
    | WARD_WORD
    | ORGANISATION_NAME
    | CLUB
    | DEPARTMENT_UNIT
    | SPECIALTY
    | HOUSE
    | HOSPITAL_NAME
    | SECOND_OF_NAME
    | EMPLOYER
    | WARD_SUBJECT
)
"""Flags of the words at which the recogniser looks for a name."""
