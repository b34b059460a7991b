"""Tables for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence

Rows = list[tuple[object, ...]]
"""The first row holds the headings."""


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


def markdown_table(rows: Sequence[Sequence[object]]) -> str:
    """The same as a table of Markdown.

    >>> print(markdown_table([("label", "spans"), ("PER", 12)]))
    | label | spans |
    | --- | ---: |
    | PER | 12 |
    """
    head, *body = [[_cell(value) for value in row] for row in rows]
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *body))


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
