"""The slots of the template language: what `{patient.dat}`, `{past.year}` or `{clinic.phone}` stands for.

A slot is a function from the case to pieces. Names in the text are misspelt now and then against the header; slots
whose value must not vary (header and page header) take the case's facts as they are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic import dates, people, places
from deid_core.lab.synthetic.case import Case
from deid_core.lab.synthetic.letter import Phi, Pieces
from deid_core.lab.synthetic.people import Person
from deid_core.lab.synthetic.typos import misspelt

Slot = Callable[[Case], Pieces]


def _written(case: Case, name: str, kind: PhiType) -> Phi:
    """A name as the body has it: mostly right."""
    chance = case.draw.random()
    if chance < case.misspells:
        return Phi(misspelt(name, case.draw, case.lists.typos), kind)
    return Phi(name.upper(), kind) if case.capitals else Phi(name, kind)


# --- The patient -------------------------------------------------------------------------------------------------


def _patient(case: Case, grammar: str) -> Pieces:
    """The patient as the text calls them: "Herr Müller", "Hr. Müller", now and then "Herr Peter Müller"."""
    salute = people.salute(case.female, grammar)
    chance = case.draw.random()
    if chance < 0.06:
        salute = Phi("Fr." if case.female else "Hr.", PhiType.SALUTE)
    name = _written(case, case.patient.surname, PhiType.PATIENT)
    if chance > 0.93:
        return (salute, " ", Phi(f"{case.patient.given} {name.text}", PhiType.PATIENT))
    return (salute, " ", name)


def _genitive(name: str) -> str:
    return f"{name}'" if name.endswith(("s", "ß", "x", "z")) else f"{name}s"


def _patient_in_list(case: Case) -> Pieces:
    surname = case.patient.surname.upper() if case.capitals else case.patient.surname
    return (Phi(f"{surname}, {case.patient.given}", PhiType.PATIENT),)


def _initials(case: Case) -> Pieces:
    given, surname = case.patient.given[0], case.patient.surname[0].upper()
    return (Phi(case.draw.pick((f"{given}.{surname}.", f"{given}. {surname}.")), PhiType.PATIENT),)


def _plain_patient(case: Case) -> Pieces:
    """Surname alone, or with the given name before or after."""
    chance = case.draw.random()
    if chance < 0.3:
        return (_written(case, case.patient.surname, PhiType.PATIENT),)
    if chance < 0.5:
        return _patient_in_list(case)
    return (_written(case, case.patient.full.text, PhiType.PATIENT),)


def _birth(case: Case) -> Pieces:
    b = case.birth
    chance = case.draw.random()
    if chance < 0.8:
        return (Phi(f"{b.day:02}.{b.month:02}.{b.year}", PhiType.BIRTH_DATE),)
    return (Phi(dates.day(case.draw, b), PhiType.BIRTH_DATE),)


def _aged(case: Case, ending: str) -> Pieces:
    link = "-" if case.draw.chance(0.85) else ""
    return (Phi(f"{case.age}{link}jährig{ending}", PhiType.AGE),)


def _line(person: Person, at: places.Address) -> Pieces:
    """Somebody with their address in one line (seed 000, Figure 2, "Nachrichtlich")."""
    return (people.salute(person.female), " ", *person.named(), ", ", *at.pieces())


# --- Other people ------------------------------------------------------------------------------------------------


def _relative(case: Case, female: bool) -> Pieces:
    """A relative: by given name, by full name, or as another family."""
    given = people.given_name(case.draw, case.lists, female)
    chance = case.draw.random()
    if chance < 0.35:
        return (_written(case, given, PhiType.RELATIVE),)
    family = case.patient.surname if chance < 0.75 else people.surname(case.draw, case.lists)
    return (_written(case, f"{given} {family}", PhiType.RELATIVE),)


def _partner(case: Case) -> Pieces:
    """Husband or wife, by full or given name."""
    name = case.partner.full.text if case.draw.chance(0.5) else case.partner.given
    return (_written(case, name, PhiType.RELATIVE),)


def _any_doctor(case: Case, female: bool | None = None) -> Person:
    doctor = people.clinician(case.draw, case.lists, "senior" if case.draw.chance(0.15) else "")
    if female is None or doctor.female == female:
        return doctor
    return Person(doctor.given, doctor.surname, female, doctor.type, doctor.title)


def _doctor(case: Case) -> Pieces:
    """A physician: "Dr. Stein", "Dr. P. Stein" or "Dr. med. Peter Stein"."""
    doctor = _any_doctor(case)
    chance = case.draw.random()
    if chance < 0.65:
        return doctor.short()
    if chance < 0.8:
        return people.titled(doctor.short_title, Phi(f"{doctor.given[0]}. {doctor.surname}", doctor.type))
    return doctor.named()


def _doctor_of_sex(case: Case, female: bool) -> Pieces:
    return _any_doctor(case, female).short()


def _surname(case: Case, kind: PhiType) -> Pieces:
    return (Phi(people.surname(case.draw, case.lists), kind),)


# --- Dates -------------------------------------------------------------------------------------------------------


def _past_date(case: Case) -> dt.date:
    """Before the admission: a month to some twenty years, recent more likely."""
    return case.admission - dt.timedelta(30 + int(7600 * case.draw.random() ** 2))


def _stay_date(case: Case) -> dt.date:
    return case.admission + dt.timedelta(case.draw.number(0, (case.discharge - case.admission).days))


def _future_date(case: Case) -> dt.date:
    return case.today + dt.timedelta(case.draw.number(5, 200))


def _date(case: Case, of: Callable[[Case], dt.date], form: Callable[..., str]) -> Pieces:
    return (Phi(form(case.draw, of(case)), PhiType.DATE),)


def _year(case: Case) -> Pieces:
    return (Phi(str(_past_date(case).year), PhiType.DATE),)


# --- Places, numbers ---------------------------------------------------------------------------------------------


def _hospital(case: Case) -> Pieces:
    name = case.clinic if case.draw.chance(0.12) else places.hospital(case.draw, case.lists)
    return (_written(case, name, PhiType.HOSPITAL),)


def _town(case: Case) -> Pieces:
    town = case.home.town.name if case.draw.chance(0.3) else case.draw.pick(case.lists.towns).name
    return (_written(case, town, PhiType.TOWN),)


def _extension(case: Case) -> Pieces:
    return (Phi(f"-{case.draw.number(10, 9999)}", PhiType.PHONE),)


def _phone(case: Case, kind: PhiType = PhiType.PHONE) -> Pieces:
    code = case.draw.pick(case.lists.towns).area_code
    return (Phi(places.phone(case.draw, code, places.trunk(case.draw)), kind),)


def _mobile(case: Case) -> Pieces:
    return (Phi(places.mobile(case.draw), PhiType.PHONE),)


def _email(case: Case) -> Pieces:
    name = case.draw.pick(("info", "kardiologie", "sekretariat", places.plain(case.senior.surname)))
    return (Phi(f"{name}@{case.domain}", PhiType.EMAIL),)


def _web(case: Case) -> Pieces:
    return (Phi(case.draw.pick(("www.", "www.", "http://www.")) + case.domain, PhiType.URI),)


def _device(case: Case) -> Pieces:
    draw = case.draw
    letters = "".join(draw.pick("ABCDEFGHJKLMNPRSTUVW") for _ in range(draw.number(0, 3)))
    return (Phi(letters + draw.digits(draw.number(6, 8)), PhiType.DEVICE_ID),)


def _finding(case: Case) -> Pieces:
    draw = case.draw
    number = draw.digits(draw.number(4, 6))
    short = f"{case.admission.year % 100:02}"
    return (Phi(draw.pick((f"{number}/{short}", f"H{number}-{short}", f"{case.admission.year}/{number}")), PhiType.ID),)


def _sign(case: Case) -> Pieces:
    """Who dictated and who wrote: "st/mü"."""
    first, second = case.senior.surname[:2].lower().strip(), case.resident.surname[:2].lower().strip()
    return (Phi(f"{first}/{second}" if case.draw.chance(0.6) else f"{first}-{second}", PhiType.ID),)


def _of(find: Callable[[Case], str], kind: PhiType) -> Slot:
    return lambda case: (Phi(find(case), kind),)


SLOTS: dict[str, Slot] = {
    "Herr": lambda c: (people.salute(c.female, "nom"),),
    "Herrn": lambda c: (people.salute(c.female),),
    "Herrn.gen": lambda c: ("der " if c.female else "des ", people.salute(c.female)),
    "patient": partial(_patient, grammar="nom"),
    "patient.dat": partial(_patient, grammar="dat"),
    "patient.acc": partial(_patient, grammar="acc"),
    "patient.surname": lambda c: (_written(c, c.patient.surname, PhiType.PATIENT),),
    "patient.surname.gen": lambda c: (_written(c, _genitive(c.patient.surname), PhiType.PATIENT),),
    "patient.given": lambda c: (Phi(c.patient.given, PhiType.PATIENT),),
    "patient.full": lambda c: (_written(c, c.patient.full.text, PhiType.PATIENT),),
    "patient.plain": _plain_patient,
    "patient.list": _patient_in_list,
    "patient.upper": lambda c: (Phi(f"{c.patient.surname.upper()}, {c.patient.given}", PhiType.PATIENT),),
    "patient.initial": lambda c: (Phi(f"{c.patient.given[0]}. {c.patient.surname}", PhiType.PATIENT),),
    "patient.initials": _initials,
    "patient.line": lambda c: _line(c.patient, c.home),
    "patient.address": lambda c: c.home.pieces(),
    "patient.street": lambda c: (c.home.street_phi,),
    "patient.plz": lambda c: (c.home.postcode_phi,),
    "patient.town": lambda c: (c.home.town_phi,),
    "patient.phone": _of(lambda c: c.home_phone, PhiType.PHONE),
    "patient.id": _of(lambda c: c.patient_id, PhiType.PATIENT_ID),
    "maiden": lambda c: _surname(c, PhiType.PATIENT),
    "birth": _birth,
    "aged.e": partial(_aged, ending="e"),
    "aged.er": lambda c: _aged(c, "e" if c.female else "er"),
    "aged.en": partial(_aged, ending="en"),
    "job": lambda c: (c.job,),
    "jobs.f": lambda c: (Phi(c.draw.pick(c.lists.professions)[1], PhiType.PROFESSION),),
    "case.id": _of(lambda c: c.case_id, PhiType.CASE_ID),
    "insurance.id": _of(lambda c: c.insurance_id, PhiType.INSURANCE_ID),
    "insurer": _of(lambda c: c.insurer, PhiType.ORGANISATION),
    "employer": _of(lambda c: c.draw.pick(c.lists.employers), PhiType.ORGANISATION),
    "device.id": _device,
    "finding.id": _finding,
    "partner": _partner,
    "son": partial(_relative, female=False),
    "daughter": partial(_relative, female=True),
    "relative.m": partial(_relative, female=False),
    "relative.f": partial(_relative, female=True),
    "relative.phone": lambda c: _mobile(c) if c.draw.chance(0.5) else _phone(c),
    "mobile": _mobile,
    "dr": _doctor,
    "dr.m": partial(_doctor_of_sex, female=False),
    "dr.f": partial(_doctor_of_sex, female=True),
    "dr.plain": lambda c: _surname(c, PhiType.CLINICIAN),
    "dr.acc": lambda c: people.addressed(_any_doctor(c)),
    "dr.dat": lambda c: people.addressed(_any_doctor(c)),
    "dr.gen": lambda c: people.addressed(_any_doctor(c)),
    "surgeon": lambda c: _surname(c, PhiType.CLINICIAN),
    "surname": lambda c: _surname(c, PhiType.PERSON),
    "gp.nom": lambda c: people.addressed(c.gp, "nom"),
    "gp.dat": lambda c: people.addressed(c.gp),
    "gp.acc": lambda c: people.addressed(c.gp),
    "gp.full": lambda c: (people.salute(c.gp.female), " ", *c.gp.named()),
    "chief": lambda c: c.chief.named(),
    "chief.name": lambda c: (c.chief.full,),
    "chief.short": lambda c: c.chief.short(),
    "senior": lambda c: c.senior.named(),
    "senior.name": lambda c: (c.senior.full,),
    "senior.short": lambda c: c.senior.short(),
    "resident": lambda c: c.resident.named(),
    "resident.name": lambda c: (c.resident.full,),
    "resident.short": lambda c: people.addressed(c.resident, "nom"),
    "addressee.r": lambda c: ("" if c.addressee.female else "r",),
    "addressee.Herr": lambda c: (people.salute(c.addressee.female, "nom"),),
    "addressee.Herrn": lambda c: (people.salute(c.addressee.female),),
    "addressee.Kollege": lambda c: ("Kollegin" if c.addressee.female else "Kollege",),
    "addressee.full": lambda c: c.addressee.named(),
    "addressee.short": lambda c: c.addressee.short(),
    "addressee.surname": lambda c: (Phi(c.addressee.surname, PhiType.CLINICIAN),),
    "addressee.street": lambda c: (c.addressee_at.street_phi,),
    "addressee.plz": lambda c: (c.addressee_at.postcode_phi,),
    "addressee.town": lambda c: (c.addressee_at.town_phi,),
    "addressee.phone": _phone,
    "addressee.fax": partial(_phone, kind=PhiType.FAX),
    "copy.line": lambda c: _line(c.copied, c.copied_at),
    "clinic.name": _of(lambda c: c.clinic, PhiType.HOSPITAL),
    "clinic.upper": _of(lambda c: c.clinic.upper(), PhiType.HOSPITAL),
    "clinic.street": lambda c: (c.clinic_at.street_phi,),
    "clinic.plz": lambda c: (c.clinic_at.postcode_phi,),
    "clinic.town": lambda c: (c.clinic_at.town_phi,),
    "clinic.station": lambda c: c.station,
    "clinic.phone": _of(Case.clinic_phone, PhiType.PHONE),
    "clinic.fax": _of(Case.clinic_phone, PhiType.FAX),
    "clinic.ext": _extension,
    "clinic.email": _email,
    "clinic.web": _web,
    "sign": _sign,
    "hospital": _hospital,
    "town": _town,
    "country": _of(lambda c: c.draw.pick(c.lists.countries), PhiType.COUNTRY),
    "phone": _phone,
    "today": lambda c: _date(c, lambda c: c.today, dates.day),
    "admission": lambda c: _date(c, lambda c: c.admission, dates.day),
    "discharge": lambda c: _date(c, lambda c: c.discharge, dates.day),
    "range": lambda c: dates.span_of_days(c.draw, c.admission, c.discharge),
    "stay": partial(_date, of=_stay_date, form=dates.day),
    "stay.short": partial(_date, of=_stay_date, form=dates.short_day),
    "past": lambda c: dates.any_past(c.draw, _past_date(c)),
    "past.day": partial(_date, of=_past_date, form=dates.day),
    "past.month": partial(_date, of=_past_date, form=dates.month),
    "past.named": partial(_date, of=_past_date, form=dates.named_month),
    "past.year": _year,
    "future": partial(_date, of=_future_date, form=dates.day),
    "future.month": partial(_date, of=_future_date, form=dates.month),
    "future.named": partial(_date, of=_future_date, form=dates.named_month),
}
