"""Notes become those of one patient without a new note: their texts are searched before the tables say so."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from deid_core.lake.layout import Lake
from deid_core.lake.patients import matching
from deid_core.lake.patients.matching import NotePatient, Outdated, Resolved
from deid_core.lake.states import PatientSource
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.spark import deidentify_notes
from deid_core.spark.spark_run import SparkRun

TEXT = {"year": 2010, "batch": "b", "tokens": 9, "fingerprint": "f", "run_id": "r"}
TEXT |= {"patient_key": "p", "patient_key_id": "k", "patient_source": "note"}


class _Run:
    """As much of a run as removing notes needs."""

    def __init__(self, lake: Lake, *, sweep: bool) -> None:
        pipeline = SimpleNamespace(sweep=sweep, kinds=("letterhead",), keep=(), lists=SimpleNamespace(never=()))
        self.lake, self.spec = lake, SimpleNamespace(pipeline=pipeline, gazetteer=compile_lists({}))
        self.tables = Tables(lake)
        self.tables.create()

        self.stages: set[str] = set()

    def describe(self, stage: str, *args: object, **numbers: object) -> None:
        """Keep the stage alone."""
        self.stages.add(stage)


def outdated(note_ids: Collection[str]) -> Outdated:
    of_one = {note_id: NotePatient("id 4711", PatientSource.TABLE) for note_id in ("letter", "short")}
    keys = SimpleNamespace(resolved=Resolved(of_one, []))
    return Outdated(cast(Any, keys), {2010: note_ids} if note_ids else {})


@pytest.mark.parametrize(("sweep", "left"), [(True, {"letter"}), (False, {"letter", "short"})])
def test_a_text_that_shows_what_another_says_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sweep: bool, left: set[str]
) -> None:
    run = _Run(Lake.at(tmp_path / "lake"), sweep=sweep)
    texts = {"letter": "Frau <PER> kam", "short": "Thorwald klagt"}
    rows = [TEXT | {"note_id": note_id, "text": text} for note_id, text in texts.items()]
    append(run.tables.deidentified, rows)
    said = {"note_id": "letter", "year": 2010, "kind": "name", "value": "Anna Thorwald"}
    append(run.tables.patient_evidence, [said])
    seen: list[set[str]] = []

    def note_ids() -> set[str]:
        return set(delta_reader.read(run.lake.deidentified, ["note_id"])["note_id"].to_pylist())

    monkeypatch.setattr(deidentify_notes, "deidentify_notes", lambda run: seen.append(note_ids()))
    monkeypatch.setattr(matching, "outdated", lambda run: outdated({"short"}))
    monkeypatch.setattr(matching, "update", lambda run, found: seen.append(note_ids()))
    deidentify_notes.bring_patients_up(cast(SparkRun, run))
    # The engine, if it has work, comes before the columns of the patients.
    assert seen == [left] * (2 if sweep else 1)
    # No patient was withdrawn.
    assert run.stages == ({"sweep"} if sweep else set())


def append(table: Any, rows: list[dict[str, Any]]) -> None:
    write_deltalake(str(table.path), pa.Table.from_pylist(rows, schema=table.columns), mode="append")
