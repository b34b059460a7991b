"""Where columns and cells begin."""

from __future__ import annotations

import pytest

from deid_core.core.note import Note
from deid_core.text.column_starts import CELL, COLUMN
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Muster   Probe", {"Probe": COLUMN}),
        ("Muster  Probe", {}),
        ("Leuko\t5,2\t4,8", {"5,2": CELL, "4,8": CELL}),
        ("Leuko \t 5,2", {"5,2": CELL}),
        ("Leuko\n   5,2\n\n\tHb", {}),
        ("   Leuko", {}),
        ("", {}),
    ],
)
def test_columns_and_cells_begin_within_a_line(text: str, expected: dict[str, int]) -> None:
    vocabulary = Vocabulary()
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    starts = document.column_starts.tolist()
    assert {document.word(at): start for at, start in enumerate(starts) if start} == expected
