"""Addresses that no list knows: what makes a street or a town, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import Label
from deid_core.core.note import Note
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


def found(text: str) -> list[str]:
    vocabulary = Vocabulary()
    recogniser = AddressRecogniser(GAZETTEER, vocabulary)
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    detections = list(recogniser.recognise(document))
    assert {d.label for d in detections} <= {Label.LOC}
    return sorted({text[d.start : d.end] for d in detections})


@pytest.mark.parametrize(
    ("text", "street"),
    [
        ("am Morgen, Am Sportplatz 52 gestürzt", "Am Sportplatz 52"),
        ("Das Haus Am Alten Gaswerk 7b brannte", "Am Alten Gaswerk 7b"),
        ("wohnhaft In der Aue 12", "In der Aue 12"),
        ("wohnhaft in der Aue 12 seit", "in der Aue 12"),
        ("wohnhaft in Lange Reihe 72", "Lange Reihe 72"),
        ("Anschrift: Im Xylo 3", "Im Xylo 3"),
        ("Unter den Linden 5, 10117 Xstadt", "Unter den Linden 5"),
        ("Im Neuenheimer Feld 400", "Im Neuenheimer Feld 400"),
        ("ihre Tochter (Zum Stellwerk 95) kam", "Zum Stellwerk 95"),
        ("Am Mühlbach 4\n76543 Xstadt", "Am Mühlbach 4"),
        ("Postfach 1120", "Postfach 1120"),
        ("Postfach 10 11 20, Xstadt", "Postfach 10 11 20"),
        ("in der Straße des 17. Juni 135 gestürzt", "Straße des 17. Juni 135"),
        ("Platz der Republik 1", "Platz der Republik 1"),
    ],
)
def test_streets(text: str, street: str) -> None:
    assert found(text) == [street]


@pytest.mark.parametrize(
    "text",
    [
        "am 12. Tag",
        "im Bett 3",
        "Im EKG 2",
        "(Im EKG 2)",
        "Am Abend 1",
        "(Am Abend 1)",
        "In Ruhe 2",
        "In Ruhe 2, Unter Belastung 3, Im Verlauf 2,",
        "Am Arbeitsplatz 2",
        "Im Xylo 3 weitere",
        "Im Mittel 3",
        "Am Sportplatz 12.5.2010",
        "Am Sportplatz 12 % Steigung",
        "Am Sportplatz",
    ],
)
def test_no_streets(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "town"),
    [
        ("Sie wohnt in Xylostedt.", "Xylostedt"),
        ("lebt seit 1990 mit der Tochter in Xylostedt", "Xylostedt"),
        ("stammt aus Xylostedt und", "Xylostedt"),
        ("in Xylostedt geboren", "Xylostedt"),
        ("in Xylostedt aufgewachsen", "Xylostedt"),
        ("wohnt in Weil am Rhein", "Weil am Rhein"),
        ("72160 Steinen am Neckar", "Steinen am Neckar"),
        ("Kur in Bad Xylo", "Bad Xylo"),
    ],
)
def test_towns(text: str, town: str) -> None:
    assert found(text) == [town]


@pytest.mark.parametrize(
    "text",
    [
        "lebt in Scheidung",
        "wohnt in Mietwohnung",
        "geboren in Xylolage",
        "lebt allein. Xylo in Xylostedt",
        "Spaziergang am Neckar",
        "wohnt\nin Xylostedt",
        "war in Xylostedt",
    ],
)
def test_no_towns(text: str) -> None:
    assert found(text) == []


PARTS = [*"Am In der in wohnt Xylo Neckar am Bad Platz Postfach 12 76543 ( ) , . geboren".split(), "\n"]


@given(st.lists(st.sampled_from(PARTS), max_size=25), st.sampled_from(["", " ", "  "]))
def test_detections_lie_on_text_whatever_it_is(parts: list[str], gap: str) -> None:
    for name in found(gap.join(parts)):
        assert name == name.strip() != ""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("am Flughafen Weil kontrolliert", "Flughafen Weil"),
        ("im Strandbad Quellsee", "Strandbad Quellsee"),
        ("Angeln am Xylower See", "Xylower See"),
        ("lag am Bahnhof im Bett", None),
        ("am großen See", None),
        ("der Verlauf im Bahnhof Belastung", None),
    ],
)
def test_places(text: str, place: str | None) -> None:
    assert found(text) == ([place] if place else [])


@pytest.mark.parametrize(
    ("text", "street"),
    [
        ("Gampelmoos 3 - A-6700 Musterstadt", "Gampelmoos 3"),
        ("muster hubert, *17.8.34\nim brühl 4, 54321 musterdorf", "im brühl 4"),
        ("ADRESSE: BI DE KARK 2, 25999 MUSTERBY", "BI DE KARK 2"),
        ("Adresse\tMustergracht 208, 3581 KN Musterdam", "Mustergracht 208"),
        ("zuletzt wohnhaft: Marktp1atz 6, 54321 Musterdorf", "Marktp1atz 6"),
        ("wohnh.: Musterdorf, Marktp1atz 6   Kasse LKK", "Marktp1atz 6"),
        ("wohnhaft\tMusterburg, Obertor 6\nTel.", "Obertor 6"),
        ("EINSATZORT: MUSTERHANG 22, BEI KNARZ", "MUSTERHANG 22"),
        ("geb. 1.2.1950, wh. Gampelmoos 3, 12345 Musterstadt", "Gampelmoos 3"),
    ],
)
def test_a_street_before_a_postcode_needs_no_street_word(text: str, street: str) -> None:
    assert street in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Zimmer 12, 54321 Musterdorf",
        "Station 3, 54321 Musterdorf",
        "am 3, 54321 Musterdorf",
        "Wert 12, 1500 ml",
        "Knarz 4, 54321",
    ],
)
def test_what_is_no_street_before_a_postcode(text: str) -> None:
    assert found(text) == []
