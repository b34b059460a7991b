"""How the notes of the last night differ from those of the nights before, as rows for the page."""

from __future__ import annotations

from typing import Any, NamedTuple

from deid_core.lake.checks.drift import alarms
from deid_core.lake.layout import Lake
from deid_core.lake.runs.profiles import last_comparison


class DriftFigures(NamedTuple):
    """rows: one for each measure that differs. nights, shares: that were compared; 0 if nights are too few."""

    rows: list[dict[str, Any]]
    nights: int
    shares: int


def drift_figures(lake: Lake) -> DriftFigures:
    """Return the differences of the last run that has profiles, the clearest first."""
    last = last_comparison(lake)
    comparisons = last.comparisons if last else []
    rows = [
        {
            "run_id": last.run_id if last else "",
            "measure": shift.measure,
            "value": shift.value,
            "bound": shift.bound,
            "below": shift.below,
            "notes": shift.notes,
            "of": shift.of,
            "expected": round(shift.expected, 2),
            "psi": round(shift.psi, 4),
            "p_value": shift.p_value,
            "runs": shift.nights,
        }
        for shift in alarms(comparisons)
    ]
    return DriftFigures(rows, *((comparisons[0].nights, comparisons[0].shares) if comparisons else (0, 0)))
