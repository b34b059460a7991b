"""`deid bench profile`: where the engine's time goes, in microseconds a token of each recogniser and step.

A clock stands around each step of a real engine. What none of the steps accounts for is a row of its own, so a step
that the engine gets later cannot go unnoticed; the same engine without clocks runs beside it in the same rounds, and so
does the first pass of a new engine. They read some twenty notes at once, as a worker does; one row is for notes that
are read one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import thread_time
from typing import Any

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.lab.bench.report import markdown_table
from deid_core.lab.bench.stage import Sample, Spread, cpu
from deid_core.lab.corpora.letters import read_letters
from deid_core.lab.synthetic import iter_notes
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_parts import EngineParts
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.known_terms import Term
from deid_core.pipeline.loading import engine_spec
from deid_core.text.document import Document

REST = "redact and all else"
WHOLE = "engine without clocks"
ALONE = "the same, one note at a time"
ALL_NEW = "first pass, all words new"
_TOGETHER = 20
"""Notes that a worker reads at once: letters of usual length in a part of its batch."""


class ProfiledEngine(Engine):
    """An engine with a clock around its steps; `seconds` has the CPU seconds of each since it was cleared."""

    def __init__(self, spec: EngineSpec) -> None:
        self.seconds: dict[str, float] = {}
        super().__init__(spec)
        _around(self._resolver, "resolve", self._counted("resolve"))

    def _new_parts(self) -> EngineParts:
        parts = super()._new_parts()
        for recogniser in parts.recognisers:
            _around(recogniser, "recognise", self._counted(recogniser.kind))
        if parts.propagation is not None:
            _around(parts.propagation, "propagate", self._counted("propagation"))
        if parts.stacking is not None:
            _around(parts.stacking, "decide", self._counted("stacking model"))
        if parts.boundary_trimmer is not None:
            _around(parts.boundary_trimmer, "trim", self._counted("boundary trimming"))
        if parts.subtypes is not None:
            _around(parts.subtypes, "decide", self._counted("subtypes"))
        return parts

    def document(self, note: Note, known: Sequence[Term] = ()) -> Document:
        """The note cut into tokens."""
        document: Document = self._counted("tokenise")(super().document, note, known)
        return document

    def _counted(self, step: str) -> Callable[..., Any]:
        def call(function: Callable[..., Any], *given: Any) -> Any:
            # The clock of the process goes in ticks while the timer that interrupts a note is armed.
            start = thread_time()
            result = function(*given)
            if isinstance(result, Iterator):
                # Some recognisers yield as they go; their time is that of the list.
                result = list(result)
            self.seconds[step] = self.seconds.get(step, 0.0) + thread_time() - start
            return result

        return call


def profile_report(pipeline: str, notes: int, runs: int, letters: Path | None = None) -> str:
    """Markdown: microseconds a token of each step, and of the engine as a whole in the same rounds.

    Of so many generated notes, or of all letters of a folder. Raises ConfigurationError if the pipeline, its lists or
    its model are wrong, or a letter is.
    """
    if min(notes, runs) < 1:
        raise ConfigurationError("bench: --notes and --runs must be at least 1")
    if letters is None:
        sample, of = Sample.of([item.note for item in iter_notes(notes, seed=4, split="test")]), f"{notes} notes"
    else:
        sample = Sample.of([letter.note for letter in read_letters(letters)])
        of = f"{len(sample.notes)} letters of {letters.name}"
    steps = profile(engine_spec(pipeline), sample, runs)
    whole = steps[WHOLE].median
    rows = [
        [step, f"{spread.median:.3f}", f"{spread.low:.3f} to {spread.high:.3f}", f"{spread.median / whole:.0%}"]
        for step, spread in steps.items()
    ]
    title = f"Pipeline `{pipeline}` step by step, {of}, CPU time of {runs} rounds, words new in the last row alone:"
    return f"{title}\n\n{markdown_table(['step', 'µs a token', 'min to max', 'share of the engine'], rows)}"


def profile(spec: EngineSpec, sample: Sample, runs: int) -> dict[str, Spread]:
    """Microseconds a token of each step in the engine's order, of the REST and the WHOLE; ALONE and ALL_NEW."""
    plain, profiled = Engine(spec), ProfiledEngine(spec)
    for engine in (plain, profiled):
        _deidentify_all(engine, sample)
    rounds = [_round(plain, profiled, sample) for _ in range(runs)]
    return {step: Spread.of([measured[step] for measured in rounds]) for step in rounds[0]}


def _round(plain: Engine, profiled: ProfiledEngine, sample: Sample) -> dict[str, float]:
    profiled.seconds.clear()
    with_clocks = cpu(lambda: _deidentify_all(profiled, sample))()
    seconds = {**profiled.seconds, REST: with_clocks - sum(profiled.seconds.values())}
    seconds[WHOLE] = cpu(lambda: _deidentify_all(plain, sample))()
    seconds[ALONE] = cpu(lambda: [plain.deidentify(note) for note in sample.notes])()
    new = Engine(plain.spec)
    new.warm_up()
    seconds[ALL_NEW] = cpu(lambda: _deidentify_all(new, sample))()
    return {step: second / sample.tokens * 1e6 for step, second in seconds.items()}


def _deidentify_all(engine: Engine, sample: Sample) -> None:
    for start in range(0, len(sample.notes), _TOGETHER):
        notes = sample.notes[start : start + _TOGETHER]
        if engine.deidentify_all([(note, "", ()) for note in notes]) is None:
            # As a worker does it; it raises what is wrong with one of them.
            for note in notes:
                engine.deidentify(note)


def _around(part: object, method: str, call: Callable[..., Any]) -> None:
    """Puts `call`, which is given the method and its arguments, in the place of one object's method."""
    function = getattr(part, method)
    setattr(part, method, lambda *given: call(function, *given))
