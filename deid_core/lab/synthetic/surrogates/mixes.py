"""The corpora of seed 001, section 5: which share of each kind of name is ambiguous, out of vocabulary or misspelt.

Shares are of distinct surnames, places and hospitals in a note; the seed counts tokens. They are set so that the tokens
come near the seed's figures where German letters let them: given names are never ambiguous here, so that
55 to 59 % of the doctors' tokens are when all their surnames are, where the seed has 79 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from deid_core.core.labels import PhiType


class Category(StrEnum):
    """The kinds of names that seed 001 counts apart (Tables 1 to 3)."""

    PATIENT = "patient"
    DOCTOR = "doctor"
    LOCATION = "location"
    HOSPITAL = "hospital"


CATEGORIES: dict[PhiType, Category] = {
    PhiType.PATIENT: Category.PATIENT,
    PhiType.RELATIVE: Category.PATIENT,
    PhiType.PERSON: Category.PATIENT,
    PhiType.CLINICIAN: Category.DOCTOR,
    PhiType.DEPARTMENT: Category.DOCTOR,
    PhiType.STREET: Category.LOCATION,
    PhiType.TOWN: Category.LOCATION,
    PhiType.REGION: Category.LOCATION,
    PhiType.COUNTRY: Category.LOCATION,
    PhiType.PLACE: Category.LOCATION,
    PhiType.HOSPITAL: Category.HOSPITAL,
}
"""The types that are replaced. A department is one only where it is named after somebody ("Station Virchow")."""


@dataclass(frozen=True, slots=True)
class SurrogateShare:
    """Probabilities that a name's surrogate is ambiguous or out of vocabulary; else it is one of the half's lists."""

    ambiguous: float = 0.0
    unknown: float = 0.0


@dataclass(frozen=True, slots=True)
class Mix:
    """What a corpus is made of. misspelt: how often a name is misspelt where it is repeated."""

    shares: dict[Category, SurrogateShare]
    misspelt: float = 0.0


_LISTED, _UNKNOWN = SurrogateShare(), SurrogateShare(unknown=1.0)

CORPORA: dict[str, Mix] = {
    # Section 5.1: all from the lists.
    "random": Mix(dict.fromkeys(Category, _LISTED)),
    # Section 5.2 and Table 2: of the tokens 49 % of patients, 79 % of doctors, 100 % of locations, 14 % of hospitals.
    "ambiguous": Mix(
        {
            Category.PATIENT: SurrogateShare(ambiguous=0.88),
            Category.DOCTOR: SurrogateShare(ambiguous=1.0),
            Category.LOCATION: SurrogateShare(ambiguous=1.0),
            Category.HOSPITAL: SurrogateShare(ambiguous=0.14),
        }
    ),
    # Section 5.3: letters at random.
    "oov": Mix(dict.fromkeys(Category, _UNKNOWN)),
    # Section 5.5: both, in the shares of the workshop's corpus, and misspellings.
    "challenge": Mix(
        {
            Category.PATIENT: SurrogateShare(0.10, 0.73),
            Category.DOCTOR: SurrogateShare(0.15, 0.67),
            Category.LOCATION: SurrogateShare(0.10, 0.56),
            Category.HOSPITAL: SurrogateShare(0.37, 0.49),
        },
        misspelt=0.10,
    ),
}
"""Name of a corpus → what it is made of."""
