"""Withdraw patients: remove their notes from the lake, and keep them out of it.

A note goes if it is of a withdrawn patient, or if it says an id or a name with birth date of one. The latter holds for
a letter about two patients as well: when in doubt, a note goes.

restricted/withdrawn_patients lists keyed hashes (aliases) of what tells such a patient: ids, names with birth dates,
and the ids of the notes. The list is committed first and as a whole, so that after a crash any run knows all that is
still to be removed. Files are left unread by their path, and by their bytes under another path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import NamedTuple

from deid_core.core.errors import ConfigurationError
from deid_core.lake.layout import Lake
from deid_core.lake.notes import ledger
from deid_core.lake.notes.ids import NoteIds
from deid_core.lake.notes.ledger import LedgerRow
from deid_core.lake.notes.reviews import forget_reviews
from deid_core.lake.patients.matching import PatientKeys, Resolved
from deid_core.lake.runs import note_removal
from deid_core.lake.runs.context import Run
from deid_core.lake.states import PatientSource, State
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables
from deid_core.policies.patient_evidence import EvidenceKind, PatientEvidence, id_key

_IDENTITY = {EvidenceKind.ID: "id", EvidenceKind.PERSON: "name", EvidenceKind.SOURCE: "id"}


class PatientChoice(NamedTuple):
    """A patient, by id or by the column patient_key; the other is None."""

    patient: str | None
    patient_key: str | None


class Withdrawal(NamedTuple):
    """What is to be removed and listed.

    rows: ledger rows of the notes, those of deleted files with the same bytes included. own: the notes of the patients
    themselves. aliases: new ones for the list. patient_key: of the chosen patient, None without a choice.
    """

    rows: list[LedgerRow]
    own: frozenset[str]
    aliases: frozenset[str]
    patient_key: str | None

    @property
    def note_ids(self) -> frozenset[str]:
        """The notes to be removed."""
        return frozenset(row.note_id for row in self.rows)

    def counts(self, lake: Lake) -> Counter[str]:
        """Return notes, those of others than the patients, and by table rows that are removed; no zeros."""
        present = [row for row in self.rows if row.state != State.DELETED]
        found = Counter({"withdrawn": len(present)})
        found["withdrawn.others"] = sum(row.note_id not in self.own for row in present)
        found["withdrawn.restricted/notes"] = sum(row.batch is not None for row in present)
        if self.rows:
            for table in Tables(lake).of_notes():
                found[f"withdrawn.{table.name}"] = table.count_rows(self.note_ids)
        return +found


def plan_withdrawal(lake: Lake, ids: NoteIds, keys: PatientKeys, choice: PatientChoice | None = None) -> Withdrawal:
    """Return what is to be removed for the patients that are listed already, and for a chosen one. Changes nothing.

    Raises ConfigurationError if no note has the chosen patient_key and no withdrawn patient had it.
    """
    listed = delta_reader.distinct(lake.withdrawn_patients, "alias")
    if not listed and choice is None:
        return Withdrawal([], frozenset(), frozenset(), None)
    known = ledger.read_ledger(lake)
    present = {note_id: row for note_id, row in known.items() if row.state in (State.CONVERTED, State.QUARANTINED)}
    alias = cache(ids.alias)
    aliases, patient_key = set(listed), None
    if choice is not None:
        identity, patient_key = _chosen(lake, keys, present, choice)
        aliases |= {alias(identity)} if identity else set()
    own, others, aliases = notes_to_withdraw(present, keys.evidence, keys.resolved, aliases, alias)
    rows = [known[note_id] for note_id in sorted(own | others)]
    rows += _deleted_copies(rows, known)
    return Withdrawal(rows, frozenset(own), frozenset(aliases) - listed, patient_key)


def notes_to_withdraw(
    note_ids: Collection[str],
    evidence: Mapping[str, Collection[PatientEvidence]],
    resolved: Resolved,
    aliases: Collection[str],
    alias: Callable[[str], str],
) -> tuple[set[str], set[str], set[str]]:
    """Return the notes of listed patients, the other notes that say something of them, and the list with new aliases.

    note_ids: the notes that are there. aliases: the list. alias: its keyed hash.
    """
    identities = {note_id: resolved.patient_of(note_id).identity for note_id in note_ids}
    listed, size = set(aliases), -1
    while size < len(listed):
        # What the notes of a patient say of it may tell further notes of it.
        size = len(listed)
        own = {note_id for note_id, identity in identities.items() if alias(identity) in listed}
        for note_id in own:
            if resolved.patient_of(note_id).source is not PatientSource.NOTE:
                listed |= {alias(identity) for identity in _told(evidence.get(note_id, ()))}
    others = {note_id for note_id in identities.keys() - own if alias(f"note {note_id}") in listed}
    for note_id in identities.keys() - own - others:
        if any(alias(_identity(item)) in listed for item in evidence.get(note_id, ())):
            others.add(note_id)
    # What the notes say is removed with them: after a crash, their ids tell that they are still to go.
    return own, others, listed | {alias(f"note {note_id}") for note_id in own | others}


def withdraw_patients(run: Run, choice: PatientChoice | None = None) -> None:
    """Remove the notes of the patients that are listed, and of a chosen one, from the lake. May be repeated.

    Raises ConfigurationError as `plan_withdrawal`, before anything is changed.
    """
    if choice is None and not delta_reader.distinct(run.lake.withdrawn_patients, "alias"):
        return
    found = plan_withdrawal(run.lake, run.ids, PatientKeys.from_run(run), choice)
    if found.aliases:
        run.describe("withdraw", "listing what tells a withdrawn patient", aliases=len(found.aliases))
        rows = [(found.patient_key, alias, run.run_id) for alias in sorted(found.aliases)]
        table = run.tables.withdrawn_patients
        table.add(*(dict(zip(table.columns.names, row, strict=True)) for row in rows))
    if choice is not None:
        run.log.event("withdraw", "the patient is listed: if this is interrupted now, any later run completes it")
    run.counts.update(found.counts(run.lake))
    if found.rows:
        note_removal.remove_from_tables(run, "withdraw", found.note_ids)
        forget_reviews(run.lake, found.note_ids)
        note_removal.erase_raw(run, "withdraw", found.rows)
        run.write_ledger(row.withdrawn(run.ids.file_key(row.sha256), run_id=run.run_id) for row in found.rows)
        note_removal.remove_unnamed_batches(run.lake)


def _chosen(lake: Lake, keys: PatientKeys, note_ids: Collection[str], choice: PatientChoice) -> tuple[str | None, str]:
    """Return identity and key of the chosen patient; the identity is None if a crashed run has listed it."""
    if choice.patient is not None:
        if not (patient := id_key(choice.patient)):
            raise ConfigurationError("--patient: has neither letters nor digits")
        return f"id {patient}", keys.key_of(f"id {patient}")
    key = choice.patient_key or ""
    for identity in sorted({keys.resolved.patient_of(note_id).identity for note_id in note_ids}):
        if keys.key_of(identity) == key:
            return identity, key
    if key in delta_reader.distinct(lake.withdrawn_patients, "patient_key"):
        return None, key
    raise ConfigurationError("--patient-key: no note of the lake has this patient_key; see clean/deidentified")


def _told(said: Collection[PatientEvidence]) -> set[str]:
    """Return the identities that a patient's note tells of it: none of a kind of which the note says several."""
    times = Counter(item.kind for item in said)
    return {_identity(item) for item in said if times[item.kind] == 1}


def _identity(item: PatientEvidence) -> str:
    return f"{_IDENTITY[item.kind]} {item.value}"


def _deleted_copies(rows: list[LedgerRow], known: Mapping[str, LedgerRow]) -> list[LedgerRow]:
    """Return the rows of deleted files with the same bytes: earlier paths of these files, which hold names too."""
    contents = {row.sha256 for row in rows} - {""}
    return [row for row in known.values() if row.state == State.DELETED and row.sha256 in contents]
