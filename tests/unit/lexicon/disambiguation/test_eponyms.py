"""Where a name stands as the name of a disease, a sign or a device, and where it may be somebody's."""

from __future__ import annotations

import numpy as np
import pytest

from deid_core.lexicon.disambiguation.eponyms import eponym_flags_of, has_value, is_eponym
from deid_core.text.vocabulary import Vocabulary


def readings(text: str, name: str) -> tuple[bool, bool]:
    """What is_eponym and has_value say of the first token `name`."""
    vocabulary = Vocabulary()
    tokens = vocabulary.tokenise(text)
    words = [vocabulary.words[number] for number in tokens.types.tolist()]
    bits = np.array([eponym_flags_of(word) for word in words], np.uint32)
    first = words.index(name)
    return is_eponym(bits, tokens.breaks, first, first + 1), has_value(bits, tokens.breaks, first + 1)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Morbus Beispiel", "Beispiel"),
        ("M. Beispiel bei der Nichte", "Beispiel"),
        ("Zugang nach Beispiel", "Beispiel"),
        ("Uhrentest mod. Beispiel", "Beispiel"),
        ("Grad III nach Beispiel und Muster", "Muster"),
        ("Arthrose nach Beispiel/Muster", "Muster"),
        ("Beispiel links positiv", "Beispiel"),
        ("Beispiel neg.", "Beispiel"),
        ("Beispiel Zeichen", "Beispiel"),
        ("Beispiel Katheter liegt", "Beispiel"),
        ("Beispiel/Muster IV", "Beispiel"),
        ("Beispiel und Muster Kriterien", "Beispiel"),
        ("will keinen Beispiel", "Beispiel"),
    ],
)
def test_eponyms(text: str, name: str) -> None:
    assert readings(text, name)[0]


@pytest.mark.parametrize(
    "text",
    [
        "Rückruf Beispiel um 10",
        "Gespräch m. Beispiel",
        "Beispiel links am Fenster",
        "Beispiel und Muster kommen",
        "Chirurgie Beispiel, Abteilung II",
        "Operation nach\nBeispiel",
        "Beispiel\npositiv",
    ],
)
def test_what_may_be_somebodys_name(text: str) -> None:
    assert readings(text, "Beispiel") == (False, False)


@pytest.mark.parametrize(
    "text", ["Beispiel IIa", "Beispiel 2,5", "Beispiel 17\nweiter", "(Beispiel 2)", "Beispiel 3a, mild"]
)
def test_a_stage_or_value_behind_a_name(text: str) -> None:
    assert readings(text, "Beispiel")[1]


@pytest.mark.parametrize("text", ["(Beispiel 211)", "Beispiel 7 Tage", "Beispiel kam"])
def test_a_number_that_is_no_value(text: str) -> None:
    assert not readings(text, "Beispiel")[1]
