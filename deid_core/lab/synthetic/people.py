"""People and their names, from the lists or made of syllables so that no list has them, as letters write them."""

from __future__ import annotations

from dataclasses import dataclass

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.letter import Phi, Pieces
from deid_core.lab.synthetic.lists import NameLists

_MADE_SURNAMES = 0.22
_MADE_GIVEN_NAMES = 0.06
_PARTICLES = ("von ", "von ", "von der ", "van der ", "van ", "de ", "zu ", "von und zu ", "Freiherr von ", "Graf ")
_TITLES = ("Dr. med.", "Dr. med.", "Dr. med.", "Dr.", "Dr.", "Dr.med.", "Dipl.-Med.", "Dr. med. univ.")
_CHIEF_TITLES = ("Prof. Dr. med.", "Prof. Dr. med.", "Prof. Dr.", "Univ.-Prof. Dr. med.", "Prof. Dr. Dr. h.c.")
_SENIOR_TITLES = ("PD Dr. med.", "Priv.-Doz. Dr. med.", "Dr. med.", "Dr. med.", "Dr.", "PD Dr.", "Prof. Dr. med.")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody: `type` says which gold type the name has; title is "" if there is none."""

    given: str
    surname: str
    female: bool
    type: PhiType
    title: str = ""

    @property
    def full(self) -> Phi:
        """Given name and surname."""
        return Phi(f"{self.given} {self.surname}", self.type)

    @property
    def short_title(self) -> str:
        """The title as it is used within a text: Prof., PD Dr. or Dr."""
        if self.title.startswith(("Prof", "Univ")):
            return "Prof."
        if self.title.startswith(("PD", "Priv")):
            return "PD Dr."
        return "Dr." if self.title.startswith("Dr") else ""

    def named(self) -> Pieces:
        """Title and full name."""
        return titled(self.title, self.full)

    def short(self) -> Pieces:
        """Short title and surname."""
        return titled(self.short_title, Phi(self.surname, self.type))


def titled(title: str, name: Phi) -> Pieces:
    """A title, where there is one, and a name."""
    return (Phi(title, PhiType.TITLE), " ", name) if title else (name,)


def salute(female: bool, case: str = "dat") -> Phi:
    """The salutation "Herr" or "Frau"; case: nom, or any other for "Herrn"."""
    return Phi("Frau" if female else "Herr" if case == "nom" else "Herrn", PhiType.SALUTE)


def addressed(person: Person, case: str = "dat") -> Pieces:
    """Salutation, short title and surname: "Herrn Dr. Stein"."""
    return (salute(person.female, case), " ", *person.short())


def surname(draw: Draw, lists: NameLists) -> str:
    """A surname: listed or made, now and then double or noble."""
    name = _made(draw, lists, "surname") if draw.chance(_MADE_SURNAMES) else draw.pick(lists.surnames)
    chance = draw.random()
    if chance < 0.05:
        return f"{name}-{draw.pick(lists.surnames)}"
    if chance < 0.075:
        return draw.pick(_PARTICLES) + name
    return name


def given_name(draw: Draw, lists: NameLists, female: bool) -> str:
    """A given name; a few people have two."""
    if draw.chance(_MADE_GIVEN_NAMES):
        return _made(draw, lists, "female" if female else "male")
    names = lists.given_female if female else lists.given_male
    name = draw.pick(names)
    if draw.chance(0.04):
        second = draw.pick(names)
        return f"{name} {second}" if second != name else name
    return name


def clinician(draw: Draw, lists: NameLists, rank: str = "") -> Person:
    """A physician; rank "chief" and "senior" bring titles, "junior" seldom has one."""
    female = draw.chance(0.15 if rank == "chief" else 0.4)
    if rank == "chief":
        title = draw.pick(_CHIEF_TITLES)
    elif rank == "senior":
        title = draw.pick(_SENIOR_TITLES)
    elif rank == "junior" and draw.chance(0.45):
        title = ""
    else:
        title = draw.pick(_TITLES)
    return Person(given_name(draw, lists, female), surname(draw, lists), female, PhiType.CLINICIAN, title)


def _made(draw: Draw, lists: NameLists, kind: str) -> str:
    parts = draw.pick(lists.syllables[kind])
    return draw.pick(parts.beginnings) + draw.pick(parts.middles) + draw.pick(parts.endings)
