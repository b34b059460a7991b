"""The figures of `deid bench` as Markdown, to be pasted into a report as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.lab.bench.stage import Spread, Stage, times_as_fast


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, the first column left, the others right.

    >>> print(markdown_table(["stage", "notes/s"], [["tokenise", "12"]]))
    | stage | notes/s |
    |---|---:|
    | tokenise | 12 |
    """
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)]]
    ruled = ["|" + "|".join(line) + "|" if line is lines[1] else "| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([*ruled, *("| " + " | ".join(row) + " |" for row in rows)])


def stage_table(stages: Sequence[Stage]) -> str:
    """Our stages among these: notes and tokens per second, and how far each is from its limit."""
    by_name = {stage.name: stage for stage in stages}
    headings = ["stage", "clock", "notes/s", "tokens/s", "min to max", "limit", "limit / stage"]
    rows = []
    for stage in stages:
        if stage.instead_of:
            continue
        limit = by_name.get(stage.limit)
        distance = _times(times_as_fast(limit, stage)) if limit else ""
        rows.append([*_rate_cells(stage), limit.name if limit else "", distance])
    return markdown_table(headings, rows)


def instead_table(stages: Sequence[Stage]) -> str:
    """What one would take instead, among these: its rates, and how many times as fast ours are; a row a pair."""
    by_name = {stage.name: stage for stage in stages}
    headings = ["instead", "clock", "notes/s", "tokens/s", "min to max", "ours", "times as fast, min to max"]
    rows = [
        [*_rate_cells(stage), name, _times(times_as_fast(by_name[name], stage))]
        for stage in stages
        for name in stage.instead_of
    ]
    return markdown_table(headings, rows)


def write(report: str, output: Path) -> None:
    """Writes the report. Raises ConfigurationError if the file cannot be written."""
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(report + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{output}: cannot be written: {error.strerror}") from None


def _rate_cells(stage: Stage) -> list[str]:
    rates = Spread.of(stage.rates())
    notes = rates.median * len(stage.sample.notes) / stage.sample.tokens
    spread = f"{rates.low:,.0f} to {rates.high:,.0f}" if len(stage.seconds) > 1 else "one run"
    return [stage.name, stage.clock, _short(notes), f"{rates.median:,.0f}", spread]


def _times(spread: Spread) -> str:
    return f"{_short(spread.median)} ({_short(spread.low)} to {_short(spread.high)})"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
