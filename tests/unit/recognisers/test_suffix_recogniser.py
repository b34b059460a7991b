"""Recogniser `suffix`: exactly the seed's condition."""

from __future__ import annotations

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
GAZETTEER = compile_lists({ListKind.STREET_SUFFIX: STREETS, ListKind.TOWN_SUFFIX: TOWNS})


def detections(text: str) -> list[Detection]:
    settings = SuffixSettings(kind="suffix", lists=["street_suffix", "town_suffix"])
    vocabulary = Vocabulary()
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    return list(SuffixRecogniser(settings, GAZETTEER, vocabulary).recognise(document))


@given(
    st.lists(st.sampled_from([*STREETS, *TOWNS, "Haupt", "STADT", "Umweg", "Lunge", "Muster"]), max_size=8), st.data()
)
def test_a_suffix_is_enough(parts: list[str], data: st.DataObject) -> None:
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
