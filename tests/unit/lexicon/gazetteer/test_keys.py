"""Word keys: one key for all spellings of a street's ending, and the forms that are tried for an unknown word."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lexicon.gazetteer.keys import entry_keys, street_spellings, variant_keys, word_key


@pytest.mark.parametrize(
    "word",
    ["Hauptstraße", "Hauptstrasse", "Hauptstr.", "Hauptstr", "HauptStr.", "HauptStraße", "Haupt-Str", "Haupt-Straße"],
)
def test_spellings_of_a_street_have_one_key(word: str) -> None:
    assert word_key(word) == "Hauptstraße"


@pytest.mark.parametrize("word", ["Hauptplatz", "Müller", "Struktur", "STR"])
def test_other_words_are_their_own_key(word: str) -> None:
    assert word_key(word) == word


@given(st.from_regex(re.compile(r"[A-ZÄÖÜ][a-zäöüß]{1,12}", re.ASCII), fullmatch=True))
def test_a_key_is_a_fixed_point(word: str) -> None:
    assert word_key(word_key(word)) == word_key(word)


def test_entries_are_cut_as_notes_are() -> None:
    assert entry_keys("Frankfurt am Main") == ("Frankfurt", "am", "Main")
    assert entry_keys("Berliner Str.") == ("Berliner", "straße")


def test_other_spellings_of_streets_of_several_words() -> None:
    assert list(street_spellings(("Berliner", "straße"))) == [("Berlinerstraße",)]
    assert list(street_spellings(("Karl-Marxstraße",))) == [("Karl", "Marx", "straße")]
    assert list(street_spellings(("Am", "Bahnhof"))) == []


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("Müllers", "Müller"),
        ("Müller's", "Müller"),
        ("MÜLLER", "Müller"),
        ("MUELLERS", "Müller"),
        ("Mueller", "Müller"),
        ("Weiss", "Weiß"),
        ("MÜLLER-LÜDENSCHEID", "Müller-Lüdenscheid"),
        ("HAUPTSTRASSE", "Hauptstraße"),
    ],
)
def test_variants_lead_to_the_listed_form(word: str, key: str) -> None:
    assert key in list(variant_keys(word))


@pytest.mark.parametrize("word", ["Hals", "KHK", "Gas"])
def test_short_words_have_no_genitive(word: str) -> None:
    assert list(variant_keys(word)) == []


@given(st.text(alphabet="abcdeuosßäöüABCS-'’", min_size=1, max_size=12))
def test_a_word_is_no_variant_of_itself(word: str) -> None:
    assert word not in [key for key in variant_keys(word) if not key.endswith("straße")]
