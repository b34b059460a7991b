"""The medical vocabulary that both halves share: laboratory values, drugs, headings. It holds no names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from deid_core.lab.synthetic.lists import data_dir, read_rows


@dataclass(frozen=True, slots=True)
class Analyte:
    """A laboratory value. low, high: in units of the last decimal place; reference: the range as it is printed."""

    names: tuple[str, ...]
    unit: str
    low: int
    high: int
    places: int
    reference: str


@dataclass(frozen=True, slots=True)
class Drug:
    """A drug with its trade names, strengths and schemes."""

    names: tuple[str, ...]
    strengths: tuple[str, ...]
    schemes: tuple[str, ...]


@cache
def headings() -> dict[str, tuple[str, ...]]:
    """Section → the headings it may have."""
    return {name: tuple(words.split("|")) for name, words in read_rows(_path("headings"), 2)}


@cache
def analytes() -> tuple[Analyte, ...]:
    """All laboratory values."""
    return tuple(_analyte(*row) for row in read_rows(_path("laboratory"), 5))


@cache
def drugs() -> tuple[Drug, ...]:
    """All drugs."""
    return tuple(Drug(*(tuple(column.split("|")) for column in row)) for row in read_rows(_path("drugs"), 3))


def _path(name: str) -> Path:
    return data_dir("templates", "shared") / f"{name}.txt"


def _analyte(names: str, unit: str, low: str, high: str, reference: str) -> Analyte:
    places = len(low.partition(",")[2])
    return Analyte(
        tuple(names.split("|")), unit, int(low.replace(",", "")), int(high.replace(",", "")), places, reference
    )
