"""Whose note it is: as the hospital's table or the source says, else the note's patient id, else name and birth date.

`resolve` depends on all notes of the lake together and on nothing else, so the order in which they came does not
matter. Nothing is guessed: where the evidence contradicts itself, the note stands alone and is listed in
restricted/patient_conflicts. A note's patient may change with what later notes say; `update` brings the columns of
clean/deidentified up to that.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from functools import cache
from itertools import permutations
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from deid_core.lake.checks import integrity
from deid_core.lake.inputs.patient_table import PatientTable
from deid_core.lake.layout import Lake
from deid_core.lake.notes import ledger
from deid_core.lake.notes.ids import NoteIds
from deid_core.lake.runs.context import Run
from deid_core.lake.states import PatientSource
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables
from deid_core.policies.names.name_bases import misspelt_name
from deid_core.policies.names.name_parts import is_listed_name
from deid_core.policies.patient_evidence import IDENTIFYING, PATIENT_IDS, EvidenceKind, PatientEvidence

PATIENT_COLUMNS = ("patient_key", "patient_key_id", "patient_source")
"""What clean/deidentified and the outputs say of a note's patient."""
_DIGITS_OF_MONTH_AND_DAY = slice(4, 6), slice(6, 8)


class Conflict(StrEnum):
    """Why a note stands alone although something tells its patient."""

    TABLE = "two_patients_in_table"
    IDS = "two_ids"
    PERSONS = "two_persons"
    """Two names with birth dates, as a patient's and a relative's."""
    IDS_OF_PERSON = "two_ids_of_person"
    """Other notes give the same name and birth date two patient ids."""
    BIRTH_DATES = "close_birth_dates"
    """Other notes have the same name with a birth date that may be the same one, mistyped."""
    NAMES = "close_names"
    """More other notes, or as many, have the same birth date with a name that may be the same one, mistyped."""


class PatientConflict(NamedTuple):
    """A note that could be of one of several patients; a row of restricted/patient_conflicts for each candidate."""

    note_id: str
    reason: Conflict
    candidate: str


class NotePatient(NamedTuple):
    """Whose note it is. identity: equal for the notes of a patient, and for no others."""

    identity: str
    source: PatientSource


class Resolved(NamedTuple):
    """The patients of the notes that say something about theirs, and the conflicts, sorted."""

    patients: Mapping[str, NotePatient]
    conflicts: list[PatientConflict]

    def patient_of(self, note_id: str) -> NotePatient:
        """Return the note's patient; the note itself if that is not known."""
        return self.patients.get(note_id) or NotePatient(f"note {note_id}", PatientSource.NOTE)


def resolve(evidence: Mapping[str, Collection[PatientEvidence]], table: Mapping[str, Collection[str]]) -> Resolved:
    """Return whose notes they are.

    evidence: what each note says, by note_id. table: the patient ids that the hospital's table gives a note.
    """
    patients: dict[str, NotePatient] = {}
    conflicts: list[PatientConflict] = []
    by_name: dict[str, str] = {}
    """Notes that only a name tells of."""
    ids_of: defaultdict[str, set[str]] = defaultdict(set)
    told: Counter[str] = Counter()
    """How many notes tell a person."""
    for note_id in sorted(evidence.keys() | table.keys()):
        said = evidence.get(note_id, ())
        ids = {item.value for item in said if item.kind == EvidenceKind.ID}
        persons = {item.value for item in said if item.kind == EvidenceKind.PERSON}
        in_table = {*table.get(note_id, ()), *(item.value for item in said if item.kind == EvidenceKind.SOURCE)}
        if in_table or ids:
            source, reason = (PatientSource.TABLE, Conflict.TABLE) if in_table else (PatientSource.ID, Conflict.IDS)
            found = in_table or ids
            if len(found) == 1:
                [patient] = found
                patients[note_id] = NotePatient(f"id {patient}", source)
                if len(persons) == 1:
                    ids_of[next(iter(persons))].add(f"id {patient}")
                    told.update(persons)
            else:
                conflicts += [PatientConflict(note_id, reason, value) for value in found]
        elif len(persons) == 1:
            [by_name[note_id]] = persons
            told.update(persons)
        else:
            conflicts += [PatientConflict(note_id, Conflict.PERSONS, value) for value in persons]
    close_births, close_names = _close_births({*by_name.values(), *ids_of}), _close_names(told)
    for note_id, person in by_name.items():
        own = ids_of.get(person) or {f"name {person}"}
        births, names = (
            own.union(*(ids_of.get(other) or {f"name {other}"} for other in close.get(person, ())))
            for close in (close_births, close_names)
        )
        candidates = births | names
        if len(candidates) == 1:
            patients[note_id] = NotePatient(next(iter(candidates)), PatientSource.NAME)
        else:
            reason = Conflict.BIRTH_DATES if len(births) > 1 else Conflict.NAMES
            reason = Conflict.IDS_OF_PERSON if len(own) > 1 else reason
            conflicts += [PatientConflict(note_id, reason, value.partition(" ")[2]) for value in candidates]
    return Resolved(patients, sorted(conflicts))


def _close_births(persons: Collection[str]) -> dict[str, set[str]]:
    """Return for each person those of the same name with a birth date that may be a typing error of theirs."""
    births: defaultdict[str, list[str]] = defaultdict(list)
    for person in sorted(persons):
        name, _, birth = person.rpartition(" ")
        births[name].append(birth)
    close: defaultdict[str, set[str]] = defaultdict(set)
    for name, dates in births.items():
        for number, one in enumerate(dates):
            for other in dates[number + 1 :]:
                if are_close(one, other):
                    close[f"{name} {one}"].add(f"{name} {other}")
                    close[f"{name} {other}"].add(f"{name} {one}")
    return close


def _close_names(told: Counter[str]) -> dict[str, set[str]]:
    """Return for each person those whose name differs by a typing error and who have the same birth date.

    The rarer spelling is the error, so the other one has no entry. Two surnames or given names of the lists are two
    names: Meyer and Mayer.
    """
    alike: defaultdict[tuple[object, ...], list[tuple[str, str]]] = defaultdict(list)
    for person in sorted(told):
        *names, birth = person.split(" ")
        for number, name in enumerate(names):
            alike[birth, number, *names[:number], *names[number + 1 :]].append((name, person))
    close: defaultdict[str, set[str]] = defaultdict(set)
    for group in alike.values():
        for (name, person), (other_name, other) in permutations(group, 2):
            if told[person] <= told[other] and not (is_listed_name(name) and is_listed_name(other_name)):
                if misspelt_name(name, [other_name]):
                    close[person].add(other)
    return close


def are_close(one: str, other: str) -> bool:
    """Return whether two dates (ISO) differ in one digit, by two neighbouring digits, or by day and month exchanged."""
    one, other = one.replace("-", ""), other.replace("-", "")
    differing = [place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(differing) <= 1:
        return True
    first, second, *more = differing
    if not more and second == first + 1 and one[first : second + 1] == other[second] + other[first]:
        return True
    month, day = _DIGITS_OF_MONTH_AND_DAY
    return one[:4] == other[:4] and (one[month], one[day]) == (other[day], other[month])


class PatientKeys:
    """The patients of the lake's notes, as all evidence of the lake has them now."""

    def __init__(self, lake: Lake, ids: NoteIds, patient_table: PatientTable | None) -> None:
        evidence: defaultdict[str, list[PatientEvidence]] = defaultdict(list)
        identifying = pc.field("kind").isin([kind.value for kind in IDENTIFYING])
        columns = ("note_id", "kind", "value")
        for note_id, kind, value in delta_reader.rows(lake.patient_evidence, columns, where=identifying):
            evidence[note_id].append(PatientEvidence(EvidenceKind(kind), value))
        table: dict[str, Collection[str]] = {}
        if patient_table is not None:
            for note_id, path in ledger.paths(lake).items():
                if found := patient_table.patients_of(path):
                    table[note_id] = found
        self.evidence: Mapping[str, Collection[PatientEvidence]] = evidence
        self._table = table
        self.resolved = resolve(evidence, table)
        self.key_of = cache(ids.patient_key)
        self._key_id = ids.patient_key_id

    @staticmethod
    def from_run(run: Run) -> PatientKeys:
        """Return those of the run's lake: the same ones until what they are made from changes."""
        table, lake = run.inputs.patient_table, run.lake
        read = (lake.patient_evidence,) if table is None else (lake.patient_evidence, lake.ledger)
        made_from = (run.ids.patient_key_id, *map(delta_reader.version, read))
        if run.patient_keys is None or run.patient_keys[0] != made_from:
            # Frees the memory of the former ones first.
            run.patient_keys = None
            run.patient_keys = made_from, PatientKeys(lake, run.ids, table)
        keys: PatientKeys = run.patient_keys[1]
        return keys

    def patient_ids(self, note_id: str, *, with_text: bool = True) -> frozenset[str]:
        """Return the ids that the hospital's table gives a note, and with its text those that note and source say."""
        said = self.evidence.get(note_id, ()) if with_text else ()
        return frozenset(self._table.get(note_id, ())).union(i.value for i in said if i.kind in PATIENT_IDS)

    def columns(self, note_ids: Collection[str]) -> pa.Table:
        """Return note_id and PATIENT_COLUMNS of these notes, in their order."""
        found = [self.resolved.patient_of(note_id) for note_id in note_ids]
        keys, sources = [self.key_of(patient.identity) for patient in found], [patient.source for patient in found]
        columns = (list(note_ids), keys, [self._key_id] * len(found), sources)
        return pa.table([pa.array(column, pa.string()) for column in columns], ["note_id", *PATIENT_COLUMNS])


class Outdated(NamedTuple):
    """The patients as they are now, and by year the notes of which clean/deidentified says something else."""

    keys: PatientKeys
    notes: Mapping[int, Collection[str]]

    @property
    def note_ids(self) -> set[str]:
        """The notes that differ."""
        return {note_id for of_year in self.notes.values() for note_id in of_year}


def outdated(run: Run) -> Outdated:
    """Compare PATIENT_COLUMNS of clean/deidentified with evidence and key."""
    keys = PatientKeys.from_run(run)
    rows = delta_reader.read(run.lake.deidentified, ["note_id", "year", *PATIENT_COLUMNS])
    note_ids, years = rows["note_id"].to_pylist(), rows["year"].to_pylist()
    wanted = keys.columns(note_ids)
    old, new = (zip(*(table[name].to_pylist() for name in PATIENT_COLUMNS), strict=True) for table in (rows, wanted))
    notes: defaultdict[int, list[str]] = defaultdict(list)
    for note_id, year, before, after in zip(note_ids, years, old, new, strict=True):
        if before != after:
            notes[year].append(note_id)
    return Outdated(keys, notes)


def update(run: Run, found: Outdated | None = None) -> None:
    """Bring PATIENT_COLUMNS of clean/deidentified up to evidence and key, and list the conflicts.

    found: what `outdated` returns now, if it is known.
    """
    tables = Tables(run.lake)
    keys, notes = outdated(run) if found is None else found

    def columns(batch: pa.RecordBatch) -> Mapping[str, pa.Array]:
        made = keys.columns(batch["note_id"].to_pylist())
        return {name: made[name].combine_chunks() for name in PATIENT_COLUMNS}

    if notes:
        run.describe("patients", "writing the patients of notes that have changed", years=len(notes))
    for year in sorted(notes):
        integrity.check_years(run.lake, tables.deidentified, [year])
        run.tables.deidentified.map_columns(year, columns)
    _list_conflicts(run, tables, keys.resolved.conflicts)


def tell_conflicts(run: Run) -> None:
    """Log the number of notes of each conflict that is listed."""
    _tell(run, delta_reader.rows(run.lake.patient_conflicts, ["note_id", "reason"]))


def _tell(run: Run, conflicts: Iterable[tuple[str, ...]]) -> Counter[str]:
    counts = Counter(reason for _, reason in set(conflicts))
    if counts:
        message = "notes whose patient is not certain, see restricted/patient_conflicts"
        run.log.event("patients", message, **{str(reason): count for reason, count in sorted(counts.items())})
    return counts


def _list_conflicts(run: Run, tables: Tables, conflicts: list[PatientConflict]) -> None:
    table = tables.patient_conflicts
    counts = _tell(run, ((conflict.note_id, conflict.reason) for conflict in conflicts))
    if sorted(delta_reader.rows(table.path, table.columns.names)) != conflicts:
        run.describe("patients", "listing conflicts", notes=counts.total())
        rows = pa.Table.from_pylist([conflict._asdict() for conflict in conflicts], table.columns)
        run.tables.patient_conflicts.overwrite(rows, {})
