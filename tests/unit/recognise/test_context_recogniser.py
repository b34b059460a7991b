"""Names by context: what is found, where a name ends, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.config import ContextSettings
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.note import Note
from deid_core.recognise.base import Document
from deid_core.recognise.context import ContextRecogniser
from deid_core.tokens import Vocabulary


def names(text: str, gazetteer: Gazetteer) -> list[str]:
    vocabulary = Vocabulary()
    recogniser = ContextRecogniser(ContextSettings(kind="context"), gazetteer, vocabulary)
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    return sorted({text[d.start : d.end] for d in recogniser.recognise(document)})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Herr Xylander kam.", ["Xylander"]),
        ("Frau Dr. med. A. von der Xyla stellte sich vor.", ["A. von der Xyla"]),
        ("Frau Anna Müller-Xyla, Hausfrau", ["Anna Müller-Xyla"]),
        ("Herrn Müller Vorstellung am Montag", ["Müller"]),
        ("Dr. Stein berichtet", ["Stein"]),
        ("Herr Stein hat einen Stein.", ["Stein"]),
        ("lebt mit ihrer Tochter Anna zusammen", ["Anna"]),
        ("die Mutter Diabetes, der Vater Herzinfarkt", []),
        ("Hausarzt: Xylander", ["Xylander"]),
        ("Hausarzt Kontrolle erbeten", []),
        ("gez. Xylander", ["Xylander"]),
        ("Xylander, Peter, geb. 1.2.1950", ["Peter", "Xylander"]),
        ("Peter Xylander * 1.2.1950", ["Peter Xylander"]),
        ("Sehr geehrte Frau Kollegin, sehr geehrter Herr Kollege,", []),
        ("die Frau kam, der herr auch", []),
        ("Herr\nXylander", []),
        ("Mit freundlichen Grüßen\n\nAnna Xyla\tP. Müller\nOberarzt\tKardiologie", ["Anna Xyla", "P. Müller"]),
    ],
)
def test_cases(text: str, expected: list[str], small_gazetteer: Gazetteer) -> None:
    assert names(text, small_gazetteer) == expected


@given(text=st.text(alphabet="Herr FauDmd.Müleg,\n\t-ABc:*1", max_size=200))
def test_detections_lie_on_text_whatever_it_is(text: str, small_gazetteer: Gazetteer) -> None:
    for name in names(text, small_gazetteer):
        assert name == name.strip() != ""
