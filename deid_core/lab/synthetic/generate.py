"""One note from seed, split and index and nothing else, so that notes can be made in any order and in parallel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.synthetic.case import Case
from deid_core.lab.synthetic.compose import Body
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.letter import Letter
from deid_core.lab.synthetic.lists import lists_of
from deid_core.lab.synthetic.rendering import render
from deid_core.lab.synthetic.templates import templates_of
from deid_core.lab.synthetic.years import draw_year, row_of

_AGE_IN = 2010
"""The year in which a patient with notes of several years has the age that is drawn: in the middle of Table 1."""


@dataclass(frozen=True, slots=True)
class SyntheticNote:
    """A synthetic note, its gold spans, and the letter it was rendered from."""

    note: Note
    gold: tuple[GoldSpan, ...]
    letter: Letter


def generate_note(
    seed: int, split: str, index: int, year: int | None = None, notes_per_patient: int = 1
) -> SyntheticNote:
    """The note with this number; its id is "<split>-<seed>-<index>".

    split: "train" or "test". year: of the letter; None draws one as seed 000's Table 1 has them. notes_per_patient: so
    many notes, one after the other, are of the same patient.
    Raises ConfigurationError for a split that does not exist.
    """
    draw = Draw(f"{seed}:{split}:{index}")
    drawn = draw_year(draw)
    asked = year
    year = drawn if year is None else year
    templates = templates_of(split)
    case = Case(draw, lists_of(split), year)
    if notes_per_patient > 1:
        case = case.of_patient(patient_case(seed, split, patient_of(index, notes_per_patient), asked))
    layout = draw.pick(templates.layouts)
    letter = layout.fill(case, templates.sentences, Body(case, templates, row_of(year)).write)
    note, gold = render(letter, f"{split}-{seed}-{index:06}", year)
    return SyntheticNote(note, gold, letter)


def iter_notes(
    count: int,
    *,
    seed: int,
    split: str = "train",
    year: int | None = None,
    start: int = 0,
    notes_per_patient: int = 1,
) -> Iterator[SyntheticNote]:
    """Notes `start` to `start + count - 1`, in order."""
    for index in range(start, start + count):
        yield generate_note(seed, split, index, year, notes_per_patient)


def patient_case(seed: int, split: str, number: int, year: int | None = None) -> Case:
    """Return a case with the facts of the patient with this number; year: as for `generate_note`."""
    draw = Draw(f"{seed}:{split}:patient {number}")
    return Case(draw, lists_of(split), _AGE_IN if year is None else year)


def patient_of(index: int, notes_per_patient: int) -> int:
    """Return the number of the patient whose note this is."""
    return index // notes_per_patient
