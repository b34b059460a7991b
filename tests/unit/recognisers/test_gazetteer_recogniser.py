"""Recogniser `gazetteer`: the seed's street expression, labels by the order of lists, and evidence in context."""

from __future__ import annotations

import re

import pytest
from case_files import CASES_DIR, Case, read_cases
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.gazetteer import GazetteerRecogniser
from deid_core.recognisers.settings import GazetteerRecogniserSettings
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

GAZETTEER = compile_lists(
    {
        ListKind.FIRST_NAME: ["Peter", "Rose", "Anna", "Die"],
        ListKind.SURNAME: ["Müller", "Stein", "Yilmaz", "Parkinson", "Koch", "Herr", "Berg", "Sehr"],
        ListKind.TOWN: ["Essen", "Bad Homburg", "Bergen", "Heidelberg", "Berg", "Ruhe"],
        ListKind.STREET: ["Hauptstraße", "Berliner Straße", "Kirchweg", "Ring", "Am Alten Markt", "Breite"],
        ListKind.COUNTRY: ["USA", "Türkei"],
        ListKind.COMMON_WORD: [
            "stein",
            "essen",
            "bergen",
            "rose",
            "berg",
            "breite",
            "kirchweg",
            "ring",
            "alten",
            "markt",
        ],
        ListKind.MEDICAL_WORD: ["ruhe"],
        ListKind.EPONYM: ["Parkinson", "Koch"],
        ListKind.STOP_WORD: ["die", "sehr", "am"],
        ListKind.TITLE: ["Dr.", "Prof.", "med."],
        ListKind.SALUTATION: ["Herr", "Herrn", "Frau"],
        ListKind.STREET_SUFFIX: ["straße", "str.", "weg", "Weg", "ring", "Ring", "Straße"],
    }
)
HOUSE_NUMBERS = read_cases(CASES_DIR / "gazetteer" / "house-numbers.tsv")
EVIDENCE = read_cases(CASES_DIR / "gazetteer" / "evidence.tsv")
LISTS = ["street", "town", "country", "first_name", "surname"]


def detections(text: str, ambiguous: str = "accept", lists: list[str] | None = None) -> list[Detection]:
    settings = GazetteerRecogniserSettings.model_validate(
        {"kind": "gazetteer", "lists": lists or LISTS, "ambiguous": ambiguous}
    )
    vocabulary = Vocabulary()
    recogniser = GazetteerRecogniser(settings, GAZETTEER, vocabulary)
    return list(recogniser.recognise(Document(Note("n", text), vocabulary.tokenise(text), vocabulary)))


def found(text: str, ambiguous: str = "accept") -> list[tuple[str, str]]:
    return [(text[d.start : d.end], d.rule) for d in detections(text, ambiguous)]


SEED = r"Haupt[sS]tr[.]?(a(ß|ss)e)? [0-9]{0,3}[a-zA-Z]?[. ,]?"


@given(st.from_regex(re.compile(SEED, re.ASCII), fullmatch=True))
def test_all_that_the_seeds_expression_takes_is_detected(address: str) -> None:
    text = f"wohnt {address}; seit"
    spans = [(d.start, d.end) for d in detections(text, lists=["street"])]
    # What the expression takes at its end beside the number are blanks and marks, which hide nobody.
    assert spans and spans[0][0] == 6
    assert text[spans[0][1] : 6 + len(address)].strip(" .,") == ""


@pytest.mark.parametrize("case", HOUSE_NUMBERS, ids=[case.place for case in HOUSE_NUMBERS])
def test_house_numbers_belong_to_the_street(case: Case) -> None:
    assert case.written(detections(case.text)) == case.expected


def test_accept_takes_every_list_word_as_the_seed_does() -> None:
    assert found("Die Rose. Sehr Stein") == [
        ("Die", "first_name"),
        ("Rose", "first_name"),
        ("Sehr", "surname"),
        ("Stein", "surname"),
    ]


def test_accept_takes_words_only_as_the_list_has_them() -> None:
    assert found("Müllers MÜLLER Mueller müller") == []


def test_the_first_list_gives_the_label() -> None:
    assert detections("Berg")[0].label is Label.LOC
    assert detections("Berg", lists=["surname", "town"])[0].label is Label.PER


@pytest.mark.parametrize("case", EVIDENCE, ids=[case.place for case in EVIDENCE])
def test_evidence_for_and_against_a_name(case: Case) -> None:
    assert case.written(detections(case.text, "context")) == case.expected


def test_inflected_forms_count_less() -> None:
    (exact,), (inflected,) = detections("wegen Müller", "context"), detections("wegen Müllers", "context")
    assert inflected.score < exact.score < 1


def test_an_unknown_list_is_named_with_those_that_exist() -> None:
    with pytest.raises(ConfigurationError, match=r"'steets'.*street"):
        detections("", lists=["steets"])


@given(
    st.lists(
        st.sampled_from("Frau Herr Peter Stein Müller Dr. in Essen Hauptstr. 12 , . \n Koch Morbus".split(" ")),
        max_size=20,
    )
)
def test_detections_are_in_the_text_and_do_not_depend_on_what_came_before(words: list[str]) -> None:
    text = " ".join(words)
    alone = detections(text, "context")
    assert all(0 <= d.start < d.end <= len(text) and text[d.start : d.end].strip() for d in alone)
    settings = GazetteerRecogniserSettings(kind="gazetteer", lists=LISTS, ambiguous="context")
    vocabulary = Vocabulary()
    recogniser = GazetteerRecogniser(settings, GAZETTEER, vocabulary)
    for note in ("Frau Berg in Bergen", text):
        last = list(recogniser.recognise(Document(Note("n", note), vocabulary.tokenise(note), vocabulary)))
    assert last == alone
