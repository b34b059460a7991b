"""The terms that the sweep looks for: what is known to identify somebody in a note, whatever the engine decided.

They come from the fields of the note's own header (in `default` as recogniser `letterhead` detected them), from what
the patient's other notes say, and from identities that a hospital hands in. Whoever has such identities gives them as
`Term`s to `Engine.deidentify`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from deid_core.core.labels import PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.letterhead.field_kinds import FieldKind
from deid_core.letterhead.fields import header_fields
from deid_core.letterhead.parts import Part, Role, header_of, locate
from deid_core.policies.dates.parse import parse_date
from deid_core.policies.patient_evidence import PATIENT_IDS, EvidenceKind, PatientEvidence
from deid_core.recognisers.letterhead import FIELD_RULES, LetterheadRecogniser
from deid_core.text.document import Document
from deid_core.text.header_end import header_end

MIN_DIGITS = 6
"""A shorter number equals other numbers by chance; a postcode is compared as a whole token."""


class TermKind(StrEnum):
    """What a known term is; the column `kind` of clean/leak_sweep."""

    NAME = "name"
    ADDRESS = "address"
    POSTCODE = "postcode"
    BIRTH_DATE = "birth_date"
    NUMBER = "number"
    ELECTRONIC = "electronic"
    """An e-mail or web address."""


class TermSource(StrEnum):
    """Who says so; the column `source` of clean/leak_sweep."""

    HEADER = "header"
    """The note's own header."""
    PATIENT = "patient"
    """Another note of the same patient."""
    HOSPITAL = "hospital"
    """A list that the hospital hands in."""


class Term(NamedTuple):
    """Something known to identify somebody of the note: its kind and its text, as written in its source."""

    kind: TermKind
    text: str
    source: TermSource = TermSource.HEADER


Terms = Mapping[str, Sequence[Term]]
"""What is looked for in each note besides its header, by note_id."""


class KnownTerms(NamedTuple):
    """What others than the notes know of their people: terms by note_id, whatever its text says, and by patient id."""

    by_note: Mapping[str, Sequence[Term]]
    by_patient: Mapping[str, Sequence[Term]]

    def of_note(self, note_id: str, evidence: Iterable[PatientEvidence] = ()) -> tuple[Term, ...]:
        """Return the terms of a note, sorted. evidence: what its text says of its patient."""
        said = (self.by_patient.get(item.value, ()) for item in evidence if item.kind in PATIENT_IDS)
        return tuple(sorted({*self.by_note.get(note_id, ()), *chain.from_iterable(said)}))


_LONG = re.compile(r"(?<![\w.,/-])\d[\d.,:/-]{4,}\d(?![^\W_])")
"""A number that may have MIN_DIGITS digits: of a patient, a case, an insurance."""

TYPES = {
    TermKind.NAME: PhiType.PERSON,
    TermKind.ADDRESS: PhiType.PLACE,
    TermKind.POSTCODE: PhiType.POSTCODE,
    TermKind.BIRTH_DATE: PhiType.BIRTH_DATE,
    TermKind.NUMBER: PhiType.ID,
    TermKind.ELECTRONIC: PhiType.URI,
}
"""The type of a span that the sweep adds."""
_OF_FIELD = {
    FieldKind.NAME: TermKind.NAME,
    FieldKind.STREET: TermKind.ADDRESS,
    FieldKind.TOWN: TermKind.ADDRESS,
    FieldKind.POSTCODE: TermKind.POSTCODE,
    FieldKind.BIRTH_DATE: TermKind.BIRTH_DATE,
    FieldKind.PHONE: TermKind.NUMBER,
    FieldKind.FAX: TermKind.NUMBER,
    FieldKind.EMAIL: TermKind.ELECTRONIC,
    FieldKind.WEB: TermKind.ELECTRONIC,
}
"""Fields whose content is looked for. Titles, dates of the letter and names of institutions identify nobody alone."""
_OF_RULE = {rule: _OF_FIELD[kind] for kind, rule in FIELD_RULES.items() if kind in _OF_FIELD}
_OF_EVIDENCE = {
    EvidenceKind.ID: TermKind.NUMBER,
    EvidenceKind.NAME: TermKind.NAME,
    EvidenceKind.BIRTH_DATE: TermKind.BIRTH_DATE,
}


def header_terms(note: Note) -> list[Term]:
    """Return what a note's header says of persons, and the long numbers of its subject lines, each once."""
    end = header_end(note)
    header = locate(note, end)
    fields = [(_OF_FIELD[f.kind], f.start, f.end) for f in header_fields(note, header) if f.kind in _OF_FIELD]
    return _terms(note.text, header, fields)


def document_terms(document: Document, detections: Iterable[Detection]) -> list[Term]:
    """Return the terms of a document's header, from the fields that a typed recogniser `letterhead` detected in it."""
    kinds, letterhead = _OF_RULE, LetterheadRecogniser.kind
    fields = [(kinds[d.rule], d.start, d.end) for d in detections if d.rule in kinds and d.recogniser == letterhead]
    return _terms(document.text, header_of(document), fields)


def evidence_terms(evidence: Iterable[PatientEvidence]) -> set[Term]:
    """Return what other notes say of the patient: ids, full names and birth dates."""
    kinds = _OF_EVIDENCE
    return {Term(kinds[item.kind], item.value, TermSource.PATIENT) for item in evidence if item.kind in kinds}


def digits_of(text: str) -> str:
    """Return a number's digits without trunk and country prefix."""
    return re.sub(r"\D", "", re.sub(r"^\s*(?:\+49|0049)", "", text).replace("(0)", "")).lstrip("0")


def date_of(text: str) -> tuple[int, int, int] | None:
    """Return (year of the century, month, day) of one whole date."""
    parsed = parse_date(text.strip())
    if parsed is None or len(parsed.moments) != 1:
        return None
    moment = parsed.moments[0]
    if moment.year is None or moment.month is None or moment.day is None:
        return None
    return moment.year % 100, moment.month, moment.day


def _terms(text: str, header: Iterable[Part], fields: Iterable[tuple[TermKind, int, int]]) -> list[Term]:
    found = [Term(kind, text[start:end]) for kind, start, end in fields]
    for part in header:
        if part.role is Role.SUBJECT:
            numbers = (match.group() for match in _LONG.finditer(text, part.start, part.end))
            found += [
                Term(TermKind.NUMBER, number)
                for number in numbers
                if len(digits_of(number)) >= MIN_DIGITS and not date_of(number)
            ]
    return list(dict.fromkeys(found))
