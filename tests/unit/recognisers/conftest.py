"""Small gazetteers that say nothing but what the tests need, and what reads with one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deid_core.core.labels import PhiType
from deid_core.core.note import Note
from deid_core.lexicon.gazetteer.automaton import Gazetteer, compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.institution import InstitutionRecogniser
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary


@pytest.fixture(scope="session")
def small_gazetteer() -> Gazetteer:
    return compile_lists(
        {
            ListKind.FIRST_NAME: ["Anna", "Peter", "Erika"],
            ListKind.SURNAME: ["Müller", "Stein", "Sommer"],
            ListKind.TOWN: ["Heidelberg", "Essen"],
            ListKind.STREET: ["Hauptstraße"],
            ListKind.STOP_WORD: ["der", "die", "und", "an", "in"],
            ListKind.CLINIC_WORD: ["klinikum", "kardiologie", "abteilung", "tel", "oberarzt", "patient"],
            ListKind.TITLE: ["Dr.", "med."],
            ListKind.SALUTATION: ["Herr", "Frau", "Herrn"],
            ListKind.COMMON_WORD: ["stein", "sommer", "essen", "vorstellung", "diagnosen", "brief", "haus"],
        }
    )


@pytest.fixture(scope="session")
def institutions() -> Callable[[str], list[tuple[str, PhiType]]]:
    """What the recogniser `institution` finds in a text, and as what."""
    gazetteer = compile_lists(
        {
            ListKind.FIRST_NAME: ["Anna"],
            ListKind.SURNAME: ["Knarz"],
            ListKind.TOWN: ["Heidelberg", "Biberach", "Singen"],
            ListKind.REGION: ["Odenwald"],
            ListKind.COUNTRY: ["Kasachstan", "Dänemark"],
            ListKind.CLINIC_WORD: ["klinik", "kardiologie", "innere", "station", "praxis", "abteilung", "labor"],
            ListKind.MEDICAL_WORD: ["lunge", "herz", "kalium", "befund", "gallenstein"],
            ListKind.STOP_WORD: ["der", "die", "und", "für", "auf", "in", "aus", "war", "an"],
            ListKind.COMMON_WORD: [
                "medizin", "tage", "besserung", "hummel", "singen", "pause", "bauernhof", "markt", "visite", "weg",
                "heute", "gestern", "patient", "schule", "dorf", "wald", "hand", "wohnt", "urlaub", "wieder", "kommt",
            ],
        }
    )  # fmt: skip

    def found(text: str) -> list[tuple[str, PhiType]]:
        vocabulary = Vocabulary()
        recogniser = InstitutionRecogniser(gazetteer, vocabulary)
        document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
        return [(text[d.start : d.end], d.type) for d in recogniser.recognise(document)]

    return found
