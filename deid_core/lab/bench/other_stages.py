"""What a user would take instead of the engine: Presidio, DEDUCE, and seed 000's algorithm in plain Python."""

from __future__ import annotations

import importlib.util
import sys
from contextlib import ExitStack
from pathlib import Path

from deid_core.lab.bench.engine_stages import engine_stage_name
from deid_core.lab.bench.stage import Sample, Stage, Stages, cpu
from deid_core.lab.bench.thesis import ThesisLists, annotate
from deid_core.lab.bench.tools import DEDUCE_PYTHON, Tool
from deid_core.lexicon.gazetteer.automaton import Gazetteer

_NOTES = 50
_NOTES_WITH_LISTS = 2
"""Presidio's deny lists become one expression; with large lists it takes seconds a note."""
_VARIANTS, _DEFAULT = engine_stage_name("variants"), engine_stage_name("default")


def other_stages(sample: Sample, gazetteer: Gazetteer, stack: ExitStack) -> Stages:
    """The stages, on the first of the notes; the tools' processes end with the stack."""
    few = sample.first(_NOTES)
    return thesis_stage(few, gazetteer) + _presidio(sample, gazetteer, stack) + _deduce(few, stack)


def thesis_stage(sample: Sample, gazetteer: Gazetteer) -> Stages:
    """Seed 000's algorithm in plain Python with our lists."""
    lists = ThesisLists.of(gazetteer.words)
    once = cpu(lambda: [annotate(note, lists) for note in sample.notes])
    return Stages([Stage("Richter-Pechanski 2018 in plain Python", sample, once, instead_of=(_VARIANTS,))])


def _presidio(sample: Sample, gazetteer: Gazetteer, stack: ExitStack) -> Stages:
    missing = [name for name in ("presidio_analyzer", "spacy") if not importlib.util.find_spec(name)]
    if missing:
        return Stages(left_out=[f"Presidio: {', '.join(missing)} missing (extra bench)"])
    lists = {
        "PERSON": gazetteer.words("first_name") | gazetteer.words("surname"),
        "LOCATION": gazetteer.words("town") | gazetteer.words("street"),
    }
    python = Path(sys.executable)
    stages = []
    for name, some, deny in (
        ("Presidio, German patterns", sample.first(_NOTES), {}),
        ("Presidio, patterns and our lists", sample.first(_NOTES_WITH_LISTS), lists),
    ):
        tool = stack.enter_context(Tool("presidio", python, some.texts, deny))
        stages.append(Stage(name, some, tool.once, instead_of=(_VARIANTS, _DEFAULT)))
    return Stages(stages)


def _deduce(sample: Sample, stack: ExitStack) -> Stages:
    if not DEDUCE_PYTHON.is_file():
        return Stages(left_out=["DEDUCE: has no environment (`make bench` makes it)"])
    tool = stack.enter_context(Tool("deduce", DEDUCE_PYTHON, sample.texts))
    return Stages([Stage("DEDUCE, Dutch as it is", sample, tool.once, instead_of=(_VARIANTS, _DEFAULT))])
