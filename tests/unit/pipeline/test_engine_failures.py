"""The engine is closed where a rule fails, and the next note is as with a new engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from letter_engine import GAZETTEER, LETTER, FailingRecogniser, spec

from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.pipeline import engine_parts
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.text.document import Document


def test_a_rule_that_times_out_stops_the_note() -> None:
    engine = Engine(spec())
    engine._parts.recognisers.append(FailingRecogniser(TimeoutError()))
    with pytest.raises(NoteError) as error:
        engine.annotate(Note("n", LETTER))
    assert error.value.reason is Reason.ENGINE_TIMEOUT


class _WithoutText:
    kind = "pattern"

    def recognise(self, document: Document) -> Iterable[Detection]:
        return [Detection(3, 3, Label.PER, PhiType.PERSON, self.kind, "r")]


def test_a_detection_without_text_stops_the_note() -> None:
    engine = Engine(spec())
    engine._parts.recognisers.append(_WithoutText())
    with pytest.raises(NoteError) as error:
        engine.annotate(Note("n", LETTER))
    assert error.value.reason is Reason.INTERNAL


class _OfNoOrder:
    """Of a kind that the pipeline's order does not name: deciding between it and another fails with a KeyError."""

    kind = "nowhere"

    def recognise(self, document: Document) -> Iterable[Detection]:
        whole = Detection(0, len(document.text), Label.PER, PhiType.PERSON, self.kind, "r")
        return [whole, whole._replace(end=whole.end - 1, label=Label.LOC)]


def test_what_fails_after_the_recognisers_stops_the_note_too_and_says_none_of_its_text() -> None:
    engine = Engine(spec())
    engine._parts.recognisers.append(_OfNoOrder())
    with pytest.raises(NoteError) as error:
        engine.deidentify(Note("n", LETTER))
    assert error.value.reason is Reason.INTERNAL
    assert "resolve" in str(error.value)
    assert LETTER not in str(error.value)


def test_after_a_failure_the_next_note_is_as_with_a_new_engine() -> None:
    """The failure leaves word types that are half known, as running out of memory within a table does."""
    engine = Engine(spec())
    bits = engine._parts.stacking._word_forms if engine._parts and engine._parts.stacking else None
    assert bits is not None
    broken = FailingRecogniser(MemoryError())
    engine._parts.recognisers.insert(0, broken)
    bits._filled = 10_000
    with pytest.raises(NoteError) as error:
        engine.annotate(Note("n", LETTER))
    assert error.value.reason is Reason.INTERNAL
    assert broken not in engine._parts.recognisers
    assert engine.deidentify(Note("n", LETTER)) == Engine(spec()).deidentify(Note("n", LETTER))


@pytest.mark.parametrize("part", ["Propagation", "BoundaryTrimmer", "build_recognisers"])
def test_an_engine_that_could_not_be_made_anew_is_made_for_the_next_note(
    part: str, out_of_memory: Callable[[Any, str, int], None]
) -> None:
    """Half of its parts would read the word types of another vocabulary."""
    engine = Engine(spec())
    engine.deidentify(Note("m", "Zuerst ein Brief mit anderen Worten."))
    engine._parts.recognisers.insert(0, FailingRecogniser(MemoryError()))
    out_of_memory(engine_parts, part, 1)
    with pytest.raises(NoteError) as error:
        engine.annotate(Note("n", LETTER))
    assert error.value.reason is Reason.INTERNAL
    assert engine.deidentify(Note("n", LETTER)) == Engine(spec()).deidentify(Note("n", LETTER))


def test_as_long_as_no_engine_can_be_made_no_note_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(spec())
    engine._parts.recognisers.insert(0, FailingRecogniser(MemoryError()))
    document = engine.document(Note("n", LETTER))

    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(engine_parts, "Propagation", fail)
    for _ in range(2):
        with pytest.raises(NoteError) as error:
            engine.annotate(Note("n", LETTER))
        assert error.value.reason is Reason.INTERNAL
    with pytest.raises(ValueError, match="given up"):
        engine.detections(document)


def test_a_document_of_a_given_up_vocabulary_is_refused() -> None:
    engine = Engine(spec(max_word_types=1))
    document = engine.document(Note("n", LETTER))
    engine.document(Note("m", "a"))
    with pytest.raises(ValueError, match="vocabulary"):
        engine.detections(document)


def test_a_pipeline_without_its_models_is_refused() -> None:
    with pytest.raises(ConfigurationError) as error:
        EngineSpec(load_pipeline("default"), EngineSettings(), GAZETTEER)
    assert len(error.value.problems) == 4
