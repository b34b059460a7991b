"""The facts of one letter: who, where and when. Drawn once, so that header and body agree."""

from __future__ import annotations

import datetime as dt

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic import people, places
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.letter import Phi, Pieces
from deid_core.lab.synthetic.lists import NameLists
from deid_core.lab.synthetic.people import Person
from deid_core.lab.synthetic.places import Address

_STATIONS = (
    "Station 3",
    "Station 12B",
    "Station Kardiologie 2",
    "Intensivstation",
    "Station H4",
    "Ambulanz",
    "Wachstation",
)
_SAME_TOWN = 0.55


class Case:
    """One admission: the patient, those who write and those who are written to, the clinic, the dates.

    Not frozen, unlike the letter that is made of it: it carries the draw that slots go on using.
    """

    def __init__(self, draw: Draw, lists: NameLists, year: int) -> None:
        self.draw = draw
        self.lists = lists
        self._set_dates(year)
        self.female = draw.chance(0.42)
        self.patient = Person(
            people.given_name(draw, lists, self.female), people.surname(draw, lists), self.female, PhiType.PATIENT
        )
        self.home = places.address(draw, lists)
        self.home_phone = places.phone(draw, self.home.town.area_code, places.trunk(draw))
        self.partner = Person(
            people.given_name(draw, lists, not self.female), self.patient.surname, not self.female, PhiType.RELATIVE
        )
        self.job = Phi(draw.pick(lists.professions)[self.female], PhiType.PROFESSION)
        self._set_clinic()
        self.addressee = people.clinician(draw, lists)
        self.addressee_at = self._near()
        self.gp = self.addressee if draw.chance(0.6) else people.clinician(draw, lists)
        self.copied = people.clinician(draw, lists)
        self.copied_at = self._near()
        self.case_id = draw.digits(draw.number(7, 10))
        self.patient_id = draw.digits(draw.number(6, 9))
        self.insurance_id = draw.pick("ABCDEFGHKLMNPRSTUVWXYZ") + draw.digits(9)
        self.insurer = draw.pick(lists.insurers)
        self.misspells = 0.12 if draw.chance(0.2) else 0.02
        """How often a name in the body is misspelt: in a hurry, or as a rule not."""
        self.capitals = draw.chance(0.06)

    def _set_dates(self, year: int) -> None:
        draw = self.draw
        self.admission = dt.date(year, 1, 1) + dt.timedelta(draw.number(0, 340))
        self.discharge = self.admission + dt.timedelta(draw.number(1, 16))
        self.today = self.discharge + dt.timedelta(draw.pick((0, 0, 1, 2, 5)))
        if self.today.year != year:
            self.admission = self.discharge = self.today = dt.date(year, 12, 30)
        self.age = min(97, max(19, round(50 + 38 * (draw.random() + draw.random() + draw.random() - 1))))
        self.birth = dt.date(year - self.age - 1, 1, 1) + dt.timedelta(draw.number(0, 364))
        if (self.birth.month, self.birth.day) <= (self.admission.month, self.admission.day):
            self.birth = dt.date(self.birth.year + 1, self.birth.month, min(self.birth.day, 28))

    def of_patient(self, first: Case) -> Case:
        """Give this admission to the patient of another one, who has the age that the years between make."""
        self.female, self.patient, self.partner = first.female, first.patient, first.partner
        self.home, self.home_phone, self.job = first.home, first.home_phone, first.job
        self.patient_id, self.insurance_id, self.insurer = first.patient_id, first.insurance_id, first.insurer
        self.birth = first.birth
        before = (self.admission.month, self.admission.day) < (self.birth.month, self.birth.day)
        self.age = self.admission.year - self.birth.year - before
        return self

    def _set_clinic(self) -> None:
        draw, lists = self.draw, self.lists
        self.clinic_at = places.address(draw, lists)
        self.clinic = places.hospital(draw, lists, self.clinic_at.town.name)
        self.clinic_trunk = places.trunk(draw)
        self.phone_form = places.phone_form(draw)
        self.chief = people.clinician(draw, lists, "chief")
        self.senior = people.clinician(draw, lists, "senior")
        self.resident = people.clinician(draw, lists, "junior")
        self.station: Pieces = (
            (Phi(f"Station {people.surname(draw, lists)}", PhiType.DEPARTMENT),)
            if draw.chance(0.45)
            else (draw.pick(_STATIONS),)
        )
        self.domain = f"{places.plain(self.clinic)[:32].strip('-')}.de"

    def _near(self) -> Address:
        """An address, often in the patient's town."""
        at = places.address(self.draw, self.lists)
        return Address(at.street, self.home.town) if self.draw.chance(_SAME_TOWN) else at

    def clinic_phone(self) -> str:
        """A number of the clinic: its trunk, any extension, the letterhead's form."""
        digits = 1 if self.draw.chance(0.1) else 4 if self.draw.chance(0.8) else 3
        return places.phone(self.draw, self.clinic_at.town.area_code, self.clinic_trunk, self.phone_form, digits)
