"""Fuzzes the engine: every text gives a result, and changes nothing for the note behind it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from fuzzing import Fuzzer
from text_mutations import make_text

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import Note
from deid_core.lab.synthetic import iter_notes
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import load_spec
from deid_core.pipeline.settings_file import load_settings
from deid_core.readers.plain import note_from_text

NEIGHBOUR = Note("neighbour", "Herr Peter Müller, geb. am 1.2.1950, kam am 3.4.2010 aus Heidelberg.", year=2010)
NOTES = 200


@pytest.mark.fuzz
@pytest.mark.parametrize("pipeline", ["default", "full"])
def test_every_text_gives_a_result(fuzzer: Fuzzer, pipeline: str) -> None:
    engine = Engine(load_spec(load_pipeline(pipeline), load_settings()))
    engine.warm_up()
    notes = [made.note.text for made in iter_notes(NOTES, seed=fuzzer.seed)]
    expected = engine.deidentify(NEIGHBOUR)

    def make(draw: random.Random) -> bytes:
        return make_text(draw, notes).encode()

    def target(content: bytes) -> None:
        note = replace(note_from_text(content.decode()), year=2010)
        try:
            found = engine.deidentify(note)
        except NoteError as error:
            # The engine names each of its faults `internal`; a text of this size has no excuse but its many words.
            assert error.reason is Reason.TOO_LARGE, str(error)
        else:
            ends = [0, *(span.end for span in found.spans)]
            assert all(end <= span.start < span.end for end, span in zip(ends, found.spans, strict=False))
            assert ends[-1] <= len(note.text)
        assert engine.deidentify(NEIGHBOUR) == expected

    print(f"{pipeline}: {fuzzer.run(make, target)} texts")
