"""The patient's full name is the patient's in any line; a namesake with a title or a word of kinship is not."""

from __future__ import annotations

import re

import pytest

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Span
from deid_core.ensemble.subtype.patient_name import patients_names

_TAG = re.compile(r"<(?P<type>\w+)>(?P<text>.*?)</\w+>")
HEAD = "Betr.: <salute>Frau</salute> <patient>Hedwig Zorbinski</patient>, geb. <birth_date>3.4.1951</birth_date>\n"
SURNAME = "wir berichten über <salute>Frau</salute> <patient>H. Zorbinski</patient>, die am Montag kam.\n"
STREET = ", <street>Ahornweg 3</street>"


def found(marked: str) -> list[str]:
    """Return the names that become the patient's in a text with the spans' types as tags."""
    text, spans, at = "", [], 0
    for match in _TAG.finditer(marked):
        text += marked[at : match.start()]
        phi, at = PhiType(match["type"]), match.end()
        spans.append(Span(len(text), len(text) + len(match["text"]), label_of(phi), phi, "crf", "crf.PER"))
        text += match["text"]
    text += marked[at:]
    return [text[spans[number].start : spans[number].end] for number in patients_names(text, spans)]


@pytest.mark.parametrize(
    "line",
    [
        "Nachrichtlich: <salute>Frau</salute> <relative>Hedwig Zorbinski</relative>" + STREET,
        "Kopie an <clinician>Zorbinski, Hedwig</clinician>",
        "Arztbrief <person>HEDWIG ZORBINSKI</person>",
    ],
)
def test_the_full_name_of_the_name_before_the_birth_date(line: str) -> None:
    assert len(found(HEAD + line)) == 1
    assert len(found(line + "\n" + HEAD)) == 1


def test_a_copy_with_an_address_where_nothing_else_has_the_full_name() -> None:
    copy = "Nachrichtlich: <salute>Frau</salute> <relative>Hedwig Zorbinski</relative>"
    assert found(copy + STREET + "\n" + SURNAME) == ["Hedwig Zorbinski"]
    assert found(copy + "\n<postcode>69120</postcode> Heidelberg\n" + SURNAME) == ["Hedwig Zorbinski"]
    assert found(copy + " war dabei.\n" + SURNAME) == []
    # A mother writes for her child.
    assert found(copy + STREET + "\n" + HEAD.replace("Hedwig", "Tim")) == []


@pytest.mark.parametrize(
    "line",
    [
        "<title>Dr.</title> <clinician>Hedwig Zorbinski</clinician>" + STREET,
        "die Mutter <relative>Hedwig Zorbinski</relative> sen.",
        "an die Tochter, <salute>Frau</salute> <relative>Hedwig Zorbinski</relative>" + STREET,
        "<salute>Frau</salute> <relative>Zorbinski</relative>" + STREET,
        "<salute>Frau</salute> <relative>Clara Zorbinski</relative>" + STREET,
        "<salute>Frau</salute> <relative>Hedwig Kern</relative>" + STREET,
        "<town>Hedwig Zorbinski</town>",
    ],
)
def test_others_stay(line: str) -> None:
    assert found(HEAD + line) == []


def test_a_note_without_a_patients_name_has_nothing_to_compare() -> None:
    assert found("Nachrichtlich: <salute>Frau</salute> <relative>Hedwig Zorbinski</relative>" + STREET) == []
