"""Signs of those who dictated or wrote a letter, and what looks like them."""

from __future__ import annotations

import pytest

from deid_core.config import ContextSettings
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.note import Note
from deid_core.recognise.base import Document
from deid_core.recognise.context import ContextRecogniser
from deid_core.tokens import Vocabulary


def signs(text: str, gazetteer: Gazetteer) -> list[str]:
    vocabulary = Vocabulary()
    recogniser = ContextRecogniser(ContextSettings(kind="context"), gazetteer, vocabulary)
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    return [text[d.start : d.end] for d in sorted(recogniser.recognise(document)) if d.rule == "sign"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Beispielstadt, 3.4.2010 mü/kb\n\nSehr geehrte Damen", ["mü", "kb"]),
        ("Oberarzt\n\nzoe/ju/hd", ["zoe", "ju", "hd"]),
        ("M. Xyla      (ah/ku)", ["ah", "ku"]),
        ("Beispielstadt, 3.4.2010 / muc\n", ["muc"]),
        ("Diktat Mu, geschr. 3.4. kb", ["Mu", "kb"]),
        ("Diktat Prof. gr/ Schreibb. wm", ["gr", "wm"]),
        ("diktiert von mü am 3.4.", ["mü"]),
        ("Protokoll: kb", ["kb"]),
        ("erbrochen. brx\nschläft. qwx\nstabil. brx\nruhig. brx", ["brx", "brx", "brx"]),
        ("erbrochen. brx\nschläft. qwx", []),
        ("150 mg/dl\n5 ml/min\nfrequenz 60/min", []),
        ("re/li\nund/oder", []),
        ("Diktat und Kontrolle", []),
    ],
)
def test_cases(text: str, expected: list[str], small_gazetteer: Gazetteer) -> None:
    assert signs(text, small_gazetteer) == expected
