"""Scores and p-values as cells of a table (core/text_tables.py)."""

from __future__ import annotations

from deid_core.lab.evaluate.scores import Scores


def score_cells(scores: Scores) -> tuple[object, ...]:
    """Gold tokens, precision, recall, F1, F2."""
    return (scores.gold, scores.precision, scores.recall, scores.f(1), scores.f(2))


def p_cell(p: float) -> str:
    """A p-value, with three digits."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
