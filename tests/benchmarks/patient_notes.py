"""Synthetic notes of patients with several notes each, and whose notes they are, for patients.py."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import tee

from deid_core import Deidentifier
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.core.word_lists import word_list, word_set
from deid_core.lab.evaluate.significance import wilson
from deid_core.lab.synthetic.generate import iter_notes, patient_of
from deid_core.lake.notes.ids import NoteIds
from deid_core.lake.patients.matching import resolve
from deid_core.policies.normal_form import name_key
from deid_core.policies.patient_evidence import evidence_of
from deid_core.policies.redaction import Redactor

SPLIT = "test"
STAYING = {name_key(word) for word in word_set("names/particles") | set(word_list("policies/nobility"))}
WORD = re.compile(r"[^\W\d_]+['’]?")


@dataclass
class MeasuredNote:
    """A note with its gold spans, those that are replaced, and the patient_key that a lake gives it."""

    patient: int
    note: Note
    gold: tuple[GoldSpan, ...]
    found: tuple[Span, ...]
    patient_key: str = ""

    def output(self, redactor: Redactor) -> tuple[str, dict[tuple[int, int], str]]:
        """Return the text after a policy, and what stands for each span, by its place in the note."""
        done = redactor.redact(self.note.text, self.found, note_id=self.note.note_id, patient=self.patient_key)
        places = ((span.start, span.end) for span in self.found)
        return done.text, {at: done.text[a:b] for at, (a, b) in zip(places, done.outputs, strict=True)}


def measured_notes(patients: int, per_patient: int, seed: int, *, gold: bool) -> list[MeasuredNote]:
    """Generate the notes and find spans."""
    made, again = tee(iter_notes(patients * per_patient, seed=seed, split=SPLIT, notes_per_patient=per_patient))
    if gold:
        spans = (tuple(Span(g.start, g.end, g.label, g.type, "gold", "gold") for g in item.gold) for item in again)
    else:
        spans = (result.spans for result in Deidentifier.load("default").pipe(item.note for item in again))
    return [
        MeasuredNote(patient_of(number, per_patient), item.note, item.gold, found)
        for number, (item, found) in enumerate(zip(made, spans, strict=True))
    ]


def set_patient_keys(notes: list[MeasuredNote], *, with_table: bool) -> Counter[str]:
    """Decide whose notes they are, as a lake does. Return how many notes stand alone, by reason."""
    evidence = {note.note.note_id: evidence_of(note.note.text, note.found) for note in notes}
    resolved = resolve(evidence, {note.note.note_id: {str(note.patient)} for note in notes} if with_table else {})
    ids = NoteIds(b"a key of a measurement alone 123")
    for note in notes:
        note.patient_key = ids.patient_key(resolved.patient_of(note.note.note_id).identity)
    reasons = Counter(str(reason) for _, reason in {(found.note_id, found.reason) for found in resolved.conflicts})
    alone = sum(resolved.patient_of(note_id).source == "note" for note_id in evidence)
    return reasons + Counter({"no_evidence": alone - reasons.total()})


def percent(count: int, total: int) -> str:
    """Return a share with its 95 % interval (Wilson)."""
    low, high = wilson(count, total)
    return f"{count / total:.4f} ({low:.4f} to {high:.4f}) of {total:,}"
