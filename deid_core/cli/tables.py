"""Plain-text tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from deid_core.evaluate.scores import Scores


def table(rows: Sequence[Sequence[object]]) -> str:
    """Rows in columns, the first row as headings; the first column left, the others right.

    >>> print(table([("label", "spans"), ("PER", 12)]))
    label  spans
    PER       12
    """
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if not i else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def score_cells(scores: Scores) -> tuple[object, ...]:
    """Gold tokens, precision, recall, F1, F2."""
    return (scores.gold, scores.precision, scores.recall, scores.f(1), scores.f(2))


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
