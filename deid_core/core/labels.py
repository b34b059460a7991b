"""The label table: labels, types below them, and their names in other schemes.

Labels are those of seed 000 (Table 8) and ID, AGE, PROFESSION, OTHER. Types tell which kind of date, place or
person it is. Both are strings, so that they go to JSON, Arrow and Spark unchanged.

Schemes: `category` and `kind` follow seed 002's category/type pairs (its text names the eight categories and part of
the types; its Table 2 is a picture); `i2b2` the 2014 i2b2/UTHealth tags; `hipaa` the number of the 18 Safe Harbor
items (45 CFR 164.514(b)(2)(i), A = 1 to R = 18; 0 where none fits); `gemtex` the labels of the GeMTeX guidelines.
`Scheme` names those in which annotations can be written and compared.

What else depends on a label alone is a column of `LABELS`, so that a new label has a value for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache


class Label(StrEnum):
    """What a span is, as written in a placeholder."""

    PER = "PER"
    LOC = "LOC"
    ORG = "ORG"
    DATE = "DATE"
    PHONE = "PHONE"
    PLZ = "PLZ"
    URI = "URI"
    EMAIL = "EMAIL"
    SALUTE = "SALUTE"
    TITLE = "TITLE"
    ID = "ID"
    AGE = "AGE"
    PROFESSION = "PROFESSION"
    OTHER = "OTHER"


class PhiType(StrEnum):
    """The type of a span; `TYPES` has the label of each."""

    PATIENT = "patient"
    CLINICIAN = "clinician"
    RELATIVE = "relative"
    PERSON = "person"
    STREET = "street"
    TOWN = "town"
    REGION = "region"
    COUNTRY = "country"
    HOSPITAL = "hospital"
    DEPARTMENT = "department"
    PLACE = "place"
    ORGANISATION = "organisation"
    BIRTH_DATE = "birth_date"
    DATE = "date"
    PHONE = "phone"
    FAX = "fax"
    POSTCODE = "postcode"
    URI = "uri"
    EMAIL = "email"
    SALUTE = "salute"
    TITLE = "title"
    PATIENT_ID = "patient_id"
    CASE_ID = "case_id"
    INSURANCE_ID = "insurance_id"
    DEVICE_ID = "device_id"
    ID = "id"
    AGE = "age"
    PROFESSION = "profession"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class TypeEntry:
    """One row of the label table: a type, its label and its names in other schemes ("" where none fits)."""

    type: PhiType
    label: Label
    category: str
    kind: str
    i2b2: str
    hipaa: int
    gemtex: str


_ROWS = (
    # type                 label        seed 002                      i2b2 2014                  HIPAA GeMTeX
    (PhiType.PATIENT, Label.PER, "Name", "Patient", "NAME/PATIENT", 1, "NAME_PATIENT"),
    (PhiType.CLINICIAN, Label.PER, "Name", "Staff", "NAME/DOCTOR", 1, "NAME_DOCTOR"),
    (PhiType.RELATIVE, Label.PER, "Name", "Other", "NAME/PATIENT", 1, "NAME_RELATIVE"),
    (PhiType.PERSON, Label.PER, "Name", "Other", "NAME/PATIENT", 1, "NAME_OTHER"),
    (PhiType.STREET, Label.LOC, "Location", "Street", "LOCATION/STREET", 2, "LOCATION_STREET"),
    (PhiType.TOWN, Label.LOC, "Location", "City", "LOCATION/CITY", 2, "LOCATION_CITY"),
    (PhiType.REGION, Label.LOC, "Location", "State", "LOCATION/STATE", 2, "LOCATION_STATE"),
    (PhiType.COUNTRY, Label.LOC, "Location", "Country", "LOCATION/COUNTRY", 2, "LOCATION_COUNTRY"),
    (PhiType.HOSPITAL, Label.LOC, "Location", "Hospital", "LOCATION/HOSPITAL", 2, "LOCATION_HOSPITAL"),
    (PhiType.DEPARTMENT, Label.LOC, "Location", "Hospital", "LOCATION/HOSPITAL", 2, "LOCATION_HOSPITAL"),
    (PhiType.PLACE, Label.LOC, "Location", "Other", "LOCATION/LOCATION-OTHER", 2, "LOCATION_OTHER"),
    (PhiType.ORGANISATION, Label.ORG, "Location", "Organization", "LOCATION/ORGANIZATION", 2, "LOCATION_ORGANIZATION"),
    (PhiType.BIRTH_DATE, Label.DATE, "Date", "Birthdate", "DATE", 3, "DATE_BIRTH"),
    (PhiType.DATE, Label.DATE, "Date", "Date", "DATE", 3, "DATE"),
    (PhiType.PHONE, Label.PHONE, "Contact", "Phone", "CONTACT/PHONE", 4, "CONTACT_PHONE"),
    (PhiType.FAX, Label.PHONE, "Contact", "Fax", "CONTACT/FAX", 5, "CONTACT_FAX"),
    (PhiType.POSTCODE, Label.PLZ, "Location", "ZIP", "LOCATION/ZIP", 2, "LOCATION_ZIP"),
    (PhiType.URI, Label.URI, "Contact", "URL", "CONTACT/URL", 14, "CONTACT_URL"),
    (PhiType.EMAIL, Label.EMAIL, "Contact", "Email", "CONTACT/EMAIL", 6, "CONTACT_EMAIL"),
    (PhiType.SALUTE, Label.SALUTE, "Name", "Salutation", "", 0, ""),
    (PhiType.TITLE, Label.TITLE, "Name", "Title", "", 0, "NAME_TITLE"),
    (PhiType.PATIENT_ID, Label.ID, "ID", "Patient ID", "ID/MEDICALRECORD", 8, "ID"),
    (PhiType.CASE_ID, Label.ID, "ID", "Case ID", "ID/MEDICALRECORD", 8, "ID"),
    (PhiType.INSURANCE_ID, Label.ID, "ID", "Insurance ID", "ID/HEALTHPLAN", 9, "ID"),
    (PhiType.DEVICE_ID, Label.ID, "ID", "Other", "ID/DEVICE", 13, "ID"),
    (PhiType.ID, Label.ID, "ID", "Other", "ID/IDNUM", 18, "ID"),
    (PhiType.AGE, Label.AGE, "Age", "Age", "AGE", 3, "AGE"),
    (PhiType.PROFESSION, Label.PROFESSION, "Profession", "Profession", "PROFESSION", 0, "PROFESSION"),
    (PhiType.OTHER, Label.OTHER, "Other", "", "", 18, "OTHER"),
)

TYPES: dict[PhiType, TypeEntry] = {row[0]: TypeEntry(*row) for row in _ROWS}


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """What depends on a label alone.

    general: its most general type. key: the key of this type on the page of `deid review`; a letter that no other has.
    has_form: whether a number, a date or an address of the net has it, and no word or name. Then no word that is never
    removed cuts it, and the stacking model's entities have the threshold of numbers. is_whole: whether no entity of the
    stacking model cuts what recogniser `pattern` surely finds of it. has_surrogates: whether `policies/surrogates` has
    some for all its types: no policy may ask for those of another label.
    """

    label: Label
    general: PhiType
    key: str
    has_form: bool = False
    is_whole: bool = False
    has_surrogates: bool = False


LABELS: dict[Label, LabelEntry] = {
    entry.label: entry
    for entry in (
        LabelEntry(Label.PER, PhiType.PERSON, "o", has_surrogates=True),
        LabelEntry(Label.LOC, PhiType.PLACE, "l", has_surrogates=True),
        LabelEntry(Label.ORG, PhiType.ORGANISATION, "g", has_surrogates=True),
        LabelEntry(Label.DATE, PhiType.DATE, "d", has_form=True, is_whole=True),
        LabelEntry(Label.PHONE, PhiType.PHONE, "t", has_form=True, is_whole=True, has_surrogates=True),
        LabelEntry(Label.PLZ, PhiType.POSTCODE, "z", has_form=True, has_surrogates=True),
        LabelEntry(Label.URI, PhiType.URI, "u", has_form=True, is_whole=True, has_surrogates=True),
        LabelEntry(Label.EMAIL, PhiType.EMAIL, "e", has_form=True, is_whole=True, has_surrogates=True),
        LabelEntry(Label.SALUTE, PhiType.SALUTE, "s"),
        LabelEntry(Label.TITLE, PhiType.TITLE, "i"),
        LabelEntry(Label.ID, PhiType.ID, "n", has_form=True, has_surrogates=True),
        LabelEntry(Label.AGE, PhiType.AGE, "a", has_form=True),
        LabelEntry(Label.PROFESSION, PhiType.PROFESSION, "j", has_surrogates=True),
        LabelEntry(Label.OTHER, PhiType.OTHER, "x", has_surrogates=True),
    )
}


def label_of(phi_type: PhiType) -> Label:
    """Return the label of a type."""
    return TYPES[phi_type].label


@cache
def types_with(label: Label) -> tuple[PhiType, ...]:
    """Return the types of a label, in the order of the label table."""
    return tuple(phi for phi, entry in TYPES.items() if entry.label is label)


def general_type(label: Label) -> PhiType:
    """Return the most general type of a label."""
    return LABELS[label].general


class Scheme(StrEnum):
    """A label scheme of annotations; all but OWN are columns of the label table."""

    OWN = "own"
    """The labels of this project."""
    GEMTEX = "gemtex"
    I2B2 = "i2b2"
    """The TYPE of a 2014 i2b2/UTHealth tag alone, as it is unique: DOCTOR for NAME/DOCTOR."""
    DOME = "dome"
    """The eight categories of seed 002 (its code is called DOME), not the types below them."""
    HIPAA = "hipaa"
    """The number of the Safe Harbor item."""


_FURTHER: dict[Scheme, dict[str, Label]] = {
    Scheme.GEMTEX: {"NAME_EXT": Label.PER, "NAME_USERNAME": Label.PER, "DATE_DEATH": Label.DATE},
    Scheme.I2B2: {"USERNAME": Label.PER, "ROOM": Label.LOC, "DEPARTMENT": Label.LOC, "IPADDRESS": Label.URI}
    | dict.fromkeys(("SSN", "ACCOUNT", "LICENSE", "VEHICLE", "BIOID"), Label.ID),
    Scheme.HIPAA: {"7": Label.ID, "10": Label.ID, "11": Label.ID, "12": Label.ID, "15": Label.URI, "16": Label.ID},
}
"""Names that people annotate with and that no type of ours has."""


def name_in(scheme: Scheme, label: Label, phi_type: PhiType) -> str:
    """Return what a scheme calls a span of this label and type, "" where it has no name for it."""
    return str(label) if scheme is Scheme.OWN else _column(scheme, TYPES[phi_type])


@cache
def labels_of(scheme: Scheme) -> dict[str, Label | None]:
    """Return the label of each name that annotations in a scheme may use: the scheme's names, and our labels.

    `_FURTHER` is among them. Labels that the scheme does not distinguish become one, the first of the label table:
    HIPAA's item 3 is DATE, and so is AGE. None stands for a label that the scheme has no name for.
    """
    first: dict[str, Label] = {}
    for entry in TYPES.values():
        first.setdefault(_column(scheme, entry), entry.label)
    ours = {str(entry.label): first[name] if (name := _column(scheme, entry)) else None for entry in TYPES.values()}
    tags = {entry.i2b2: first[_column(scheme, entry)] for entry in TYPES.values() if scheme is Scheme.I2B2}
    return {name: label for name, label in (ours | tags | first | _FURTHER.get(scheme, {})).items() if name}


@cache
def types_of(scheme: Scheme) -> dict[str, tuple[PhiType, ...]]:
    """Return the types that a span may have, for each name that annotations in a scheme may use, as `labels_of`."""
    of_name: dict[str, tuple[PhiType, ...]] = {}
    for name, label in labels_of(scheme).items():
        exact = tuple(t for t, entry in TYPES.items() if name in (_column(scheme, entry), entry.i2b2, entry.label))
        of_name[name] = exact or tuple(t for t, entry in TYPES.items() if entry.label is label)
    return of_name


def _column(scheme: Scheme, entry: TypeEntry) -> str:
    match scheme:
        case Scheme.OWN:
            return str(entry.label)
        case Scheme.GEMTEX:
            return entry.gemtex
        case Scheme.I2B2:
            return entry.i2b2.rpartition("/")[2]
        case Scheme.DOME:
            return entry.category
        case Scheme.HIPAA:
            return str(entry.hipaa or "")
