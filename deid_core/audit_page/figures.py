"""Gather the figures of the audit page from a lake's tables, without Spark.

A table is a list of rows, a row a dictionary from column to value: the same for HTML, CSV and JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from deid_core.audit_page.drift import DriftFigures, drift_figures
from deid_core.audit_page.findings import Finding, findings
from deid_core.audit_page.notes import Notes, read_notes
from deid_core.audit_page.outputs import output_rows
from deid_core.audit_page.runs import last_two_runs, run_rows
from deid_core.audit_page.spans import TENTHS, SpanCounts, count_spans
from deid_core.audit_page.sweep import by_year as swept_by_year
from deid_core.audit_page.sweep import sweep_rows
from deid_core.core.errors import Reason
from deid_core.core.spans import LOW_SCORE
from deid_core.lake.checks.audit_counts import per_1000_tokens
from deid_core.lake.checks.leak_sweep import Outcome
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.policies.settings import DEFAULT_POLICY

Rows = list[dict[str, Any]]

_EXPECTED = 30
"""So few expected spans of a year and label may be halved by chance."""


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of the audit page. made: when they were gathered, UTC.

    summary: totals by name. findings: what disagrees or needs a look, the most serious first. tables: rows by name.
    """

    made: datetime
    summary: dict[str, Any]
    findings: list[Finding]
    tables: dict[str, Rows]


def gather(lake: Lake, made: datetime) -> Figures:
    """Return the figures of a lake.

    Raises ConfigurationError if this account may not read a table, DamageFoundError if a file of one is damaged.
    """
    spans = count_spans(lake)
    notes = read_notes(lake, spans)
    drift = drift_figures(lake)
    tables = {
        "years": _year_rows(notes, spans),
        "quarantine": [
            {"reason": reason, "year": year, "notes": count}
            for (reason, year), count in sorted(notes.quarantined.items(), key=str)
        ],
        "year_sources": [
            {"source": source, "notes": notes.year_sources[source]} for source in sorted(notes.year_sources)
        ],
        "labels": _rates(notes, spans, ("label",)),
        "types": _rates(notes, spans, ("label", "type")),
        "recognisers": _rates(notes, spans, ("recogniser",)),
        "scores": [
            {"label": label, "recogniser": recogniser, "score_from": tenth / TENTHS, "spans": count}
            for (label, recogniser, tenth), count in sorted(spans.by_score.items())
        ],
        "dropped": _dropped_rows(lake),
        "sweep": sweep_rows(lake),
        "outputs": output_rows(lake),
        "runs": run_rows(lake),
        "last_two_runs": last_two_runs(lake),
        "drift": drift.rows,
    }
    summary = _summary(notes, spans, tables, drift)
    return Figures(made, summary, findings(lake, made, notes, summary, tables), tables)


def type_rows(lake: Lake) -> Rows:
    """Return year, label, type, spans, tokens and rate of the removed spans."""
    spans = count_spans(lake)
    return [row for row in _rates(read_notes(lake, spans), spans, ("label", "type")) if row["spans"]]


def _year_rows(notes: Notes, spans: SpanCounts) -> Rows:
    removed: Counter[int | None] = Counter()
    for (year, *_), count in spans.by_key.items():
        removed[year] += count
    quarantined: Counter[int | None] = Counter()
    for (_, of_year), count in notes.quarantined.items():
        quarantined[of_year] += count
    years = {*notes.received, *notes.texts, *removed}
    return [
        {
            "year": year,
            "received": notes.received[year],
            "deidentified": notes.texts[year] if year is not None else 0,
            "quarantined": quarantined[year],
            "without_spans": notes.without_spans[year] if year is not None else 0,
            "tokens": (tokens := notes.tokens[year] if year is not None else 0),
            "spans": removed[year],
            "per_1000_tokens": per_1000_tokens(removed[year], tokens),
        }
        for year in sorted(years, key=lambda year: (year is None, year))
    ]


def _rates(notes: Notes, spans: SpanCounts, names: tuple[str, ...]) -> Rows:
    """Return spans and rate of each year and value, also where there are none.

    names: the columns whose values are counted. low: less than half as often as in all years together.
    """
    places = [("year", "label", "type", "recogniser").index(name) for name in names]
    removed: Counter[tuple[int, tuple[str, ...]]] = Counter()
    of_value: Counter[tuple[str, ...]] = Counter()
    for key, count in spans.by_key.items():
        value = tuple(str(key[place]) for place in places)
        removed[key[0], value] += count
        of_value[value] += count
    all_tokens = sum(notes.tokens.values())
    rows = []
    for value in sorted(of_value):
        for year in sorted(notes.tokens.keys() | {year for year, *_ in spans.by_key}):
            count, tokens = removed[year, value], notes.tokens[year]
            expected = of_value[value] * tokens / all_tokens if all_tokens else 0.0
            rows.append(
                {
                    "year": year,
                    **dict(zip(names, value, strict=True)),
                    "spans": count,
                    "tokens": tokens,
                    "per_1000_tokens": per_1000_tokens(count, tokens),
                    "low": expected >= _EXPECTED and count < expected / 2,
                }
            )
    return rows


def _dropped_rows(lake: Lake) -> Rows:
    """Return the dropped detections of all years, the most frequent rules first."""
    keys = ("recogniser", "rule", "label", "reason")
    rows = delta_reader.read(lake.dropped_counts, [*keys, "notes", "detections"])
    if not len(rows):
        return []
    sums = rows.group_by(list(keys)).aggregate([("notes", "sum"), ("detections", "sum")])
    named: Rows = sums.rename_columns([*keys, "notes", "detections"]).to_pylist()
    return sorted(named, key=lambda row: (-row["detections"], *(row[key] for key in keys)))


def _summary(notes: Notes, spans: SpanCounts, tables: Mapping[str, Rows], drift: DriftFigures) -> dict[str, Any]:
    removed, tokens, texts = spans.by_key.total(), notes.tokens.total(), notes.texts.total()
    low = sum(row["spans"] for row in tables["scores"] if row["score_from"] < LOW_SCORE)
    years = [year for year in notes.received if year is not None]
    last = tables["runs"][0] if tables["runs"] else {}
    swept: Counter[str] = Counter()
    for row in swept_by_year(tables["sweep"]):
        swept.update({outcome: row[outcome] for outcome in Outcome})
    leaks = sum(count for (reason, _), count in notes.quarantined.items() if reason == Reason.LEAK)
    return {
        "received": notes.received.total(),
        "first_year": min(years, default=None),
        "last_year": max(years, default=None),
        "deidentified": texts,
        "quarantined": notes.quarantined.total(),
        "waiting": notes.waiting,
        "deleted": notes.deleted,
        "withdrawn": notes.withdrawn,
        "tokens": tokens,
        "spans": removed,
        "per_1000_tokens": per_1000_tokens(removed, tokens),
        "without_spans": notes.without_spans.total(),
        "low_score": LOW_SCORE,
        "spans_with_low_score": low,
        "dropped": sum(row["detections"] for row in tables["dropped"]),
        "searched": swept[Outcome.SEARCHED] - leaks,
        "found_again": swept[Outcome.REDACTED],
        "left_as_common": swept[Outcome.COMMON],
        "quarantined_by_sweep": leaks,
        "drift_nights": drift.nights,
        "drift_shares": drift.shares,
        "last_run_finished": last.get("finished"),
        "version": last.get("deid"),
        "pipeline": last.get("pipeline"),
        "fingerprint": last.get("fingerprint"),
        "policy": DEFAULT_POLICY,
    }
