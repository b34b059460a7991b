"""What the generator promises of its notes: repeatable, known to the character, as long and as varied as the seed's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.note import BlockKind
from deid_core.lab.synthetic import SyntheticNote, generate_note, iter_notes
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.years import TABLE_1, draw_year
from deid_core.text.vocabulary import Vocabulary

SPLITS = st.sampled_from(["train", "test"])


@cache
def sample(split: str) -> list[SyntheticNote]:
    return list(iter_notes(300, seed=7, split=split))


def surfaces(split: str, *types: PhiType) -> list[str]:
    return [item.note.text[g.start : g.end] for item in sample(split) for g in item.gold if g.type in types]


def unmarked(item: SyntheticNote) -> str:
    """The note's text with a bar in the place of every gold span."""
    parts, at = [], 0
    for span in item.gold:
        parts += [item.note.text[at : span.start], "|"]
        at = span.end
    return "".join([*parts, item.note.text[at:]])


@given(st.integers(0, 2**40), SPLITS, st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_gold_spans_are_ascending_disjoint_and_hold_text(seed: int, split: str, index: int) -> None:
    item = generate_note(seed, split, index)
    end = 0
    for span in item.gold:
        surface = item.note.text[span.start : span.end]
        assert span.start >= end
        assert surface and surface == surface.strip()
        assert "\n" not in surface and "\t" not in surface
        assert span.label is label_of(span.type)
        end = span.end
    assert end <= len(item.note.text)
    assert {Label.PER, Label.DATE, Label.PLZ} <= {span.label for span in item.gold}


@given(st.integers(0, 10**6), SPLITS, st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_note_depends_on_its_three_numbers_alone(seed: int, split: str, index: int) -> None:
    first = generate_note(seed, split, index)
    generate_note(seed + 1, split, index + 1)
    assert generate_note(seed, split, index) == first
    assert list(iter_notes(1, seed=seed, split=split, start=index)) == [first]
    assert generate_note(seed, split, index + 1).note.text != first.note.text


def test_notes_are_the_same_in_every_process() -> None:
    program = (
        "import hashlib; from deid_core.lab.synthetic import iter_notes; "
        "print(hashlib.sha256(repr(list(iter_notes(5, seed=1, split='test'))).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(digests) == 1


def test_years_are_those_of_the_seed_as_often() -> None:
    draws = 20_000
    drawn = Counter(draw_year(Draw(f"{n}")) for n in range(draws))
    total = sum(row.notes for row in TABLE_1)
    assert set(drawn) == {row.year for row in TABLE_1}
    assert total == 180_900
    chi_squared = sum(
        (drawn[row.year] - draws * row.notes / total) ** 2 / (draws * row.notes / total) for row in TABLE_1
    )
    assert chi_squared < 29.6  # 10 degrees of freedom, p = 0.001


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize("year", [2007, 2010, 2016])
def test_notes_are_as_long_as_the_year_s(split: str, year: int) -> None:
    row = next(row for row in TABLE_1 if row.year == year)
    vocabulary = Vocabulary()
    texts = [item.note.text for item in iter_notes(150, seed=3, split=split, year=year)]
    tokens = sum(len(vocabulary.tokenise(text)) for text in texts) / len(texts)
    lines = sum(sum(1 for line in text.split("\n") if line.strip()) for text in texts) / len(texts)
    assert tokens == pytest.approx(row.tokens / row.notes, rel=0.08)
    assert lines == pytest.approx(row.lines / row.notes, rel=0.10)


def test_the_year_can_be_set() -> None:
    for item in iter_notes(20, seed=1, split="train", year=1999):
        assert item.note.year == item.letter.date.year == 1999


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="train and test"):
        generate_note(1, "dev", 0)


@pytest.mark.parametrize("split", ["train", "test"])
def test_clinical_numbers_stand_in_masses_and_are_not_marked(split: str) -> None:
    text = "\n".join(unmarked(item) for item in sample(split))
    for pattern, least in (
        (r"\d-0-[01]", 500),
        (r"\d{2,3}/\d{2,3} ?mmHg", 50),
        (r"\d/6 (?:Systolikum|Diastolikum)", 5),
        (r"\d+,\d+", 1000),
        (r"\bL\d/\d", 3),
        (r"(?:mg/dl|mmol/l|U/l)", 500),
        (r"Parkinson|Alzheimer|Bechterew|Basedow", 5),
        (r"Judkins|Simpson|Tiffeneau", 10),
    ):
        assert len(re.findall(pattern, text)) >= least, pattern


@pytest.mark.parametrize("split", ["train", "test"])
def test_dates_and_numbers_come_in_the_forms_of_life(split: str) -> None:
    dates = surfaces(split, PhiType.DATE, PhiType.BIRTH_DATE)
    for form in (
        r"\d\d\.\d\d\.\d{4}",
        r"\d{1,2}\.\d{1,2}\.\d\d",
        r"\d{1,2}\.\d{1,2}\.",
        r"\d\d/\d\d",
        r"\d\d/\d{4}",
        r"(19|20)\d\d",
        r"[A-ZÄ][a-zä]+ \d{4}",
        r"\d{1,2}\. [A-ZÄ][a-zä]+ \d{4}",
        r"\d{1,2}\. ?[-–] ?\d{1,2}\.\d{1,2}\.\d{4}",
    ):
        assert any(re.fullmatch(form, date) for date in dates), form
    shapes = {re.sub(r"\d+", "9", number) for number in surfaces(split, PhiType.PHONE, PhiType.FAX)}
    assert len(shapes) >= 12
    streets = surfaces(split, PhiType.STREET)
    assert all(any(part in street for street in streets) for part in ("straße ", "str. ", "Str. ", "strasse "))


@pytest.mark.parametrize("split", ["train", "test"])
def test_names_in_the_text_vary_against_the_header(split: str) -> None:
    inflected = misspelt = 0
    for item in sample(split):
        surname = re.escape(max((n for n in _patient_names(item)), key=len).partition(" ")[2])
        names = _patient_names(item)
        inflected += any(re.fullmatch(f"{surname}s", name) for name in names)
        misspelt += any(len(name) > 3 and not re.search(surname, name, re.IGNORECASE) for name in names)
    assert inflected >= 2
    assert misspelt >= 10


def _patient_names(item: SyntheticNote) -> list[str]:
    text = item.note.text
    return [text[g.start : g.end] for g in item.gold if g.type is PhiType.PATIENT]


@pytest.mark.parametrize("split", ["train", "test"])
def test_letters_have_several_layouts(split: str) -> None:
    kinds = {
        tuple(sorted({block.kind for block in item.note.blocks} - {BlockKind.TABLE_CELL})) for item in sample(split)
    }
    assert len(kinds) >= 4
    with_header_table = sum(any(item.note.blocks_of(BlockKind.HEADER_CELL)) for item in sample(split))
    assert 0.4 < with_header_table / len(sample(split)) < 0.95
