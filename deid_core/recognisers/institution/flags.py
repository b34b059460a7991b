"""The bits of a word type in the name of an institution (words.py)."""

from __future__ import annotations

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
