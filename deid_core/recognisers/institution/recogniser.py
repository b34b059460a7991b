"""Recogniser `institution`: names of hospitals, practices, homes, departments, insurers, schools and employers.

It precedes recognisers of names in a pipeline's order, because "Dr. X vom Krankenhaus Y" is a person and a hospital.

head_names.py finds names around a head word. The other modules find names of other forms, each with a table of its
own: departments.py, wards.py and organisations.py. Around head words:

| text                                                      | the name is                 | rule           | score |
|---|---|---|---|
| a compound with a name: "Rheintalklinik"                  | the word and what follows   | KIND.compound  | 0.90  |
| a place or name after it: "Klinik Bergstraße"             | with what follows           | KIND.after     | 0.90  |
| "am", "zum" … and a name after it: "Klinik am Südring"    |                             | KIND.after     | 0.90  |
| a subject and a place: "Radiologie am Markt Musterstadt"  |                             | KIND.after     | 0.90  |
| "Haus" and a name: "Haus Lindenhof"                       | with its town               | hospital.house | 0.80  |
| a qualifier or name before: "Evangelisches Krankenhaus"   | with what precedes          | KIND.before    | 0.85  |
| a hospital's own abbreviation: "UKE"                      | with its town               | hospital.name  | 0.85  |

KIND is hospital or organisation. A head word alone ("unsere Klinik", "Praxis Dr. Muster") is no name, nor is one
before a common or medical word ("in der Klinik Besserung"). In a text in small letters or in capitals throughout, words
count as capitalised and a name needs further evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.institution import departments, flags, organisations, wards
from deid_core.recognisers.institution.compute_flags import institution_flags
from deid_core.recognisers.institution.head_names import HeadNames
from deid_core.text.capitals import is_flat
from deid_core.text.document import Document
from deid_core.text.token_line import TokenLine
from deid_core.text.vocabulary import Vocabulary


class InstitutionRecogniser:
    """Finds names of institutions; see the module."""

    kind = "institution"

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._word_flags, self._flags_if_flat = institution_flags(gazetteer, vocabulary)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Return LOC and ORG detections; `rule` as in the modules' tables."""
        bits = self._word_flags.gather(document.tokens.types)
        flat = is_flat(int(np.count_nonzero(bits & flags.WORD_TOKEN)), int(np.count_nonzero(bits & flags.MIXED_CASE)))
        if flat:
            bits = self._flags_if_flat(document.tokens.types)
        reader = _InstitutionReader(document, bits.data, flat=flat)
        triggers = (bits & flags.ANY_TRIGGER).nonzero()[0].tolist()
        return _outermost([detection for at in triggers for detection in reader.at(at) if detection is not None])


class _InstitutionReader:
    """Finds the institutions of one document at its trigger words."""

    def __init__(self, document: Document, bits: Sequence[int], *, flat: bool) -> None:
        self.line = TokenLine(document, bits, InstitutionRecogniser.kind)
        self._names = HeadNames(self.line, flat=flat)

    def at(self, at: int) -> Iterator[Detection | None]:
        """Yield the institutions of the trigger at `at`; they may overlap."""
        bits = self.line.bits[at]
        if bits & flags.DEPARTMENT_UNIT:
            yield departments.department(self.line, at)
        if bits & flags.WARD_WORD:
            yield wards.ward(self.line, at)
        if bits & flags.SPECIALTY:
            yield departments.numbered_subject(self.line, at)
            yield self._names.subject(at)
        if bits & (flags.SPECIALTY | flags.WARD_SUBJECT):
            yield wards.ward_of_subject(self.line, at)
        if bits & flags.HOSPITAL_HEAD:
            yield self._names.headed(at, PhiType.HOSPITAL)
        elif bits & flags.HOUSE:
            yield self._names.house(at)
        if bits & flags.INSURER:
            yield organisations.insurer(self.line, at)
        if bits & flags.ORGANISATION_HEAD:
            yield self._names.headed(at, PhiType.ORGANISATION)
        if bits & flags.ORGANISATION_NAME:
            yield organisations.named(self.line, at)
        if bits & flags.CLUB:
            yield organisations.club(self.line, at)
        if bits & flags.LEGAL_FORM:
            yield organisations.legal(self.line, at)
        if bits & flags.EMPLOYMENT:
            yield organisations.employer(self.line, at)
        if bits & flags.EMPLOYER:
            yield organisations.employer_by_name(self.line, at)
        if bits & flags.SECOND_OF_NAME:
            yield organisations.pair(self.line, at)
        if bits & flags.HOSPITAL_NAME:
            yield self.line.detection(at, self._names.town_end(at + 1), PhiType.HOSPITAL, "hospital.name", 0.85)


def _outermost(found: list[Detection]) -> list[Detection]:
    """Return the detections that no longer one contains, ascending; of equal spans the one with the highest score."""
    kept: list[Detection] = []
    for detection in sorted(found, key=lambda d: (d.start, -d.end, -d.score, d)):
        if not kept or detection.end > kept[-1].end:
            kept.append(detection)
    return kept
