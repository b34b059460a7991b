"""The plain Python version of seed 000 does the work of pipeline `variants`, so that their rates can be compared."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from deid_core.core.note import Note
from deid_core.lab.bench.thesis import ThesisLists, annotate
from deid_core.lab.synthetic import iter_notes
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec

LISTS = ThesisLists(
    persons=frozenset({"Erika"}),
    towns=frozenset({"Musterstadt"}),
    streets=frozenset({"Ulmenstraße"}),
    suffixes=("gasse",),
    stop_words=frozenset({"frau"}),
)
LETTER = Note(
    "a",
    "Frau Erika Beispielmann\n\nSehr geehrte Kollegen,\nFrau Beispielman, geb. am 3.4.1950, Erika, Ulmenstr. 12a,"
    " Lindengasse, 12345 Musterstadt, kam gern.",
)


def test_steps_of_the_seed() -> None:
    removed = {LETTER.text[start:end]: label for start, end, label in annotate(LETTER, LISTS)}
    assert removed == {
        "Frau": "SALUTE",
        "Erika": "PER",  # a header word that is also a list's takes the list's label (step 1)
        "Beispielmann": "O",
        "Beispielman": "O",  # d = 1, R = 1/11
        "3.4.1950": "DATE",
        "Ulmenstr.": "LOC",
        "12a": "LOC",
        "Lindengasse": "LOC",  # suffix (step 3)
        "12345": "PLZ",
        "Musterstadt": "LOC",
    }


def characters(text: str, spans: Iterable[tuple[int, int]]) -> set[int]:
    return {at for start, end in spans for at in range(start, end) if text[at].isalnum()}


@pytest.fixture(scope="module")
def agreement() -> tuple[float, float]:
    """Shares of what `variants` takes that plain Python takes, and the other way round, by letters and digits."""
    spec = engine_spec("variants")
    engine, lists = Engine(spec), ThesisLists.of(spec.gazetteer.words)
    both = ours = theirs = 0
    for item in iter_notes(20, seed=5, split="train"):
        text = item.note.text
        a = characters(text, ((span.start, span.end) for span in engine.annotate(item.note)))
        b = characters(text, ((start, end) for start, end, _ in annotate(item.note, lists)))
        both, ours, theirs = both + len(a & b), ours + len(a), theirs + len(b)
    return both / ours, both / theirs


def test_finds_roughly_what_variants_finds(agreement: tuple[float, float]) -> None:
    # The rest: institutions as a whole, names of several words, page headers; thesis.py says where they differ.
    of_variants, of_plain = agreement
    assert of_variants > 0.85
    assert of_plain > 0.9
