"""Give the patients of a lake a new key: every patient_key changes, and with it surrogates and shifts of the outputs.

Outputs whose policy the run does not have are removed, or their rows could be joined with earlier copies. Then the key
is replaced in one step, and the tables follow it as they follow any change of patients. So after a crash any run
completes what is left. The old key is not kept.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection
from typing import NamedTuple

from deid_core.lake.layout import Lake
from deid_core.lake.notes.ids import make_patient_key
from deid_core.lake.runs.context import Run
from deid_core.lake.tables import delta_reader


class RekeyForecast(NamedTuple):
    """How many patients and notes get another patient_key, and how many texts each output has.

    made_again: outputs whose policy the run has. removed: the others.
    """

    patients: int
    notes: int
    made_again: dict[str, int]
    removed: dict[str, int]

    @staticmethod
    def of_lake(lake: Lake, policies: Collection[str]) -> RekeyForecast:
        """Return what a lake has. policies: those that the run has."""
        keys = delta_reader.read(lake.deidentified, ["patient_key"])["patient_key"].to_pylist()
        texts = {name: len(delta_reader.read(lake.output(name), ["note_id"])["note_id"]) for name in lake.outputs()}
        return RekeyForecast(
            len(set(keys)),
            len(keys),
            {name: count for name, count in texts.items() if name in policies},
            {name: count for name, count in texts.items() if name not in policies},
        )


def rekey(run: Run) -> None:
    """Replace the key of patients. `matching.update` and `make_outputs` do the rest."""
    found = RekeyForecast.of_lake(run.lake, [redactor.policy.name for redactor in run.inputs.outputs])
    run.describe("rekey", "replacing the key of patients", patients=found.patients, notes=found.notes)
    run.counts.update({"rekeyed.patients": found.patients, "rekeyed.notes": found.notes})
    for policy in found.removed:
        run.log.event("rekey", f"removing the output of policy {policy}, which the run does not have")
        shutil.rmtree(run.lake.output(policy))
    run.ids = make_patient_key(run.lake)
