"""Pipelines and systems on all sets in one table, and as a page with charts that opens offline."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from deid_core.core.text_tables import Rows
from deid_core.lab.evaluate import Level, compare
from deid_core.lab.evaluate.bootstrap import Interval
from deid_core.lab.evaluate.pipeline_figures import covered_interval
from deid_core.lab.evaluate.pipeline_scores import Measured
from deid_core.lab.evaluate.score_cells import p_cell
from deid_core.lab.evaluate.scores import Scores
from deid_core.lab.evaluate.set_report import SetReport
from deid_core.lab.systems.footprint import Footprint

REFERENCE = "default"
"""The pipeline that the others are tested against."""
_TESTED = (Level.WORD, "f2")
_BAR, _WIDTH, _LEFT = 18, 560, 150
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1200px;margin:2em auto;padding:0 1em;color:#1c2733}"
    "table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}th,td{padding:.25em .6em;"
    "text-align:right;border-bottom:1px solid #dde3e8}"
    "th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}"
    "h2{margin-top:2em}.charts{display:flex;flex-wrap:wrap;gap:1.5em}figure{margin:0}figcaption{font-weight:600}"
    "svg text{font:12px system-ui,sans-serif;fill:#1c2733}"
)


class BenchRow(NamedTuple):
    """A pipeline or system on a set. p: of F2 of words against `default`, None of itself or without it."""

    of_set: str
    name: str
    tokens: Scores
    entities: Scores
    words_f2: Interval
    names_covered: float
    tokens_per_s: float
    p: float | None
    footprint: Footprint | None


def bench_rows(reports: Sequence[SetReport], footprints: Mapping[str, Footprint]) -> list[BenchRow]:
    """Return a row for each set and each pipeline or system."""
    rows = []
    for report in reports:
        reference = next((m for m in report.measured if m.pipeline == REFERENCE), None)
        rows += [_row(report.of.name, m, reference, footprints.get(m.pipeline)) for m in report.measured]
    return rows


def _row(of_set: str, m: Measured, reference: Measured | None, footprint: Footprint | None) -> BenchRow:
    p = None
    if reference is not None and reference is not m:
        p = compare(m.evaluation, reference.evaluation, (_TESTED,)).randomisation[_TESTED].p
    tokens, entities = (Scores.of(m.evaluation.counts(level).sum(0)) for level in (Level.TOKEN, Level.EXACT))
    f2 = m.evaluation.interval(Level.WORD, "f2")
    return BenchRow(
        of_set, m.pipeline, tokens, entities, f2, covered_interval(m.evaluation).value, m.tokens_per_s, p, footprint
    )


def bench_table(rows: Sequence[BenchRow]) -> Rows:
    """Return the table: precision, recall, F1 and F2 of tokens and of entities, and the costs."""
    scores = ("precision", "recall", "F1", "F2")
    heads = [*(f"tokens: {scores[0]}", *scores[1:]), *(f"entities: {scores[0]}", *scores[1:])]
    costs = ("names covered", "p of F2", "tokens/s", "start, s", "memory, MB", "size, MB")
    table: Rows = [("set", "pipeline or system", *heads, *costs)]
    for row in rows:
        figures = [
            f"{value:.3f}" for s in (row.tokens, row.entities) for value in (s.precision, s.recall, s.f(1), s.f(2))
        ]
        of = row.footprint
        cost = (f"{of.start_s:.1f}", f"{of.memory_mb:.0f}", f"{of.size_mb:.1f}") if of else ("", "", "")
        p = "" if row.p is None else p_cell(row.p)
        speed = f"{round(row.tokens_per_s, -2):,.0f}"
        table.append((row.of_set, row.name, *figures, f"{row.names_covered:.3f}", p, speed, *cost))
    return table


def bench_page(rows: Sequence[BenchRow], notes: Sequence[str]) -> str:
    """Return the page: a chart for each set, the table, and what was left out."""
    charts = "".join(_chart(name, [row for row in rows if row.of_set == name]) for name in _sets(rows))
    head, *body = bench_table(rows)
    lines = ["".join(f"<th>{html.escape(str(cell))}</th>" for cell in head)]
    lines += ["".join(f"<td>{html.escape(str(cell))}</td>" for cell in line) for line in body]
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    said = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Pipelines and systems compared</title>'
        f"<style>{_STYLE}</style><h1>Pipelines and systems compared</h1>"
        "<p>Bars: F2 of words, PHI or not, with the 95 % interval over notes. Dots: F1 of entities, place and label. "
        f"p: approximate randomisation of F2 of words against {REFERENCE}.</p>{said}"
        f'<div class="charts">{charts}</div><h2>All figures</h2><table>{table}</table></html>\n'
    )


def _sets(rows: Sequence[BenchRow]) -> list[str]:
    return list(dict.fromkeys(row.of_set for row in rows))


def _chart(name: str, rows: Sequence[BenchRow]) -> str:
    """Return a chart of one set as inline SVG: a bar, its interval and a dot for each pipeline or system."""
    scale = _WIDTH - _LEFT - 50
    parts = []
    for number, row in enumerate(rows):
        y = 6 + number * (_BAR + 8)
        low, high, value = (_LEFT + scale * x for x in (row.words_f2.low, row.words_f2.high, row.words_f2.value))
        middle, colour = y + _BAR / 2, "#2f6f9f" if row.name == REFERENCE else "#9dbdd4"
        parts.append(
            f'<text x="{_LEFT - 8}" y="{middle + 4}" text-anchor="end">{html.escape(row.name)}</text>'
            f'<rect x="{_LEFT}" y="{y}" width="{value - _LEFT:.1f}" height="{_BAR}" fill="{colour}"/>'
            f'<path d="M{low:.1f} {middle}H{high:.1f}M{low:.1f} {y + 4}v{_BAR - 8}M{high:.1f} {y + 4}v{_BAR - 8}" '
            'stroke="#1c2733" fill="none"/>'
            f'<circle cx="{_LEFT + scale * row.entities.f(1):.1f}" cy="{middle}" r="4" fill="#d9772b"/>'
            f'<text x="{_LEFT + scale + 12}" y="{middle + 4}">{row.words_f2.value:.3f}</text>'
        )
    height = 12 + len(rows) * (_BAR + 8)
    label = html.escape(name)
    return (
        f'<figure><figcaption>{label}</figcaption><svg role="img" aria-label="{label}" width="{_WIDTH}" '
        f'height="{height}" viewBox="0 0 {_WIDTH} {height}">{"".join(parts)}</svg></figure>'
    )
