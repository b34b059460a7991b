"""The project's own lists keep to what their headings say."""

from __future__ import annotations

from deid_core.core.data_folders import gazetteer_dir
from deid_core.core.word_lists import word_set

_SURNAMES_OF_MEDICINE = """
    Akin Arnold Bachmann Barth Beck Becker Bernard Brown Ehlers Frank Fuchs Förster Hartmann Heinz Heller
    Hoffmann Jakob Jones Kaufmann Koch Köhler König Langer Ludwig Löffler Merkel Miller Mulder Müller Nissen
    Ott Petit Reiter Riedel Ritter Roth Roux Schiller Schilling Schober Simon Singh Smith Sokolow Tanner
    Taylor Thomas Thomsen Weber Weiss Werner Williams Wilson Wolf Wolff
"""
"""Common surnames that are oftener the name of a sign or an operation where they stand in a letter without a title."""


def _own_list(name: str) -> set[str]:
    lines = (gazetteer_dir() / f"lists/{name}.txt").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def test_no_insurer_is_a_medical_term() -> None:
    """Such a word could not begin or end an institution's name."""
    terms = _own_list("medical-terms") | _own_list("medical-abbreviations") | _own_list("medicines")
    assert len(terms) > 60_000
    assert not terms & word_set("institution/insurers")


def test_no_other_common_surname_is_an_eponym() -> None:
    """An eponym's list counts against a name; so no surname comes into it unseen, with a hundred others."""
    eponyms = _own_list("eponyms")
    assert len(eponyms) > 5_000
    assert _own_list("surnames") & eponyms == set(_SURNAMES_OF_MEDICINE.split())
