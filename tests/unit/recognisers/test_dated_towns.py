"""A town and a date in brackets are found together and never dropped; other words in brackets are not."""

from __future__ import annotations

import pytest
from test_gazetteer_recogniser import GAZETTEER

from deid_core.core.note import Note
from deid_core.ensemble.certain_forms import is_never_dropped
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec
from deid_core.recognisers.gazetteer import GazetteerRecogniser
from deid_core.recognisers.settings import GazetteerRecogniserSettings
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

LISTS = ["town", "street", "first_name", "surname"]


def certain(text: str) -> list[str]:
    vocabulary = Vocabulary()
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    settings = GazetteerRecogniserSettings(kind="gazetteer", lists=LISTS, ambiguous="context")
    found = GazetteerRecogniser(settings, GAZETTEER, vocabulary).recognise(document)
    return [text[d.start : d.end] for d in found if is_never_dropped(d.recogniser, d.rule)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Z.n. Bypass (Heidelberg 2013)", ["Heidelberg", "2013"]),
        ("Z.n. Bypass (Bad Homburg, 03/2013), TEP", ["Bad Homburg", "03/2013"]),
        ("Z.n. Bypass (OP 2011, Heidelberg 12.3.2013; gut)", ["Heidelberg", "12.3.2013"]),
        ("Unfall (Essen 1987)", ["Essen", "1987"]),
        ("Pause (Ruhe 2013)", []),
        ("Tumor (Berg 2013)", []),
        ("Test (Koch 2013)", []),
        ("Test (Heidelberg 2013", []),
        ("in Heidelberg 2013)", []),
        ("(Heidelberg) 2013", []),
        ("(Heidelberg 20 mg)", []),
    ],
)
def test_town_and_date_in_brackets(text: str, names: list[str]) -> None:
    assert certain(text) == names


def test_the_stacking_model_drops_neither() -> None:
    engine = Engine(engine_spec("default"))
    text = "Diagnosen:\nZ.n. Apoplex (Mannheim 2013)\nZ.n. Bypass (Heidelberg 2013), Sepsis-3 (Singer 2016)\n"
    removed = {text[span.start : span.end] for span in engine.annotate(Note("n", text))}
    assert {"Mannheim", "Heidelberg", "2013"} <= removed and not {"Singer", "2016"} & removed
