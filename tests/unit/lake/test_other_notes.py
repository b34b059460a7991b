"""Which texts show what the patient's other notes say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from deid_core.lake.layout import Lake
from deid_core.lake.patients.matching import NotePatient, Resolved
from deid_core.lake.patients.other_notes import OutputText, published_texts, readable, terms_of_others
from deid_core.lake.states import PatientSource
from deid_core.lake.tables.lake_table import LakeTable, Tables
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.pipeline.known_terms import Term, TermKind, TermSource
from deid_core.pipeline.sweep import Sweep

NAME = Term(TermKind.NAME, "Anna Thorwald", TermSource.PATIENT)
BIRTH = Term(TermKind.BIRTH_DATE, "1950-02-01", TermSource.PATIENT)
PATIENT = {"patient_key": "p", "patient_key_id": "k", "patient_source": "id"}
TEXT = PATIENT | {"batch": "b", "tokens": 100, "fingerprint": "f", "run_id": "run", "year": 2010}
SPAN = {"year": 2010, "label": "PER", "type": "person", "recogniser": "r", "rule": "r", "score": 1.0}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Letter and short note of one patient, a note of another, a note of nobody. The letter names the patient."""
    lake = Lake.at(tmp_path / "lake")
    tables = Tables(lake)
    tables.create()
    said = [
        ("letter", "id", "4711"), ("letter", "person", "anna thorwald 1950-02-01"),
        ("letter", "name", "Anna Thorwald"), ("letter", "birth_date", "1950-02-01"),
        ("short", "id", "4711"), ("short", "birth_date", "1950-02-01"), ("other", "name", "Uwe Meier"),
    ]  # fmt: skip
    append(tables.patient_evidence, [{"note_id": n, "year": 2010, "kind": kind, "value": v} for n, kind, v in said])
    return lake


def append(table: LakeTable, rows: list[dict[str, Any]]) -> None:
    write_deltalake(str(table.path), pa.Table.from_pylist(rows, schema=table.columns), mode="append")


def resolved(**patients: str) -> Resolved:
    return Resolved({note: NotePatient(patient, PatientSource.ID) for note, patient in patients.items()}, [])


@pytest.mark.parametrize("new", ["letter", "short"])
def test_a_note_is_searched_for_what_only_others_say_whichever_is_new(lake: Lake, new: str) -> None:
    patients = resolved(letter="id 4711", short="id 4711", other="id 9")
    assert terms_of_others(lake, patients, [new]) == {"short": [NAME]}


def test_a_patient_of_one_note_and_a_note_of_nobody_have_no_others(lake: Lake) -> None:
    assert terms_of_others(lake, resolved(letter="id 4711", other="id 9"), ["letter", "other", "nobody"]) == {}


def test_a_note_that_says_nothing_is_searched_for_all(lake: Lake) -> None:
    patients = resolved(letter="id 4711", table="id 4711")
    number = Term(TermKind.NUMBER, "4711", TermSource.PATIENT)
    assert terms_of_others(lake, patients, ["table"]) == {"table": [BIRTH, NAME, number]}


def test_texts_of_the_lake_that_show_a_term(lake: Lake) -> None:
    """A name within what stands for a removed span, such as a surrogate, is not shown."""
    tables = Tables(lake)
    texts = {"shown": "<PER> und Thorwald", "hidden": "Thorwald kam", "none": "Herr <PER> kam", "absent": "Thorwald"}
    append(tables.deidentified, [TEXT | {"note_id": note, "text": text} for note, text in texts.items()])
    places = [("shown", 0, 5), ("hidden", 0, 8), ("none", 5, 10)]
    append(tables.phi_audit, [SPAN | {"note_id": n, "output_start": a, "output_end": b} for n, a, b in places])
    wanted = ["shown", "hidden", "none"]
    found = list(published_texts(lake, wanted))
    assert OutputText("shown", texts["shown"], [(0, 5)]) in found
    assert {text.note_id for text in found} == set(wanted)
    assert readable(Sweep(compile_lists({})), found, {note_id: [NAME] for note_id in wanted}) == {"shown"}
