"""Several notes read at once: their results are those of each note alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from letter_engine import LETTER, FailingRecogniser, alone, notes, spec, together

import deid_core
import deid_core.pipeline.engine
from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.pipeline.config import EngineSettings
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.known_terms import Term, TermKind
from deid_core.text.document import Document


@settings(max_examples=25)
@given(notes)
def test_notes_that_are_read_at_once_have_the_results_of_each_alone(texts: list[str]) -> None:
    assert together(Engine(spec()), *texts) == alone(*texts)


def test_what_is_known_of_a_note_is_not_known_of_those_that_are_read_with_it() -> None:
    """Nor is whose note it is, for the policy."""
    known, note = [Term(TermKind.NAME, "Xylan Querbart")], Note("n", "Querbart kam. " + LETTER)
    given = [(note, "", known), (note, "", ()), (Note("m", LETTER), "p", known)]
    assert Engine(spec()).deidentify_all(given) == [
        Engine(spec()).deidentify(note, patient, known=terms) for note, patient, terms in given
    ]


def test_notes_among_which_an_engine_starts_anew_are_read_one_by_one() -> None:
    """Else the first of them would be read with word types of a vocabulary that is no more."""
    engine, texts = (
        Engine(spec(max_word_types=10)),
        ("eins zwei drei vier fünf sechs sieben acht neun zehn elf", LETTER),
    )
    assert together(engine, *texts) is None
    assert [engine.deidentify(Note(str(number), text)) for number, text in enumerate(texts)] == alone(*texts)


@pytest.mark.parametrize("error", [ValueError(), MemoryError(), NoteError(Reason.TOO_LARGE, "")])
def test_if_one_of_several_notes_fails_each_is_to_be_read_alone(error: Exception) -> None:
    """The others may have been read with tables that the failure left half grown."""
    engine = Engine(spec())
    engine._parts.recognisers.append(_FailingAt("bad", error))
    assert together(engine, LETTER, "bad", LETTER) is None
    assert together(engine, LETTER, LETTER) == alone(LETTER, LETTER)


def test_a_step_of_several_notes_that_does_not_end_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(spec(note_time_limit_s=0.01))

    def endless(*arguments: object) -> None:
        while True:
            pass

    with monkeypatch.context() as patched:
        patched.setattr(deid_core.pipeline.engine, "_in_note", endless)
        assert together(engine, LETTER, LETTER) is None
    object.__setattr__(engine, "spec", replace(engine.spec, settings=EngineSettings()))
    assert together(engine, LETTER, LETTER) == alone(LETTER, LETTER)


class _FailingAt(FailingRecogniser):
    def __init__(self, text: str, error: Exception) -> None:
        super().__init__(error)
        self._text = text

    def recognise(self, document: Document) -> Iterable[Detection]:
        return super().recognise(document) if document.text == self._text else ()
