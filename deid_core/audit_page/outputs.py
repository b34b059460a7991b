"""The outputs of a lake: texts of other policies, and which of them are missing."""

from __future__ import annotations

from typing import Any

from deid_core.lake.layout import Lake
from deid_core.lake.outputs.policy_texts import lacking
from deid_core.lake.tables import delta_reader


def output_rows(lake: Lake) -> list[dict[str, Any]]:
    """Return a row for each output.

    waiting: notes that the next run makes a text of. failed: notes on which an operator failed. unparsed: spans that an
    operator could not read and that became placeholders, the sum of all runs.
    """
    counts = [dict(of_run) for of_run in delta_reader.read(lake.runs, ["counts"])["counts"].to_pylist()]
    rows = []
    for policy in lake.outputs():
        waiting, failed = lacking(lake, policy)
        made = len(delta_reader.read(lake.output(policy), ["note_id"]))
        unparsed = sum(of_run.get(f"unparsed.{policy}", 0) for of_run in counts)
        rows.append({"policy": policy, "texts": made, "unparsed": unparsed, "failed": failed, "waiting": waiting})
    return rows
