"""The engine's stages: pipelines, the CRF's tagger alone, and what they cannot be faster than."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from time import process_time

import pyarrow as pa

from deid_core.core.errors import DeidError
from deid_core.crf.model_folder import CrfModel
from deid_core.lab.bench.stage import Sample, Stage, Stages, cpu
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import engine_spec
from deid_core.text.vocabulary import Vocabulary

ARROW, TOKENISE = "copy through Arrow", "tokenise"
_NEW = "engine default, word types new"
_CRFSUITE_NOTES = 50
"""Notes for CRFsuite's stages, which take long."""


def engine_stages(sample: Sample) -> Stages:
    """The limits, and each pipeline warm: with all word types known, as in all but an archive's first thousands."""
    texts = sample.texts
    vocabulary = Vocabulary()
    default = engine_spec("default")
    stages = [
        Stage(ARROW, sample, cpu(partial(through_arrow, texts))),
        Stage(TOKENISE, sample, cpu(lambda: [vocabulary.tokenise(text) for text in texts]), limit=ARROW),
    ]
    for name in ("baseline", "variants", "full", "default"):
        run = _over(sample, Engine(engine_spec(name)))
        stages.append(Stage(engine_stage_name(name), sample, cpu(run), limit=TOKENISE))
    stages.append(Stage(_NEW, sample, _from_nothing(sample, default), limit=TOKENISE))
    return Stages(stages)


def engine_stage_name(pipeline: str) -> str:
    """What the warm stage of a pipeline is called."""
    return f"engine {pipeline}"


def crf_stages(sample: Sample, model: CrfModel) -> Stages:
    """The CRF's tagger, and python-crfsuite's with the same model on the same notes.

    Raises DeidError if their labels differ.
    """
    if not importlib.util.find_spec("pycrfsuite"):
        return Stages(left_out=["the CRF's tagger beside CRFsuite's: package python-crfsuite is missing (extra dev)"])
    from deid_core.lab.bench.crfsuite import taggers

    few = sample.first(_CRFSUITE_NOTES)
    ours, theirs = taggers(model, sample.texts), taggers(model, few.texts)
    if theirs.known() != theirs.by_word():
        raise DeidError("bench: the compiled CRF and CRFsuite disagree; the comparison would mean nothing")
    known, new = "CRF, word types known", "CRF, word types new"
    return Stages(
        [
            Stage(known, sample, cpu(ours.known), limit=TOKENISE),
            Stage(new, sample, cpu(ours.new), limit=TOKENISE),
            Stage("CRFsuite, features by word", few, cpu(theirs.by_word), instead_of=(known, new)),
            Stage("CRFsuite, features by token", few, cpu(theirs.by_token), instead_of=(known, new)),
        ]
    )


def through_arrow(texts: list[str]) -> list[str]:
    """The texts after a round trip as a record batch in Arrow's IPC format, as between the JVM and a Python worker."""
    batch = pa.record_batch({"text": pa.array(texts, pa.string())})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    with pa.ipc.open_stream(sink.getvalue()) as reader:
        copied: list[str] = reader.read_next_batch().column(0).to_pylist()
    return copied


def _over(sample: Sample, engine: Engine) -> Callable[[], object]:
    return lambda: [engine.deidentify(note) for note in sample.notes]


def _from_nothing(sample: Sample, spec: EngineSpec) -> Callable[[], float]:
    """An engine that knows no word; its making, once a worker, is not counted."""

    def once() -> float:
        engine = Engine(spec)
        start = process_time()
        _over(sample, engine)()
        return process_time() - start

    return once
