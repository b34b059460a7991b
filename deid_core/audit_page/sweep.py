"""What the sweep found again: the rows of clean/leak_sweep, and their sums by year and by what was found."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from deid_core.lake.checks.leak_sweep import Outcome
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader

_KEYS = ("source", "kind", "outcome", "recogniser")


def sweep_rows(lake: Lake) -> list[dict[str, Any]]:
    """Return the rows of clean/leak_sweep by year; [] if no note was searched, or the lake has no such table yet."""
    rows = delta_reader.read(lake.leak_sweep, ["year", *_KEYS, "notes", "places"]).to_pylist()
    return sorted(rows, key=lambda row: (row["year"], *(row[key] for key in _KEYS)))


def by_year(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return for each year the notes that were searched, and the places of each other outcome."""
    years: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for row in rows:
        years[row["year"]][row["outcome"]] += row["notes" if row["outcome"] == Outcome.SEARCHED else "places"]
    return [{"year": year, **{outcome: years[year][outcome] for outcome in Outcome}} for year in sorted(years)]


def by_find(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return notes and places of all years for each source, kind, outcome and recogniser, the most places first."""
    notes, places = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for row in rows:
        key = tuple(row[name] for name in _KEYS)
        if row["outcome"] != Outcome.SEARCHED:
            notes[key] += row["notes"]
            places[key] += row["places"]
    return [
        {**dict(zip(_KEYS, key, strict=True)), "notes": notes[key], "places": count}
        for key, count in sorted(places.items(), key=lambda item: (-item[1], item[0]))
    ]
