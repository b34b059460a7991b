"""What a note says about its patient: ids, names and birth dates.

It is read from the typed spans, so pipelines without subtypes find little. lake/patients/matching.py decides from ids,
and from names with birth dates, in normal forms, which notes are of one patient. Names and birth dates as such are what
the sweep looks for in the patient's other notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.lexicon.name_regexes import SALUTE, TITLES
from deid_core.policies.dates.parse import parse_date, whole_day
from deid_core.policies.key import Draws
from deid_core.policies.names.name_parts import GIVEN, SURNAME, NameKind
from deid_core.policies.names.people import People
from deid_core.policies.normal_form import value_key
from deid_core.policies.note_context import NoteContext

_BEFORE_BIRTH = 80
"""Characters between a name and the birth date after it, at most."""
_ADDRESS = re.compile(rf"(?:{SALUTE}[ \u00a0]+)?(?:{TITLES}(?<=[. \u00a0]))?")
"""What may stand before the name within its span: "Frau Dr. "."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NO_LETTERS = re.compile(r"[\W\d_]+")


class EvidenceKind(StrEnum):
    """What a piece of evidence is."""

    ID = "id"
    PERSON = "person"
    """A full name and a birth date."""
    SOURCE = "source"
    """An id that a column of the source gives the note, whatever its text says."""
    NAME = "name"
    """A full name as it is written."""
    BIRTH_DATE = "birth_date"


IDENTIFYING = (EvidenceKind.ID, EvidenceKind.PERSON, EvidenceKind.SOURCE)
"""What tells whose note it is."""
PATIENT_IDS = (EvidenceKind.ID, EvidenceKind.SOURCE)
"""What is a patient's id, in its normal form."""


class PatientEvidence(NamedTuple):
    """A patient's id, or name and birth date, in a form that spellings of the same share; a name as it is written."""

    kind: EvidenceKind
    value: str


class _PatientName(NamedTuple):
    """is_placed: whether its place in the span, or a field's label, tells given name or surname."""

    start: int
    end: int
    given: str
    surname: str
    is_placed: bool


class _Person(NamedTuple):
    given: str
    surname: str
    birth: date

    def has(self, name: _PatientName) -> bool:
        return name.given in (self.given, "") and name.surname in (self.surname, "")


def id_key(text: str) -> str:
    """Return the normal form of a patient id: letters and digits without leading zeros, since exports pad with them."""
    key = value_key(text)
    return key.lstrip("0") or key


def person_key(given: str, surname: str, birth: date) -> str:
    """Return the normal form of a name and a birth date."""
    return f"{given} {surname} {birth.isoformat()}"


def evidence_of(text: str, spans: Sequence[Span]) -> tuple[PatientEvidence, ...]:
    """Return what the spans of a note's text say about its patient, sorted, each once.

    A birth date is of the full name before it, else of the given name and surname that stand before it in cells of
    their own. Where neither is, the note's only name and only birth date belong together.
    """
    ids = {id_key(text[span.start : span.end]) for span in spans if span.type is PhiType.PATIENT_ID}
    births = _births(text, spans)
    names = list(_names(text, spans))
    persons = _persons(names, births)
    full = _full(names)
    written = [[name] for name in full]
    if persons and not any(person.has(name) for person in persons for name in full):
        # They stand in cells of their own. A word that was taken for another name of the patient belongs to none.
        written = [[name for name in names if person.has(name)] for person in persons]
    found = {(EvidenceKind.ID, value) for value in ids if value}
    found |= {(EvidenceKind.PERSON, person_key(*person)) for person in persons}
    found |= {
        (EvidenceKind.NAME, " ".join(" ".join(text[name.start : name.end] for name in parts).split()))
        for parts in written
    }
    found |= {(EvidenceKind.BIRTH_DATE, birth.isoformat()) for _, birth in births}
    return tuple(sorted(PatientEvidence(*item) for item in found))


def told_by_source(patient: str | None) -> tuple[PatientEvidence, ...]:
    """Return the evidence of the id that a column of the source gives a note; () for none."""
    return (PatientEvidence(EvidenceKind.SOURCE, key),) if patient and (key := id_key(patient)) else ()


def _persons(names: Sequence[_PatientName], births: Sequence[tuple[int, date]]) -> list[_Person]:
    """Return names with birth dates, each once. births: (start, date)."""
    full = _full(names)
    found: dict[_Person, None] = {}
    for start, birth in births:
        before = [name for name in names if 0 <= start - name.end <= _BEFORE_BIRTH]
        # Beside a full name a word that stands alone may be no name: only cells count then.
        cells = [name for name in before if name.is_placed] if full else before
        found |= dict.fromkeys(_only_person(_full(before)[-1:] or cells, {birth}))
    return list(found) or _only_person(full or names, {birth for _, birth in births})


def _full(names: Sequence[_PatientName]) -> list[_PatientName]:
    return [name for name in names if name.given and name.surname]


def _only_person(names: Sequence[_PatientName], births: Set[date]) -> list[_Person]:
    """Return the person of these names, if they have one given name, one surname and one birth date."""
    givens, surnames = ({getattr(name, part) for name in names} - {""} for part in ("given", "surname"))
    if not len(givens) == len(surnames) == len(births) == 1:
        return []
    return [_Person(*givens, *surnames, *births)]


def _is_patients(birth: Span, spans: Sequence[Span]) -> bool:
    """Return whether no other person's name is the last before a birth date."""
    people = [s for s in spans if s.label is Label.PER and 0 <= birth.start - s.end <= _BEFORE_BIRTH]
    return not people or people[-1].type is PhiType.PATIENT


def _births(text: str, spans: Sequence[Span]) -> list[tuple[int, date]]:
    """Return the birth dates of patients with the places where they begin.

    Two digits are the year that the note writes in full elsewhere; nobody is born after the last year of a note.
    """
    found = [
        (span, birth)
        for span in spans
        if span.type is PhiType.BIRTH_DATE and (birth := _birth_date(text, span)) and _is_patients(span, spans)
    ]
    short = {span for span, birth in found if f"{birth.year}" not in text[span.start : span.end]}
    full = {birth for span, birth in found if span not in short}
    last = ""
    if any(birth not in full for span, birth in found if span in short):
        last = max((y for s in spans if s.label is Label.DATE for y in _YEAR.findall(text, s.start, s.end)), default="")
    births = []
    for span, birth in found:
        if span in short and birth not in full and (before := _century_before(birth)):
            birth = before if before in full or (last and birth.year > int(last)) else birth
        births.append((span.start, birth))
    return births


def _century_before(birth: date) -> date | None:
    """Return the same day a century before; None for the 29th of February 1900, which there was not."""
    try:
        return birth.replace(year=birth.year - 100)
    except ValueError:
        return None


def _birth_date(text: str, span: Span) -> date | None:
    """Return the date of a span that is one whole date."""
    parsed = parse_date(text[span.start : span.end])
    return whole_day(parsed.moments[0]) if parsed is not None and len(parsed.moments) == 1 else None


def _names(text: str, spans: Sequence[Span]) -> Iterator[_PatientName]:
    """Yield the patient's names but maiden names; given name and surname are "" where a mention does not have them."""
    named = []
    for span in spans:
        if span.type is PhiType.PATIENT:
            address = _ADDRESS.match(text, span.start, span.end)
            named.append(span._replace(start=address.end()) if address else span)
    nothing = Draws(b"", "")
    people = People(NoteContext(text, named, nothing, nothing, 1.0, ""))
    for index, span in enumerate(named):
        if people.is_maiden(index):
            continue
        found: dict[NameKind, str] = {GIVEN: "", SURNAME: ""}
        for part in people.names[index].parts:
            role = people.role(part, index)
            if role in found:
                found[role] += _NO_LETTERS.sub("", people.base_key(part.key))
        yield _PatientName(span.start, span.end, found[GIVEN], found[SURNAME], people.names[index].is_placed)
