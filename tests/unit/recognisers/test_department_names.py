"""Departments and wards: designations and numbered wards are names, disciplines and places of a clinic are none."""

from __future__ import annotations

import pytest

from deid_core.core.labels import PhiType
from deid_core.core.note import Note
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.institution import InstitutionRecogniser
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

GAZETTEER = compile_lists(
    {
        ListKind.SURNAME: ["Knarz"],
        ListKind.TOWN: ["Heidelberg", "Biberach"],
        ListKind.CLINIC_WORD: ["klinik", "kardiologie", "innere", "station", "praxis", "abteilung", "radiologie"],
        ListKind.MEDICAL_WORD: ["lunge", "herz"],
        ListKind.STOP_WORD: ["der", "die", "und", "für", "auf"],
        ListKind.COMMON_WORD: ["medizin", "tage", "markt", "besserung"],
    }
)


def found(text: str) -> list[tuple[str, PhiType]]:
    vocabulary = Vocabulary()
    recogniser = InstitutionRecogniser(GAZETTEER, vocabulary)
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    return [(text[d.start : d.end], d.type) for d in recogniser.recognise(document)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Klinik für Kardiologie\nChefarzt", "Klinik für Kardiologie"),
        ("Abt. f. Unfallchirurgie, Tel. 3", "Abt. f. Unfallchirurgie"),
        ("Klinik für Medizin III – Kardiologie, Angiologie\n", "Klinik für Medizin III – Kardiologie, Angiologie"),
        ("Klinik für Allgemein-, Viszeral- und Gefäßchirurgie", "Klinik für Allgemein-, Viszeral- und Gefäßchirurgie"),
        ("Abteilung für Psychiatrie und suchtkranke Kinder", "Abteilung für Psychiatrie und suchtkranke Kinder"),
        ("aus der Medizinischen Klinik II übernommen", "Medizinischen Klinik II"),
        ("I. Medizinische Klinik", "I. Medizinische Klinik"),
        ("Chirurgische Abteilung\n", "Chirurgische Abteilung"),
        ("Sektion Wirbelsäulenchirurgie", "Sektion Wirbelsäulenchirurgie"),
        ("Innere Medizin III", "Innere Medizin III"),
        ("auf Station 3B verlegt", "Station 3B"),
        ("auf Station 4 Süd.", "Station 4 Süd"),
        ("(Stat. K2)", "Stat. K2"),
        ("auf St. 5 Nord", "St. 5 Nord"),
        ("Übernahme auf Station III", "Station III"),
        ("Station Knarz 2, Zimmer", "Station Knarz 2"),
        ("Station:\tA5\tFall", "A5"),
    ],
)  # fmt: skip
def test_designations(text: str, name: str) -> None:
    assert found(text) == [(name, PhiType.DEPARTMENT)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("am Institut für Pathologie Biberach, Nr. 3", "Institut für Pathologie Biberach"),
        ("Urologische Klinik Heidelberg", "Urologische Klinik Heidelberg"),
        ("Radiologie am Markt Biberach", "Radiologie am Markt Biberach"),
        ("Praxis für Nuklearmedizin Bad Schönborn", "Praxis für Nuklearmedizin Bad Schönborn"),
    ],
)
def test_with_a_place_behind_it_is_a_hospital(text: str, name: str) -> None:
    assert found(text) == [(name, PhiType.HOSPITAL)]


@pytest.mark.parametrize(
    "text",
    [
        "unsere Abteilung",
        "ein kardiologisches Konsil",
        "Facharzt für Innere Medizin",
        "Praxis für Orthopädie",
        "auf Station 3 Tage beobachtet",
        "Station am 3.4.2010",
        "CHA2DS2, St. 3 nach Fontaine, GOLD St. II",
        "auf der Intensivstation",
        "Kardiologie in Besserung",
    ],
)
def test_generic_mentions_are_no_departments(text: str) -> None:
    assert found(text) == []


def test_a_text_in_small_letters_is_read_as_if_it_had_capitals() -> None:
    text = "pat. kam am abend mit der tochter, seit tagen husten und fieber, keine luft, dann verlegung in die "
    assert found(text + "urologische klinik heidelberg, station 4b, dort weiter ohne fieber und wach") == [
        ("urologische klinik heidelberg", PhiType.HOSPITAL),
        ("station 4b", PhiType.DEPARTMENT),
    ]
