"""Make the audit page: one HTML file in one language, without scripts and without anything from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from deid_core.audit_page.charts import HEIGHT, WIDTH, LineChart, line_chart
from deid_core.audit_page.figures import Figures, Rows
from deid_core.audit_page.findings import FILE_SHARE, Severity
from deid_core.audit_page.page_language import Language
from deid_core.audit_page.page_template import page_template
from deid_core.audit_page.sweep import by_find
from deid_core.audit_page.sweep import by_year as swept_by_year
from deid_core.core.spans import LOW_SCORE
from deid_core.core.version import __version__
from deid_core.lake.checks.audit_counts import per_1000_tokens

RULES_SHOWN, RUNS_SHOWN = 20, 20
"""Rows of dropped detections and of runs on the page."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table by year. heat: 0 to 100, its share of the highest cell of the row. low: to be marked."""

    value: float
    heat: int
    low: bool = False


@dataclass(frozen=True, slots=True)
class YearLine:
    """A row of a table by year: what it is of, a cell for each year, and the value of all years."""

    name: str
    cells: list[Cell]
    total: float
    chart: LineChart | None = None


def html_page(figures: Figures, language: str) -> str:
    """Return the page. language: one of `language.LANGUAGES`."""
    words = Language(language)
    tables = figures.tables
    return page_template("page.html.j2", "deid_core.audit_page").render(
        t=words,
        version=__version__,
        made=figures.made,
        s=figures.summary,
        tables=tables,
        findings=figures.findings,
        wrong=sum(finding.severity is Severity.WRONG for finding in figures.findings),
        years=_years(tables["labels"]),
        labels=rate_lines(tables["labels"], lambda row: str(row["label"])),
        types=rate_lines(tables["types"], lambda row: f"{row['label']}.{row['type']}"),
        recognisers=rate_lines(tables["recognisers"], lambda row: str(row["recogniser"])),
        all_labels=_all_labels(tables["years"]),
        quarantine=quarantine_lines(tables["quarantine"]),
        quarantine_years=sorted({row["year"] for row in tables["quarantine"]}, key=lambda year: (year is None, year)),
        reasons=Counter({row["reason"]: 0 for row in tables["quarantine"]})
        + _sums(tables["quarantine"], "reason", "notes"),
        drop_reasons=_sums(tables["dropped"], "reason", "detections"),
        swept_years=swept_by_year(tables["sweep"]),
        swept=by_find(tables["sweep"]),
        scores=_sums(tables["scores"], "score_from", "spans"),
        doubt_labels=doubt(tables["scores"], "label"),
        doubt_recognisers=doubt(tables["scores"], "recogniser"),
        file_share=FILE_SHARE,
        rules_shown=RULES_SHOWN,
        runs_shown=RUNS_SHOWN,
        chart_width=WIDTH,
        chart_height=HEIGHT,
    )


def rate_lines(rows: Rows, name: Callable[[dict[str, Any]], str]) -> list[YearLine]:
    """Return a line for each name, the most frequent first: rates by year, and that of all years."""
    lines = []
    spans = Counter[str]()
    for row in rows:
        spans[name(row)] += row["spans"]
    for value, count in sorted(spans.items(), key=lambda item: (-item[1], item[0])):
        of_value = [row for row in rows if name(row) == value]
        rates, low = [row["per_1000_tokens"] for row in of_value], [row["low"] for row in of_value]
        chart = line_chart([row["year"] for row in of_value], rates, low)
        total = per_1000_tokens(count, sum(row["tokens"] for row in of_value))
        lines.append(YearLine(value, _cells(rates, low), total, chart))
    return lines


def quarantine_lines(rows: Rows) -> list[YearLine]:
    """Return a line for each reason, the most frequent first: notes by year, and of all years."""
    years = sorted({row["year"] for row in rows}, key=lambda year: (year is None, year))
    counts = Counter({(row["reason"], row["year"]): row["notes"] for row in rows})
    sums = _sums(rows, "reason", "notes")
    return [
        YearLine(reason, _cells([counts[reason, year] for year in years]), total)
        for reason, total in sums.most_common()
    ]


def doubt(rows: Rows, key: str) -> list[tuple[str, int, int]]:
    """Return (value, spans with a low score, all spans) of the values that have such spans, the largest share first."""
    low = _sums([row for row in rows if row["score_from"] < LOW_SCORE], key, "spans")
    found = [(value, low[value], count) for value, count in _sums(rows, key, "spans").items() if low[value]]
    return sorted(found, key=lambda row: (-row[1] / row[2], row[0]))


def _cells(values: list[float], low: list[bool] | None = None) -> list[Cell]:
    most = max(values, default=0) or 1
    marks = low or [False] * len(values)
    return [Cell(value, round(100 * value / most), mark) for value, mark in zip(values, marks, strict=True)]


def _all_labels(rows: Rows) -> YearLine:
    """Return the rates of all labels together."""
    years = [row for row in rows if row["tokens"] or row["spans"]]
    spans, tokens = sum(row["spans"] for row in years), sum(row["tokens"] for row in years)
    return YearLine("", _cells([row["per_1000_tokens"] for row in years]), per_1000_tokens(spans, tokens))


def _years(rows: Rows) -> list[int]:
    return sorted({row["year"] for row in rows})


def _sums(rows: Rows, key: str, value: str) -> Counter[Any]:
    sums: Counter[Any] = Counter()
    for row in rows:
        sums[row[key]] += row[value]
    return sums
