"""Count what the sweep found, for clean/leak_sweep: by year, who knew, what, and who should have found it; no text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

import pyarrow.compute as pc

from deid_core.core.errors import Reason
from deid_core.core.spans import DropReason
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables
from deid_core.pipeline.sweep import KIND, LeakRule

_RULES = ", "
"""Between the rules in the ledger's `detail`."""
_COLUMNS = ("note_id", "year", "rule")


class Outcome(StrEnum):
    """What became of a term that the sweep found again; the column `outcome`."""

    SEARCHED = "searched"
    """None was found: a row that counts the notes that were searched."""
    REDACTED = "redacted"
    COMMON = "common"
    """The word is a particle or a common word too, and stays."""
    QUARANTINED = "quarantined"
    """It was redacted and still found, so the note is in quarantine."""


def rows(tables: Tables, searched_by: str | None) -> Iterator[dict[str, Any]]:
    """Yield the rows of clean/leak_sweep.

    searched_by: the fingerprint of the pipeline, if it sweeps: texts of other pipelines are not counted as searched.
    """
    # A hash of what a hospital knows of the note may follow (notes/ids.py).
    sweeping = pc.starts_with(pc.field("fingerprint"), searched_by or "none")
    searched = Counter(delta_reader.read(tables.deidentified.path, ["year"], where=sweeping)["year"].to_pylist())
    in_quarantine = list(_in_quarantine(tables))
    searched.update(year for _, year in {(note_id, year) for note_id, year, _ in in_quarantine})
    for year, notes in sorted(searched.items()):
        yield _row(year, Outcome.SEARCHED, ("", "", ""), notes, 0)
    of_sweep = pc.field("recogniser") == KIND
    common = of_sweep & (pc.field("reason") == DropReason.COMMON.value)
    for outcome, found in (
        (Outcome.REDACTED, delta_reader.rows(tables.phi_audit.path, _COLUMNS, where=of_sweep)),
        (Outcome.COMMON, delta_reader.rows(tables.dropped.path, _COLUMNS, where=common)),
        (Outcome.QUARANTINED, in_quarantine),
    ):
        yield from _counted(outcome, found)


def _in_quarantine(tables: Tables) -> Iterator[tuple[str, int, str]]:
    """Yield (note_id, year, rule) of the notes in quarantine for a leak."""
    where = pc.field("reason") == Reason.LEAK.value
    for row in delta_reader.read(tables.ledger.path, ["note_id", "year", "detail"], where=where).to_pylist():
        for rule in (row["detail"] or "").split(_RULES):
            yield row["note_id"], row["year"], rule


def _counted(outcome: Outcome, found: Iterable[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    places: Counter[tuple[int, str]] = Counter()
    notes: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for note_id, year, rule in found:
        places[year, rule] += 1
        notes[year, rule].add(note_id)
    for (year, rule), count in sorted(places.items()):
        yield _row(year, outcome, LeakRule.from_text(rule), len(notes[year, rule]), count)


def _row(year: int, outcome: Outcome, rule: tuple[str, str, str], notes: int, places: int) -> dict[str, Any]:
    source, kind, recogniser = rule
    named: Mapping[str, Any] = {"source": source, "kind": kind, "outcome": outcome, "recogniser": recogniser}
    return {"year": year, **named, "notes": notes, "places": places}
