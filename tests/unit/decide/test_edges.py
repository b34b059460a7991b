"""Edges: what is cut from a span, what never is, and that something is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.decide.edges import Edges
from deid_core.gazetteer.compiled import compile_lists
from deid_core.gazetteer.kinds import ListKind
from deid_core.labels import PhiType, label_of
from deid_core.note import Note
from deid_core.recognise.base import Document
from deid_core.spans import Span
from deid_core.tokens import Vocabulary

GAZETTEER = compile_lists({ListKind.SURNAME: ["Muster", "Bruder"]})


def cut(text: str, *spans: tuple[int, int, PhiType]) -> list[str]:
    vocabulary = Vocabulary()
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    given = [Span(start, end, label_of(phi), phi, "crf", "r", 1.0) for start, end, phi in spans]
    return [text[span.start : span.end] for span in Edges(GAZETTEER, vocabulary).cut(document, given)]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("MTA Anna Muster", "Anna Muster"),
        ("Anna Muster vom", "Anna Muster"),
        ("dem Hinrich", "Hinrich"),
        ("JAN MUSTER HAT", "JAN MUSTER"),
        ("PJ OA Muster e.h.", "Muster"),
        ("Pat Muster", "Muster"),
        # A surname first, a name that is a role, words of one letter, what no blank parts.
        ("Bruder Anna", "Bruder Anna"),
        ("Anna Im", "Anna Im"),
        ("von der Au", "von der Au"),
        ("Springer Anna", "Springer Anna"),
        ("PJ", "PJ"),
        ("MTA", "MTA"),
        ("PJ vom", "vom"),
        ("MTA-Muster", "MTA-Muster"),
        ("mfa_muster", "mfa_muster"),
        ("Muster", "Muster"),
    ],
)
def test_what_is_cut_from_a_name(text: str, left: str) -> None:
    assert cut(text, (0, len(text), PhiType.PERSON)) == [left]


def test_of_an_identifier_the_sentences_full_stop_is_cut_and_nothing_else() -> None:
    assert cut("Nr. 12/345. Akte III 4 / Hd.", (4, 11, PhiType.ID), (17, 28, PhiType.ID)) == ["12/345", "III 4 / Hd."]


def test_other_spans_stay_as_they_are() -> None:
    text = "Station vom Klinikum, am 3."
    assert cut(text, (0, 11, PhiType.DEPARTMENT), (25, 27, PhiType.DATE)) == ["Station vom", "3."]


WORDS = ["MTA", "Anna", "vom", "-", "OA", "HAT", "Muster", "\n", "x", "3", "von"]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join), st.sampled_from(list(PhiType)))
def test_something_is_left_and_none_of_it_is_new(text: str, phi: PhiType) -> None:
    stripped = text.strip()
    if not stripped:
        return
    start = text.index(stripped)
    (left,) = cut(text, (start, start + len(stripped), phi))
    assert left and left in stripped
    assert left.strip() == left
    assert "Muster" in left or "Muster" not in stripped
    assert "Anna" in left or "Anna" not in stripped
