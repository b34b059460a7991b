"""A small gazetteer for the tests."""

from __future__ import annotations

import pytest

from deid_core.lexicon.gazetteer.automaton import Gazetteer, compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind


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
