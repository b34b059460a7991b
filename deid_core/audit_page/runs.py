"""The runs of a lake, the last one first, and what the last two left in the lake."""

from __future__ import annotations

from typing import Any

from deid_core.lake.checks.audit_counts import LAKE_SPANS, LAKE_TOKENS, per_1000_tokens
from deid_core.lake.layout import Lake
from deid_core.lake.runs.profiles import DRIFT_ALARMS
from deid_core.lake.tables import delta_reader

_COUNTS = ("listed", "converted", "deidentified", "quarantined", "tokens", "spans", "dropped", "damaged_files")
_VERSIONS = ("deid", "python", "spark", "delta")
_COLUMNS = ("run_id", "started", "finished", "pipeline", "fingerprint", "versions", "counts", "tokens_per_second")


def run_rows(lake: Lake) -> list[dict[str, Any]]:
    """Return a row for each run. seconds: from its start to its end; a count that it did not make is 0."""
    rows = []
    for run in _runs(lake):
        counts, versions = dict(run["counts"]), dict(run["versions"])
        rows.append(
            {
                "run_id": run["run_id"],
                "started": run["started"],
                "finished": run["finished"],
                "seconds": round((run["finished"] - run["started"]).total_seconds(), 1),
                **{name: counts.get(name, 0) for name in _COUNTS},
                # None: its notes were not compared with those of earlier runs.
                "drift_alarms": counts.get(DRIFT_ALARMS),
                "tokens_per_second": run["tokens_per_second"],
                "pipeline": run["pipeline"],
                "fingerprint": run["fingerprint"],
                **{name: versions.get(name, "") for name in _VERSIONS},
            }
        )
    return rows


def last_two_runs(lake: Lake) -> list[dict[str, Any]]:
    """Return spans of each label in the lake after the last run and after the one before; [] if either did not say."""
    totals = [dict(run["counts"]) for run in _runs(lake)[:2]]
    if len(totals) < 2 or any(LAKE_TOKENS not in counts for counts in totals):
        return []
    after, before = totals
    names = sorted({name for counts in totals for name in counts if name.startswith(LAKE_SPANS)})
    return [
        {
            "label": name.removeprefix(LAKE_SPANS),
            "spans_before": before.get(name, 0),
            "spans_after": after.get(name, 0),
            "per_1000_tokens_before": per_1000_tokens(before.get(name, 0), before[LAKE_TOKENS]),
            "per_1000_tokens_after": per_1000_tokens(after.get(name, 0), after[LAKE_TOKENS]),
        }
        for name in names
    ]


def _runs(lake: Lake) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = delta_reader.read(lake.runs, _COLUMNS).to_pylist()
    return sorted(rows, key=lambda run: run["finished"], reverse=True)
