"""Contexts in which a name is that of a disease, a sign or a device, and in which it may be a person's."""

from __future__ import annotations

import numpy as np
import pytest
from case_files import CASES_DIR, Case, read_cases

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.disambiguation.eponym_places import eponym_places
from deid_core.lexicon.disambiguation.eponyms import EponymFlag, eponym_flags, has_value, is_eponym
from deid_core.text.vocabulary import Vocabulary

EPONYMS = read_cases(CASES_DIR / "disambiguation" / "eponyms.tsv")


def readings(text: str) -> list[Detection]:
    """Return "eponym" or "value" for the name Beispiel, if it is one or has one."""
    vocabulary = Vocabulary()
    tokens = vocabulary.tokenise(text)
    flags = eponym_flags(vocabulary).gather(tokens.types)
    (token,) = np.flatnonzero(tokens.types == vocabulary.number("Beispiel")).tolist()
    found = {
        "eponym": is_eponym(flags, tokens.breaks, token, token + 1),
        "value": has_value(flags, tokens.breaks, token + 1),
    }
    start, end = int(tokens.starts[token]), int(tokens.ends[token])
    return [Detection(start, end, Label.PER, PhiType.PERSON, "test", rule) for rule, holds in found.items() if holds]


@pytest.mark.parametrize("case", EPONYMS, ids=[case.place for case in EPONYMS])
def test_eponyms_and_values(case: Case) -> None:
    assert case.written(readings(case.text)) == case.expected


@pytest.mark.parametrize("case", EPONYMS, ids=[case.place for case in EPONYMS])
def test_compiled_places_are_those_of_the_functions(case: Case) -> None:
    vocabulary = Vocabulary()
    tokens = vocabulary.tokenise(case.text)
    flags = eponym_flags(vocabulary).gather(tokens.types)
    expected = [
        bool(flags[at] & EponymFlag.NAME_LIKE)
        and (is_eponym(flags, tokens.breaks, at, at + 1) or has_value(flags, tokens.breaks, at + 1))
        for at in range(len(flags))
    ]
    assert eponym_places(flags, tokens.breaks).tolist() == expected
