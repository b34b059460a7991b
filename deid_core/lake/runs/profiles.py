"""The notes of each run by bin, in clean/run_profiles, and their comparison with those of the runs before.

Only runs of the same pipeline fingerprint are compared. A run with few notes has no row: its counts would say something
of single notes. One that made most of the lake's notes has none either: a first run over the archive is no usual night.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deid_core.lake.checks.drift import NIGHTS, WEEK, NightComparison, alarms, look_for_drift
from deid_core.lake.checks.night_profile import BOUNDS, Counts, Key, Profile
from deid_core.lake.layout import Lake
from deid_core.lake.runs.context import Run
from deid_core.lake.tables import delta_reader

FEWEST_NOTES = 20
"""A run with fewer notes has no row, and is not compared."""
LARGEST_SHARE = 0.5
"""Nor has a run that made more of the lake's notes."""
DRIFT_ALARMS, DRIFT_NIGHTS = "drift.alarms", "drift.nights"
"""Keys of a run's counts: shares that give an alarm, and earlier runs compared with. Missing if the run is not."""


class LastComparison(NamedTuple):
    """The last run that has rows, and what differs from the runs before; [] if these are too few."""

    run_id: str
    comparisons: list[NightComparison]


def record_night(run: Run) -> None:
    """Compare the notes that this run made with those of earlier runs, log and count what differs, and add its rows."""
    notes = run.night.notes
    if notes + run.night.refused.total() < FEWEST_NOTES:
        return
    if notes > LARGEST_SHARE * len(delta_reader.read(run.lake.deidentified, ["year"])):
        return
    profile = run.night.profile()
    comparisons = look_for_drift([*_profiles(run.lake, run.fingerprint).values(), profile])
    if comparisons:
        run.drift = alarms(comparisons)
        run.counts[DRIFT_NIGHTS] = max(comparison.nights for comparison in comparisons)
        run.counts[DRIFT_ALARMS] = len(run.drift)
    for shift in run.drift:
        run.log.warn("drift", f"the notes differ from those of earlier runs: {shift}")
    run.tables.run_profiles.add(
        *(
            {
                "run_id": run.run_id,
                "measure": measure,
                "value": value,
                "bounds": BOUNDS[measure].tolist(),
                "notes": counts.tolist(),
            }
            for (measure, value), counts in sorted(profile.items())
        )
    )


def last_comparison(lake: Lake) -> LastComparison | None:
    """Return how the last run with rows differs from those before; None if no run has rows."""
    runs = delta_reader.read(lake.runs, ["run_id", "fingerprint"]).to_pylist()
    fingerprints = {row["run_id"]: row["fingerprint"] for row in runs}
    known = sorted(delta_reader.distinct(lake.run_profiles, "run_id") & fingerprints.keys())
    if not known:
        return None
    profiles = _profiles(lake, fingerprints[known[-1]])
    return LastComparison(known[-1], look_for_drift(list(profiles.values())))


def _profiles(lake: Lake, fingerprint: str) -> dict[str, Profile]:
    """Return the last profiles of runs of this pipeline, by run, in the order of the runs.

    A run that measured otherwise is left out, and one that ended before its row of clean/runs was written.
    """
    of_pipeline = delta_reader.read(lake.runs, ["run_id"], where=pc.field("fingerprint") == fingerprint)["run_id"]
    # The type is given, since there may be none: the first run was killed before its row was written.
    last = pc.field("run_id").isin(pa.array(sorted(of_pipeline.to_pylist())[-_READ:], pa.string()))
    found: defaultdict[str, dict[Key, Counts]] = defaultdict(dict)
    others = set()
    for row in delta_reader.read(lake.run_profiles, _COLUMNS, where=last).to_pylist():
        if row["bounds"] == BOUNDS.get(row["measure"], np.array([])).tolist():
            found[row["run_id"]][row["measure"], row["value"]] = np.array(row["notes"], np.int64)
        else:
            others.add(row["run_id"])
    return {run_id: found[run_id] for run_id in sorted(found) if run_id not in others}


_COLUMNS = ("run_id", "measure", "value", "bounds", "notes")
_READ = 4 * (NIGHTS + WEEK)
"""Runs of the pipeline whose rows are looked for: not each has some."""
