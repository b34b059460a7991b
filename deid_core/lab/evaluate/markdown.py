"""Tables of Markdown whose cells are text already, all columns left: of error reports, records and a model's card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a table, the first row as headings.

    >>> print(markdown_table([("label", "spans"), ("PER", "12")]))
    | label | spans |
    |---|---|
    | PER | 12 |
    """
    return "\n".join([markdown_head(rows[0]), *map(markdown_row, rows[1:])])


def markdown_head(headings: Sequence[str]) -> str:
    """The headings and the rule below them, for a table whose rows come one at a time."""
    return f"{markdown_row(headings)}\n|{'---|' * len(headings)}"


def markdown_row(cells: Iterable[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"
