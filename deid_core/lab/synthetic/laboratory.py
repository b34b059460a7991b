"""Laboratory values as letters print them: a table, tabs, or lines. Thousands of numbers that identify nobody."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic import dates
from deid_core.lab.synthetic.case import Case
from deid_core.lab.synthetic.letter import Cell, LetterTable, Paragraph, Phi
from deid_core.lab.synthetic.template_language import decimal
from deid_core.lab.synthetic.vocabulary import Analyte

_TOKENS_OF_VALUE = 6.5
"""Name, number, unit; some have a reference range."""


def laboratory_items(case: Case, analytes: Sequence[Analyte], quota: float) -> list[Paragraph | LetterTable]:
    """Values for about `quota` tokens, in one of five forms."""
    draw = case.draw
    count = min(len(analytes), max(3, round(quota / _TOKENS_OF_VALUE)))
    shuffled = draw.shuffled(analytes)
    chosen = [next(shuffled) for _ in range(count)]
    form = draw.random()
    if form < 0.35:
        return [(_line(case, analyte, "\t"),) for analyte in chosen]
    if form < 0.55:
        return [(_line(case, analyte, " "),) for analyte in chosen]
    if form < 0.70:
        return [LetterTable(tuple(_row(case, analyte) for analyte in chosen))]
    if form < 0.85:
        return [_by_days(case, chosen[: max(3, count * 5 // 6)])]
    texts = [_line(case, analyte, " ") for analyte in chosen]
    return [(", ".join(texts[start : start + 2]),) for start in range(0, count, 2)]


def _value(case: Case, analyte: Analyte) -> str:
    low, high = analyte.low, analyte.high
    # Two draws: extreme values are rare.
    share = case.draw.random() * case.draw.random()
    return decimal(low + int(share * (high - low + 1)), analyte.places)


def _line(case: Case, analyte: Analyte, separator: str) -> str:
    text = f"{case.draw.pick(analyte.names)}{separator}{_value(case, analyte)}"
    if analyte.unit:
        text += f" {analyte.unit}"
    if separator == "\t" and case.draw.chance(0.3):
        text += f"\t({analyte.reference})"
    return text


def _row(case: Case, analyte: Analyte) -> tuple[Cell, ...]:
    return _cells((analyte.names[0], _value(case, analyte), analyte.unit))


def _by_days(case: Case, chosen: Iterable[Analyte]) -> LetterTable:
    """A table with a column for each of two days of the stay."""
    last = max(case.discharge, case.admission)
    heading = ((("Parameter",),), _day(case, case.admission), _day(case, last))
    rows = [_cells((a.names[0], _value(case, a), _value(case, a))) for a in chosen]
    return LetterTable((heading, *rows))


def _day(case: Case, date: dt.date) -> Cell:
    return ((Phi(dates.short_day(case.draw, date), PhiType.DATE),),)


def _cells(texts: Iterable[str]) -> tuple[Cell, ...]:
    return tuple((((text,) if text else ()),) for text in texts)
