"""Seed 003's tables: F1 from precision and recall (Table 5), parts of the error analysis (Table 7).

All of them give what the seed prints. Seed 002's tables are pictures in the text we have, so nothing of it is here.
"""

from __future__ import annotations

import pytest

from deid_core.lab.evaluate.error_kinds import ErrorCase, ErrorOutcome, Kind, Side
from deid_core.lab.evaluate.error_report import kind_rows
from deid_core.lab.evaluate.scores import Scores

TABLE_5 = [
    (0.807, 0.564, 0.664),
    (0.919, 0.775, 0.841),
    (0.917, 0.871, 0.893),
    (0.952, 0.796, 0.867),
    (0.959, 0.869, 0.912),
    (0.914, 0.685, 0.783),
    (0.886, 0.797, 0.839),
]

# Those of Table 7's categories that a rule can tell: false negatives of 469, false positives of 288, with their parts.
TABLE_7 = {
    Kind.ABBREVIATION: (65, "13.9%", 28, "9.7%"),
    Kind.AMBIGUITY: (15, "3.2%", 7, "2.4%"),
    Kind.PREFIX: (10, "2.1%", 10, "3.5%"),
    Kind.COMMON_LANGUAGE: (35, "7.5%", 9, "3.1%"),
    Kind.TOKENISATION: (41, "8.7%", 20, "6.9%"),
    Kind.MISSING_ANNOTATION: (0, "0.0%", 33, "11.5%"),
}


@pytest.mark.parametrize(("precision", "recall", "f1"), TABLE_5)
def test_table_5s_f1_follows_from_precision_and_recall(precision: float, recall: float, f1: float) -> None:
    # Of 1,000,000 gold entities, in whole numbers.
    right = round(recall * 1_000_000)
    scores = Scores(right, round(right / precision) - right, 1_000_000 - right)
    assert scores.precision == pytest.approx(precision, abs=1e-6)
    assert scores.f(1) == pytest.approx(f1, abs=6e-4)


def test_table_7s_parts_follow_from_its_counts() -> None:
    cases = []
    for side, column, total in ((Side.FALSE_NEGATIVE, 0, 469), (Side.FALSE_POSITIVE, 2, 288)):
        named = {kind: int(row[column]) for kind, row in TABLE_7.items()}
        named[Kind.OTHER] = total - sum(named.values())
        for kind, number in named.items():
            cases += [ErrorCase(0, 0, 1, "PER", "", side, ErrorOutcome.MISSED, kind, True)] * number
    rows = {row[0]: row[1:] for row in kind_rows(cases)}
    for kind, (fn, fn_part, fp, fp_part) in TABLE_7.items():
        assert rows[kind] == (str(fn), fn_part, str(fp), fp_part)
    assert rows["total"] == ("469", "", "288", "")
