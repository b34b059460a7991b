"""Recogniser `address`: the cases of tests/cases/address, and what holds for any text."""

from __future__ import annotations

import pytest
from case_files import CASES_DIR, Case, read_cases
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import Label
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.address.recogniser import AddressRecogniser
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

GAZETTEER = compile_lists(
    {
        ListKind.TOWN: ["Weil"],
        ListKind.STREET_SUFFIX: ["platz", "weg", "straße"],
        ListKind.STOP_WORD: ["der", "die", "in", "am", "im"],
        ListKind.MEDICAL_WORD: ["ekg", "bett", "ruhe", "belastung", "arbeitsplatz", "verlauf"],
        ListKind.COMMON_WORD: ["abend", "linden", "mittel", "spaziergang", "scheidung", "steinen", "unter"],
    }
)
CASES = [case for file in sorted((CASES_DIR / "address").glob("*.tsv")) for case in read_cases(file)]


def detections(text: str) -> list[Detection]:
    vocabulary = Vocabulary()
    recogniser = AddressRecogniser(GAZETTEER, vocabulary)
    return list(recogniser.recognise(Document(Note("n", text), vocabulary.tokenise(text), vocabulary)))


@pytest.mark.parametrize("case", CASES, ids=[case.place for case in CASES])
def test_case(case: Case) -> None:
    found = detections(case.text)
    assert case.written(found) == case.expected
    assert {d.label for d in found} <= {Label.LOC}


def test_there_are_cases_of_both_kinds() -> None:
    assert sum(case.expected != "-" for case in CASES) >= 30
    assert sum(case.expected == "-" for case in CASES) >= 20


PARTS = [*"Am In der in wohnt Xylo Neckar am Bad Platz Postfach 12 76543 ( ) , . geboren".split(), "\n"]


@given(st.lists(st.sampled_from(PARTS), max_size=25), st.sampled_from(["", " ", "  "]))
def test_a_detection_begins_and_ends_with_text(parts: list[str], gap: str) -> None:
    text = gap.join(parts)
    for detection in detections(text):
        name = text[detection.start : detection.end]
        assert name == name.strip() != ""
