"""Rows of earlier nights in clean/runs and clean/run_profiles, in which each letter names somebody."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from deid_core.lake.checks.night_profile import BOUNDS, Counts, Key, NightProfile
from deid_core.lake.layout import Lake
from deid_core.lake.tables.lake_table import Tables


def add_nights(lake: Lake, nights: int, *, fingerprint: str, notes: int = 200, month: int = 1) -> None:
    """Add nights of a month of 2020: of 200 letters 2 have one name, 98 two, 100 three; all have 100 to 140 tokens."""
    for day in range(1, nights + 1):
        run_id = f"2020{month:02}{day:02}T000000-0"
        profile = {("names", "PER"): {1: 0.01, 2: 0.49, 3: 0.5}, ("note_tokens", ""): {5: 1.0}}
        add_profile(lake, run_id, {key: in_bins(key[0], shares, notes) for key, shares in profile.items()})
        _add_run(lake, run_id, fingerprint, datetime(2020, month, day, tzinfo=UTC))


def add_profile(
    lake: Lake, run_id: str, profile: dict[Key, Counts], *, bounds: dict[str, list[float]] | None = None
) -> None:
    """Add a run's notes by bin. bounds: of measures that the run measured otherwise."""
    rows = [
        {
            "run_id": run_id,
            "measure": measure,
            "value": value,
            "bounds": (bounds or {}).get(measure, BOUNDS[measure].tolist()),
            "notes": counts.tolist(),
        }
        for (measure, value), counts in profile.items()
    ]
    Tables(lake).run_profiles.add(*rows)


def in_bins(measure: str, shares: dict[int, float], notes: int) -> Counts:
    """Return notes by bin, from the share of each."""
    counts = np.zeros(len(BOUNDS[measure]), np.int64)
    for place, share in shares.items():
        counts[place] = round(share * notes)
    return counts


def add_failed_night(lake: Lake, run_id: str, *, fingerprint: str, notes: int = 180) -> None:
    """Add a night whose notes all went into quarantine."""
    night = NightProfile()
    night.refused["corrupt"] = notes
    add_profile(lake, run_id, night.profile())
    _add_run(lake, run_id, fingerprint, datetime(2020, 1, 15, tzinfo=UTC))


def _add_run(lake: Lake, run_id: str, fingerprint: str, started: datetime) -> None:
    Tables(lake).runs.add(
        {
            "run_id": run_id,
            "started": started,
            "finished": started,
            "pipeline": "default",
            "fingerprint": fingerprint,
            "reader": "r",
            "versions": {},
            "counts": {},
            "seconds": {},
            "tokens_per_second": 0.0,
        }
    )
