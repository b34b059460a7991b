"""Formulas at a letter's end."""

from __future__ import annotations

import pytest

from deid_core.text.closing import CLOSING, CLOSING_LINE, FIRST_LETTERS

FORMULAS = (
    "Mit freundlichen Grüßen", "Mit kollegialem Gruß", "Hochachtungsvoll", "MfG", "VLG", "lg", "Liebe Grüße",
    "Herzlichst", "Freundliche Grüße", "Beste Grüsse", "Viele Gruesse", "Schöne Grüße", "Grüße", "Danke und Gruß",
    "Danke, lg",
)  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_begins_with_one_of_the_letters_that_are_looked_for_first(formula: str) -> None:
    assert CLOSING.match(formula)
    assert CLOSING_LINE.search(f"Wir danken.\n  {formula}\nEin Name")
    assert formula[0].lower() in FIRST_LETTERS


def test_every_first_letter_begins_a_formula() -> None:
    assert {formula[0].lower() for formula in FORMULAS} == set(FIRST_LETTERS)
