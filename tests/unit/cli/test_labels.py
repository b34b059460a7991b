"""`deid labels`: the whole label table, as a spreadsheet or `cut` reads it."""

from __future__ import annotations

import csv
import io

import pytest

from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.core.labels import Label, PhiType


def test_it_prints_a_head_line_and_a_line_for_each_type(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["labels"]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert out.startswith("type\tlabel\tcategory\tkind\ti2b2\thipaa\tgemtex\n")
    rows = list(csv.DictReader(io.StringIO(out), delimiter="\t", strict=True))
    assert [row["type"] for row in rows] == list(PhiType)
    assert {row["label"] for row in rows} == set(Label)
    assert all(None not in row and None not in row.values() for row in rows)
    by_type = {row["type"]: row for row in rows}
    assert by_type["birth_date"] == {
        "type": "birth_date", "label": "DATE", "category": "Date", "kind": "Birthdate", "i2b2": "DATE", "hipaa": "3",
        "gemtex": "DATE_BIRTH",
    }  # fmt: skip
    assert (by_type["salute"]["hipaa"], by_type["salute"]["gemtex"]) == ("0", "")


def test_its_help_explains_each_column(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["labels", "--help"])
    told = capsys.readouterr().out
    main(["labels"])
    head = capsys.readouterr().out.splitlines()[0].split("\t")
    assert [name for name in head if name not in told.split("Columns")[1]] == []


def test_it_takes_no_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        main(["labels", "PER"])
    assert leave.value.code == ExitCode.USAGE
