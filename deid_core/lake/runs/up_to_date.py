"""Whether the second stage has nothing to do, told by the states of the tables: they are not read for it.

The latest commit of restricted/patient_conflicts carries what the tables of notes were made from when a run had brought
all of them up to date. To find that out by comparison takes seconds, and grows with the lake.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deid_core.core.version import __version__
from deid_core.lake.runs.context import Run
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables


def is_up_to_date(run: Run, *, retry: bool = False) -> bool:
    """Return whether every note has its text and its patient, and no note that failed is to be tried again.

    retry: as of a run. With a table of identities it is not known: which notes it changes is seen by comparison.
    """
    if run.inputs.identities is not None or not is_recorded(run):
        return False
    failed = (row for row in run.known_notes().values() if row.state == State.QUARANTINED and row.batch is not None)
    return not any(retry or row.retries_itself(run.started) for row in failed)


@contextmanager
def kept(run: Run) -> Iterator[None]:
    """If the tables are up to date before the block, write down that they are after it.

    For steps after which no other note waits: merging of files, other keys.
    """
    was_recorded = is_recorded(run)
    yield
    if was_recorded:
        record(run)


def record(run: Run) -> None:
    """Write down that the tables are up to date as they are now. Changes no row.

    With a table of identities nothing is written down: without it the next run makes other texts.
    """
    if run.inputs.identities is None and not is_recorded(run):
        table = run.tables.patient_conflicts
        listed = delta_reader.read(table.path, table.columns.names)
        table.overwrite(listed, {"made_from": _made_from(run)})


def is_recorded(run: Run) -> bool:
    """Return whether a run of this pipeline wrote down that the tables were up to date, and they are the same now."""
    return bool(delta_reader.commit_metadata(run.lake.patient_conflicts).get("made_from") == _made_from(run))


def _made_from(run: Run) -> dict[str, Any]:
    lake, patients = run.lake, run.inputs.patient_table
    tables = Tables(lake)
    # The outputs of policies are compared with the texts in any case.
    of_notes = [table.path for table in tables.of_notes() if table not in tables.outputs]
    named = (lake.ledger, lake.withdrawn_patients, *of_notes)
    return {
        "tables": {path.name: delta_reader.state(path) for path in named},
        "fingerprint": run.fingerprint,
        "key": run.ids.patient_key_id,
        # Keyed, since a table may be so small that its hash could be guessed.
        "patients": run.ids.id_of(patients.digest) if patients else None,
        "program": __version__,
    }
