"""Recogniser `suffix`: exactly the seed's condition for `accept`, and more conditions in context."""

from __future__ import annotations

import pytest
from case_files import CASES_DIR, Case, read_cases
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.settings import SuffixSettings
from deid_core.recognisers.suffix import SuffixRecogniser
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

STREETS = ["straße", "Straße", "str.", "Str.", "weg", "Weg", "gasse", "ring", "platz", "Platz"]
TOWNS = ["heim", "berg", "ingen", "stadt"]
PLACES = read_cases(CASES_DIR / "suffix" / "places.tsv")
GAZETTEER = compile_lists(
    {
        ListKind.STREET_SUFFIX: STREETS,
        ListKind.TOWN_SUFFIX: TOWNS,
        ListKind.MEDICAL_WORD: ["harnweg", "herzring", "wohlgelingen"],
        ListKind.COMMON_WORD: ["umweg", "geheim"],
    }
)


def detections(text: str, ambiguous: str = "accept", min_stem: int = 0) -> list[Detection]:
    settings = SuffixSettings.model_validate(
        {"kind": "suffix", "lists": ["street_suffix", "town_suffix"], "ambiguous": ambiguous, "min_stem": min_stem}
    )
    vocabulary = Vocabulary()
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    return list(SuffixRecogniser(settings, GAZETTEER, vocabulary).recognise(document))


@given(
    st.lists(st.sampled_from([*STREETS, *TOWNS, "Haupt", "STADT", "Umweg", "Lunge", "Muster"]), max_size=8), st.data()
)
def test_accept_is_the_seeds_condition(parts: list[str], data: st.DataObject) -> None:
    words = [data.draw(st.sampled_from(["", "Hoch", "x"])) + part for part in parts]
    text = "  ".join(words)
    vocabulary = Vocabulary()
    tokens = vocabulary.tokenise(text)
    expected = [
        (start, end)
        for start, end in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
        if text[start:end].endswith((*STREETS, *TOWNS))
    ]
    assert [(d.start, d.end) for d in detections(text)] == expected


def test_labels_and_types() -> None:
    street, town = detections("Musterstraße Musterstadt")
    assert (street.label, street.type, street.rule) == (Label.LOC, PhiType.STREET, "street_suffix")
    assert (town.label, town.type, town.rule) == (Label.LOC, PhiType.TOWN, "town_suffix")


@pytest.mark.parametrize("case", PLACES, ids=[case.place for case in PLACES])
def test_evidence_for_and_against_a_place(case: Case) -> None:
    assert case.written(detections(case.text, "context", min_stem=3)) == case.expected
