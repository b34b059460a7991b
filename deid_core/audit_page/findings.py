"""What disagrees, is damaged or needs a look before somebody signs.

The names of findings are keys of the words in words/. `deid check` compares more: the content of every file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import pyarrow.compute as pc

from deid_core.audit_page.notes import Notes
from deid_core.lake.checks import integrity
from deid_core.lake.checks.audit_counts import per_1000_tokens
from deid_core.lake.layout import Lake
from deid_core.lake.states import YearSource
from deid_core.lake.tables import delta_reader

FILE_SHARE = 0.05
"""So large a share of notes whose year is that of their file's date is a warning: copied files have the copy's date."""


class Severity(StrEnum):
    """How serious a finding is."""

    WRONG = "wrong"
    """Figures or files are not what they should be: mend this, then make the page again."""
    LOOK = "look"
    """May be right; somebody should look at it before the corpus leaves the house."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. name: key of its words. values: what the words mention."""

    severity: Severity
    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


def findings(
    lake: Lake, now: datetime, notes: Notes, summary: Mapping[str, Any], tables: Mapping[str, list[dict[str, Any]]]
) -> list[Finding]:
    """Return all findings, the wrong ones first.

    Files are compared with their checksums as at the start of a run: all sizes, the content of every thirtieth.
    """
    damages = integrity.damages(lake, day=now.toordinal())
    wrong = (Finding(Severity.WRONG, name, {"n": n}) for name, n in _wrong(lake, len(damages), notes, summary) if n)
    return [*wrong, *_looks(notes, summary, tables)]


def _wrong(lake: Lake, damaged: int, notes: Notes, summary: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    counted = pc.sum(delta_reader.read(lake.phi_counts, ["spans"])["spans"], min_count=0).as_py() or 0
    yield "running", int(lake.lock_owner.exists())
    yield "damaged", damaged
    yield "waiting", notes.waiting
    yield "leftover", notes.leftover
    yield "stray", notes.stray
    yield "counts_disagree", abs(counted - summary["spans"])
    yield "fingerprints", len(notes.fingerprints) if len(notes.fingerprints) > 1 else 0


def _looks(notes: Notes, summary: Mapping[str, Any], tables: Mapping[str, list[dict[str, Any]]]) -> Iterator[Finding]:
    if empty := summary["without_spans"]:
        yield Finding(Severity.LOOK, "without_spans", {"n": empty})
    if quarantined := summary["quarantined"]:
        yield Finding(Severity.LOOK, "quarantined", {"n": quarantined})
    if (not_searched := summary["deidentified"] - summary["searched"]) > 0:
        yield Finding(Severity.LOOK, "not_searched", {"n": not_searched})
    by_file, known = notes.year_sources[YearSource.FILE], notes.year_sources.total()
    if by_file > FILE_SHARE * known:
        yield Finding(Severity.LOOK, "year_of_file", {"n": by_file, "share": by_file / known})
    low = [row for row in tables["labels"] if row["low"]]
    if low:
        yield Finding(Severity.LOOK, "low_years", {"n": len(low), "cases": _cases(low, tables["labels"])})
    if differing := len(tables["drift"]):
        yield Finding(Severity.LOOK, "drift", {"n": differing})
    if tables["runs"] and (damaged := tables["runs"][0]["damaged_files"]):
        yield Finding(Severity.LOOK, "mended", {"n": damaged})


def _cases(low: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return label and year of each, its rate, and that of all years together."""
    spans: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for row in rows:
        spans[row["label"]] += row["spans"]
        tokens[row["label"]] += row["tokens"]
    return [
        {
            "label": row["label"],
            "year": row["year"],
            "per_1000_tokens": row["per_1000_tokens"],
            "in_all_years": per_1000_tokens(spans[row["label"]], tokens[row["label"]]),
        }
        for row in low
    ]
