"""The engine's limits of time, words and memory."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import count
from time import thread_time

import pytest
from letter_engine import GAZETTEER, LETTER, spec, together

import deid_core
import deid_core.pipeline.engine
from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import Note
from deid_core.pipeline import note_steps
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import spec_with_lists


@pytest.mark.parametrize("limit", ["max_word_types", "max_word_type_chars"])
def test_word_types_are_forgotten_beyond_their_limit(limit: str) -> None:
    engine = Engine(spec_with_lists(load_pipeline("default"), EngineSettings(**{limit: 10}), GAZETTEER))
    results = [engine.deidentify(Note("n", LETTER)).text for _ in range(3)]
    assert len(engine.document(Note("n", "a")).vocabulary) < 10
    assert results == [Engine(spec()).deidentify(Note("n", LETTER)).text] * 3


@pytest.mark.parametrize("limit", ["note_time_limit_s", "note_wall_limit_s"])
def test_a_note_beyond_its_time_is_refused(limit: str) -> None:
    with pytest.raises(NoteError) as error:
        Engine(spec(**{limit: 1e-9})).annotate(Note("n", LETTER))
    assert error.value.reason is Reason.ENGINE_TIMEOUT


@pytest.mark.parametrize("function", ["normalised", "_in_note"], ids=["within a step", "between two steps"])
def test_what_does_not_end_is_interrupted(monkeypatch: pytest.MonkeyPatch, function: str) -> None:
    """No step may keep a night, also where nothing in it looks at a clock. The note behind it finds whole tables."""
    engine = Engine(spec(note_time_limit_s=0.01))
    expected = Engine(spec()).deidentify(Note("n", LETTER))

    def endless(*arguments: object) -> None:
        while True:
            pass

    with monkeypatch.context() as patched:
        patched.setattr(deid_core.pipeline.engine, function, endless)
        with pytest.raises(NoteError) as error:
            engine.deidentify(Note("n", LETTER))
    assert error.value.reason is Reason.ENGINE_TIMEOUT
    object.__setattr__(engine, "spec", replace(engine.spec, settings=EngineSettings()))
    assert engine.deidentify(Note("n", LETTER)) == expected


def test_waiting_on_a_busy_machine_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock finds that a minute has gone by, but this thread did next to nothing in it."""
    expected = Engine(spec()).annotate(Note("n", LETTER))
    minutes = count(step=60)
    monkeypatch.setattr(note_steps, "monotonic", lambda: float(next(minutes)))
    assert Engine(spec(note_wall_limit_s=1e6)).annotate(Note("n", LETTER)) == expected


def test_the_clock_of_cpu_time_is_not_asked_after_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a system call. The other clock tells that no limit can be reached yet."""
    engine, asked = Engine(spec()), []

    def counted() -> float:
        asked.append(thread_time())
        return asked[-1]

    monkeypatch.setattr(note_steps, "thread_time", counted)
    engine.deidentify(Note("n", LETTER))
    assert len(asked) == 1


MANY_NEW_WORDS = " ".join(f"W{number:x}q" for number in range(deid_core.pipeline.engine._MAX_NEW_WORDS + 1))


@pytest.mark.parametrize("fails", [False, True])
def test_a_note_with_very_many_new_words_leaves_nothing_to_its_neighbours(fails: bool) -> None:
    engine = Engine(spec())
    engine.deidentify(Note("m", LETTER))
    parts, known = engine._parts, len(engine.document(Note("m", LETTER)).vocabulary)
    if fails:
        object.__setattr__(engine, "spec", replace(engine.spec, settings=EngineSettings(note_time_limit_s=1e-9)))
        with pytest.raises(NoteError, match="engine_timeout"):
            engine.deidentify(Note("n", MANY_NEW_WORDS))
        object.__setattr__(engine, "spec", replace(engine.spec, settings=EngineSettings()))
    else:
        engine.deidentify(Note("n", MANY_NEW_WORDS))
    after = engine.document(Note("o", LETTER))
    assert engine._parts is parts
    assert len(after.vocabulary) == known


def test_its_result_is_that_of_any_engine() -> None:
    engine = Engine(spec())
    note = Note("n", f"{LETTER}\n{MANY_NEW_WORDS}")
    results = [engine.deidentify(Note("m", LETTER)), engine.deidentify(note), engine.deidentify(Note("m", LETTER))]
    assert results[0] == results[2]
    assert results[1] == Engine(spec()).deidentify(note)


@pytest.mark.parametrize("texts", [(MANY_NEW_WORDS, LETTER), (LETTER, MANY_NEW_WORDS)])
def test_nor_to_those_that_are_read_with_it(texts: tuple[str, str]) -> None:
    engine = Engine(spec())
    engine.deidentify(Note("m", LETTER))
    parts, known = engine._parts, len(engine.document(Note("m", LETTER)).vocabulary)
    assert together(engine, *texts) is None
    after = engine.document(Note("o", LETTER))
    assert engine._parts is parts
    assert len(after.vocabulary) == known


def test_a_note_with_more_different_words_than_any_letter_is_refused() -> None:
    engine = Engine(spec(max_note_word_types=50))
    with pytest.raises(NoteError, match="over 50 different words") as error:
        engine.deidentify(Note("n", " ".join(f"Wort{number}" for number in range(60))))
    assert error.value.reason is Reason.TOO_LARGE
    assert engine.deidentify(Note("n", "Herr Müller kam. " * 60)).spans


def test_a_note_with_more_tokens_than_fit_into_memory_is_refused() -> None:
    engine = Engine(spec(max_note_tokens=1_000))
    with pytest.raises(NoteError, match=r"over 1000 words and marks \(engine\.max_note_tokens\)") as error:
        engine.deidentify(Note("n", ". " * 1_001))
    assert error.value.reason is Reason.TOO_LARGE
    assert engine.deidentify(Note("n", "Herr Müller kam. " * 20)).spans


def test_the_warm_up_loads_all_that_letters_need() -> None:
    """Loading compiles, if nobody has kept the machine code, and would count against the first note's limit."""
    program = (
        "import sys\n"
        "from deid_core.core.note import Note\n"
        "from deid_core.lab.synthetic import iter_notes\n"
        "from deid_core.pipeline.loading import engine_spec\n"
        "from deid_core.pipeline.engine import Engine\n"
        "notes = [item.note for item in iter_notes(20, seed=3, split='train')]\n"
        "engine = Engine(engine_spec('default'))\n"
        "engine.warm_up()\n"
        "before = set(sys.modules)\n"
        "for note in notes: engine.deidentify(note)\n"
        "print([name for name in set(sys.modules) - before if name.startswith(('deid_core', 'numba'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
