"""The sweep over a patient's other notes: which texts still show what another note says of the patient.

A note's patient is known only when all notes have been read, so the engine cannot look for this. A run does it for each
batch of notes, before their texts are written: it searches them, and all earlier texts of their patients, for ids,
names and birth dates that the patient's other notes say. So whichever note comes last, and wherever a run crashes, no
text exists that was not searched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from deid_core.lake.layout import Lake
from deid_core.lake.patients.matching import Resolved
from deid_core.lake.tables import delta_reader, task_schemas
from deid_core.pipeline.known_terms import Term, Terms, evidence_terms
from deid_core.pipeline.sweep import Sweep
from deid_core.policies.patient_evidence import EvidenceKind, PatientEvidence

_ROWS = 2_000
"""Texts that are in memory at once, some 10 MB."""


class OutputText(NamedTuple):
    """A redacted text, and (start, end) in it of what stands for the removed spans, ascending."""

    note_id: str
    text: str
    outputs: Sequence[tuple[int, int]]


def terms_of_others(lake: Lake, resolved: Resolved, note_ids: Collection[str]) -> dict[str, list[Term]]:
    """Return for all notes of these notes' patients what other notes of the patient say and the note itself does not.

    Notes without such terms are left out.
    """
    wanted = {resolved.patients[note_id].identity for note_id in note_ids if note_id in resolved.patients}
    members: defaultdict[str, list[str]] = defaultdict(list)
    for note_id, patient in resolved.patients.items():
        if patient.identity in wanted:
            members[patient.identity].append(note_id)
    groups = [group for group in members.values() if len(group) > 1]
    said = _said(lake, {note_id for group in groups for note_id in group})
    found: dict[str, list[Term]] = {}
    for group in groups:
        everything = {_key(term): term for note_id in group for term in said[note_id]}
        for note_id in group:
            own = {_key(term) for term in said[note_id]}
            if others := sorted(term for key, term in everything.items() if key not in own):
                found[note_id] = others
    return found


def readable(sweep: Sweep, texts: Iterable[OutputText], terms: Terms) -> set[str]:
    """Return the notes whose text shows one of their terms."""
    return {text.note_id for text in texts if sweep.is_readable(text.text, text.outputs, terms[text.note_id])}


def staged_texts(staged: Path, note_ids: Collection[str]) -> Iterator[OutputText]:
    """Yield the texts of these notes from rows of task_schemas.REDACTED; none of a note on which the engine failed."""
    rows = ds.dataset(staged, format="parquet", schema=task_schemas.REDACTED)
    where = pc.field("note_id").isin(_strings(note_ids)) & pc.field("reason").is_null()
    for batch in rows.scanner(columns=["note_id", "text", "spans"], filter=where, batch_size=_ROWS).to_batches():
        for row in batch.to_pylist():
            places = sorted((span["output_start"], span["output_end"]) for span in row["spans"])
            yield OutputText(row["note_id"], row["text"], places)


def published_texts(lake: Lake, note_ids: Collection[str]) -> Iterator[OutputText]:
    """Yield the texts of these notes from clean/deidentified, as far as it has them."""
    if not note_ids or not delta_reader.exists(lake.deidentified):
        return
    wanted = pc.field("note_id").isin(_strings(note_ids))
    years = pc.unique(delta_reader.read(lake.deidentified, ["year"], where=wanted)["year"])
    for year in sorted(years.to_pylist()):
        of_year = wanted & (pc.field("year") == year)
        places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        columns = ("note_id", "output_start", "output_end")
        for note_id, start, end in delta_reader.rows(lake.phi_audit, columns, where=of_year):
            places[note_id].append((start, end))
        with delta_reader.damage_named(lake.deidentified):
            for batch in delta_reader.stream(lake.deidentified, ["note_id", "text"], where=of_year):
                for row in batch.to_pylist():
                    yield OutputText(row["note_id"], row["text"], sorted(places[row["note_id"]]))


def _said(lake: Lake, note_ids: Collection[str]) -> defaultdict[str, set[Term]]:
    """Return what each note says of its patient."""
    where = pc.field("note_id").isin(_strings(note_ids)) & (pc.field("kind") != EvidenceKind.PERSON.value)
    said: defaultdict[str, set[Term]] = defaultdict(set)
    for note_id, kind, value in delta_reader.rows(lake.patient_evidence, ("note_id", "kind", "value"), where=where):
        said[note_id] |= evidence_terms([PatientEvidence(EvidenceKind(kind), value)])
    return said


def _key(term: Term) -> tuple[str, str]:
    return term.kind, " ".join(sorted(term.text.casefold().replace(",", " ").split()))


def _strings(values: Collection[str]) -> pa.Array:
    return pa.array(sorted(values), pa.string())
