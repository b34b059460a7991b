"""The forms of a name in a letter: as it is, in the genitive, in capitals, misspelt by the half's typo rules.

The generator wrote the forms, so they can be told exactly: `variants_of` makes all forms of a name, `in_form` puts
another name into the same form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.lists import Typo
from deid_core.lab.synthetic.typos import misspelt

_DOTLESS = str.maketrans({"ı": "i", "’": "'"})
_SIBILANTS = ("s", "ß", "x", "z")


class WrittenForm(StrEnum):
    """What happened to a name, capitals apart."""

    PLAIN = "plain"
    GENITIVE = "genitive"
    MISSPELT = "misspelt"
    MISSPELT_GENITIVE = "misspelt_genitive"


def folded(name: str) -> str:
    """The name without regard to capitals; capitals write ß as SS and ı as I."""
    return name.casefold().replace("\u0307", "").translate(_DOTLESS)


def variants_of(name: str, rules: Sequence[Typo]) -> Iterator[tuple[str, WrittenForm]]:
    """Every other form of a folded name, folded, with what happened to it."""
    genitives = (f"{name}s", f"{name}'")
    for genitive in genitives:
        yield genitive, WrittenForm.GENITIVE
    for wrong in _typed(name, rules):
        yield wrong, WrittenForm.MISSPELT
    for genitive in genitives:
        for wrong in _typed(genitive, rules):
            yield wrong, WrittenForm.MISSPELT_GENITIVE


def in_form(surrogate: str, form: WrittenForm, original: str, rules: Sequence[Typo]) -> str:
    """The surrogate in the form of the original; the same original is misspelt the same way."""
    if form in (WrittenForm.GENITIVE, WrittenForm.MISSPELT_GENITIVE):
        surrogate += "'" if surrogate.endswith(_SIBILANTS) else "s"
    if form in (WrittenForm.MISSPELT, WrittenForm.MISSPELT_GENITIVE):
        surrogate = misspelt(surrogate, Draw(f"{surrogate}:{original}"), rules)
    return surrogate.upper() if len(original) > 1 and original.isupper() else surrogate


def _typed(name: str, rules: Sequence[Typo]) -> Iterator[str]:
    for right, wrong in rules:
        at = name.find(right, 1)
        while at > 0:
            yield name[:at] + wrong + name[at + len(right) :]
            at = name.find(right, at + 1)
