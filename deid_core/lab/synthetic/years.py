"""How notes spread over years and how long they are: seed 000, Table 1."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from itertools import accumulate

from deid_core.lab.synthetic.draw import Draw


@dataclass(frozen=True, slots=True)
class YearRow:
    """One row of the seed's Table 1; lines are those that are not blank."""

    year: int
    notes: int
    lines: int
    tokens: int

    @property
    def tokens_per_note(self) -> float:
        """Mean length of a note in tokens."""
        return self.tokens / self.notes

    @property
    def tokens_per_line(self) -> float:
        """Mean length of a line in tokens."""
        return self.tokens / self.lines


TABLE_1 = (
    YearRow(2004, 2_272, 302_997, 1_823_801),
    YearRow(2005, 2_432, 338_047, 2_020_605),
    YearRow(2006, 2_185, 300_386, 1_872_093),
    YearRow(2007, 2_163, 371_703, 2_381_309),
    YearRow(2008, 1_989, 364_386, 2_427_136),
    YearRow(2009, 11_029, 1_368_488, 8_462_008),
    YearRow(2010, 44_099, 5_095_453, 30_330_830),
    YearRow(2011, 44_969, 5_327_624, 31_887_364),
    YearRow(2013, 22_426, 2_515_247, 14_414_940),
    YearRow(2014, 45_087, 5_845_171, 33_803_759),
    YearRow(2016, 2_249, 516_175, 3_335_795),
)
_CUMULATIVE = list(accumulate(row.notes for row in TABLE_1))
_BY_YEAR = {row.year: row for row in TABLE_1}
_ALL = YearRow(0, sum(r.notes for r in TABLE_1), sum(r.lines for r in TABLE_1), sum(r.tokens for r in TABLE_1))


def draw_year(draw: Draw) -> int:
    """A year, as likely as its share of the seed's notes."""
    return TABLE_1[bisect(_CUMULATIVE, draw.random() * _CUMULATIVE[-1])].year


def row_of(year: int) -> YearRow:
    """The row of a year; the table's sums for a year that it does not have."""
    return _BY_YEAR.get(year, _ALL)
