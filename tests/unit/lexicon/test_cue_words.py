"""Flags of cue words: by the lists and by their shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lexicon import cue_words
from deid_core.lexicon.cue_words import CueFlag, cue_flags


@pytest.mark.parametrize(
    ("word", "flags"),
    [
        ("Herr", CueFlag.SALUTATION),
        ("Herren", CueFlag.SALUTATION | CueFlag.PLURAL),
        ("Dr.", CueFlag.TITLE),
        ("Prim.", 0),
        ("Prim", CueFlag.TITLE | CueFlag.ABBREVIATED),
        ("prim", 0),  # "primarily"
        ("OA", CueFlag.CLINICAL_ROLE),
        ("RA", CueFlag.CIVIL_ROLE | CueFlag.BEFORE_COLON),
        ("RTW", CueFlag.CLINICAL_ROLE | CueFlag.BEFORE_COLON),
        ("rtw", 0),
        ("Wundschwester", CueFlag.CLINICAL_ROLE),
        ("Bezirksinspektors", CueFlag.CIVIL_ROLE),
        ("Arztbrief", 0),
        ("geb.", CueFlag.BIRTH | CueFlag.FORMER_NAME),
        ("i.A.", CueFlag.SIGNED),
        ("i.v.", 0),  # "intravenous"
        ("von", CueFlag.PARTICLE),
        ("Von", 0),
        ("3.4.2010", CueFlag.DATE),
        ("S.", CueFlag.INITIAL),
        ("HerrMuster", CueFlag.GLUED),
        ("Frauenarzt", CueFlag.CLINICAL_ROLE),
        ("Knarz", 0),
    ],
)
def test_cue_flags(word: str, flags: int) -> None:
    assert CueFlag(cue_flags(word)) == CueFlag(flags)


def test_flags_are_plain_integers() -> None:
    assert {type(cue_flags(word)) for word in ("Herr", "von", "i.A.", "RTW", "S.", "Knarz")} == {int}


_PIECES = ("Wund", "arzt", "ÄRZTIN", "schwester", "ſ", "K", "İ", "ı", "KOMMISSAR", "chef", "in", "e", "S", "n", ".")


@given(
    st.lists(st.sampled_from(_PIECES) | st.text(st.characters(categories=["L"]), max_size=2), min_size=1).map("".join)
)
def test_every_compound_of_a_role_has_flags(word: str) -> None:
    if cue_words._COMPOUND.fullmatch(word):
        assert cue_flags(word)
