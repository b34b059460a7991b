"""Recogniser `institution`: names of hospitals, practices, homes, departments, insurers, schools and employers.

Goes before `context` in a pipeline's order: "Dr. X vom Krankenhaus Y" is a person and a hospital.

Names around a head word are read in head_names.py, at most six tokens to either side; the other modules read what has
another form, each with a table of its own: departments.py, header_units.py, wards.py, practices.py, organisations.py,
place_names.py and town_places.py. Around head words:

| what stands there                                         | is a name                   | rule           | score |
|---|---|---|---|
| a compound with a name: "Rheintalklinik"                  | as it is, and with          | KIND.compound  | 0.90  |
| a place or name behind: "Klinik Bergstraße"               | what follows                | KIND.behind    | 0.90  |
| "am", "zum" … and a name behind: "Klinik am Südring"      |                             | KIND.behind    | 0.90  |
| a subject and a place: "Radiologie am Markt Musterstadt"  |                             | KIND.behind    | 0.90  |
| "Haus" and a name: "Haus Lindenhof"                       | and its town                | hospital.house | 0.80  |
| a qualifier or name before: "Evangelisches Krankenhaus"   | what precedes               | KIND.before    | 0.85  |
| a hospital's own letters: "UKE"                           | and its town                | hospital.name  | 0.85  |

KIND is hospital or organisation. A head word alone ("unsere Klinik", "Praxis Dr. Muster") is no name, nor is one with
a common or medical word behind it ("in der Klinik Besserung"). A text in small letters or in capitals throughout is
read as if its words had capitals; then a name needs more evidence than that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.institution import (
    departments,
    flags,
    header_units,
    organisations,
    place_names,
    practices,
    wards,
)
from deid_core.recognisers.institution.head_names import HeadNames
from deid_core.recognisers.institution.town_places import TownReader
from deid_core.recognisers.institution.words import institution_bits
from deid_core.text.capitals import is_flat
from deid_core.text.document import Document
from deid_core.text.token_line import TokenLine
from deid_core.text.vocabulary import TypeFeature, Vocabulary


class InstitutionRecogniser:
    """Names of institutions by head words; see the module."""

    kind = "institution"

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._column = institution_bits(gazetteer, vocabulary)
        self._flat_column = institution_bits(gazetteer, vocabulary, flat=True)
        self._roles = TypeFeature(vocabulary, wards.role, np.uint8)
        self._units = TypeFeature(vocabulary, header_units.may_be_unit, bool)
        self._towns = TownReader(gazetteer, vocabulary)
        self._places = place_names.place_column(gazetteer, vocabulary)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """LOC and ORG detections; `rule` as in the modules' tables."""
        bits = self._column.gather(document.tokens.types)
        flat = is_flat(int(np.count_nonzero(bits & flags.WORDLIKE)), int(np.count_nonzero(bits & flags.MIXED)))
        if flat:
            bits = self._flat_column.gather(document.tokens.types)
        types = document.tokens.types
        reading = _Reading(document, bits.data, flat=flat)
        line = reading.line
        triggers = (bits & flags.ANY_TRIGGER).nonzero()[0].tolist()
        found = [detection for at in triggers for detection in reading.at(at) if detection is not None]
        found += practices.short_names(line, found, (bits & flags.LETTERED).nonzero()[0].tolist())
        codes = wards.code_places(self._roles.gather(types)).tolist()
        of_places = self._places.gather(types)
        places = of_places.nonzero()[0]
        alone = [wards.moved_ward(line, at) for at in codes]
        alone += [
            place_names.place(line, at, role)
            for at, role in zip(places.tolist(), of_places[places].tolist(), strict=True)
        ]
        found += [detection for detection in alone if detection is not None]
        found += self._towns.towns(line, types, flat=flat)
        units = self._units.gather(types).nonzero()[0].tolist()
        found += header_units.header_units(line, document.header_end, units)
        return _outermost(found)


class _Reading:
    """One document while its institutions are read."""

    def __init__(self, document: Document, bits: Sequence[int], *, flat: bool) -> None:
        self.line = TokenLine(document, bits, InstitutionRecogniser.kind)
        self._names = HeadNames(self.line, flat=flat)

    def at(self, at: int) -> Iterator[Detection | None]:
        """The institutions that the trigger at `at` belongs to; where they overlap, the decision takes the longer."""
        bits = self.line.bits[at]
        if bits & flags.UNIT:
            yield departments.department(self.line, at)
        if bits & flags.WARD:
            yield wards.ward(self.line, at)
        if bits & flags.SPECIALTY:
            yield departments.numbered_subject(self.line, at)
            yield self._names.subject(at)
            yield practices.sender(self.line, at)
        if bits & (flags.SPECIALTY | flags.NUMBERED):
            yield wards.ward_of_subject(self.line, at)
        if bits & flags.LETTERED:
            yield practices.letters(self.line, at)
        if bits & flags.HOSPITAL:
            yield self._names.headed(at, PhiType.HOSPITAL)
        elif bits & flags.HOUSE:
            yield self._names.house(at)
        if bits & flags.INSURER:
            yield organisations.insurer(self.line, at)
        if bits & flags.ORGANISATION:
            yield self._names.headed(at, PhiType.ORGANISATION)
        if bits & flags.KNOWN:
            yield organisations.known(self.line, at)
        if bits & flags.CLUB:
            yield organisations.club(self.line, at)
        if bits & flags.LEGAL:
            yield organisations.legal(self.line, at)
        if bits & flags.EMPLOYED:
            yield organisations.employer(self.line, at)
        if bits & flags.EMPLOYER:
            yield organisations.employer_by_name(self.line, at)
        if bits & flags.PAIRED:
            yield organisations.pair(self.line, at)
        if bits & flags.FREE_NAME:
            yield self.line.detection(at, self._names.town_behind(at + 1), PhiType.HOSPITAL, "hospital.name", 0.85)


def _outermost(found: list[Detection]) -> list[Detection]:
    """The detections that lie in no longer one, ascending; of equal ones the surest."""
    kept: list[Detection] = []
    for detection in sorted(found, key=lambda d: (d.start, -d.end, -d.score, d)):
        if not kept or detection.end > kept[-1].end:
            kept.append(detection)
    return kept
