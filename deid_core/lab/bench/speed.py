"""`deid bench speed`: all stages in the same rounds, the Spark job once, and a worker's memory."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.crf.model_folder import load_model
from deid_core.lab.bench.engine_stages import crf_stages, engine_stages
from deid_core.lab.bench.other_stages import other_stages
from deid_core.lab.bench.reading_stages import reading_stages
from deid_core.lab.bench.report import instead_table, stage_table
from deid_core.lab.bench.stage import WALL, Sample, Stage, Stages, measure, wall
from deid_core.lab.synthetic import iter_notes
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.loading import engine_spec


def speed_report(notes: int, files: int, runs: int, *, model: str | None = None, job: bool = True) -> str:
    """Markdown: our stages with their limits, other tools beside ours, what was left out, a worker's memory.

    notes: generated for the engine's stages. files: of each Word format. runs: counted, at least 1. model: folder of
    the CRF's stages, else the model of pipeline `full`. job: whether to run the Spark job, once.
    Raises ConfigurationError if a pipeline, list or model is wrong.
    """
    if min(notes, files, runs) < 1:
        raise ConfigurationError("bench: --notes, --files and --runs must be at least 1")
    sample = Sample.of([item.note for item in iter_notes(notes, seed=4, split="test")])
    with tempfile.TemporaryDirectory(prefix="deid-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        stages = engine_stages(sample) + crf_stages(sample, load_model(model or _crf_model()))
        stages += other_stages(sample, engine_spec("variants").gazetteer, stack) + reading_stages(files, folder)
        measure(stages.stages, runs)
        if job:
            stages += _job(files, folder)
        megabytes = _worker_memory(sample.notes, folder)
    rounds = f"{runs} counted rounds" if runs > 1 else "1 counted round"
    return "\n\n".join(
        [
            f"{os.cpu_count()} cores, {notes} generated notes, {files} Word files of each format, {rounds}; median, "
            "minimum to maximum. CPU: seconds of one process; wall: wall-clock seconds.",
            stage_table(stages.stages),
            "On the same notes in the same rounds:",
            instead_table(stages.stages),
            *(["Left out:\n" + "\n".join(f"- {line}" for line in stages.left_out)] if stages.left_out else []),
            f"Peak memory of one Python process with these lists after {notes} notes: {megabytes} MB.",
        ]
    )


def _crf_model() -> str:
    crf = load_pipeline("full").crf
    return crf.model if crf else ""


def _job(files: int, folder: Path) -> Stages:
    """`deid run` as a user calls it, start of Spark included; measured here and once, since it takes long."""
    if not importlib.util.find_spec("pyspark"):
        return Stages(left_out=["deid run: package pyspark is missing (extra spark)"])
    sample = Sample.of([item.note for item in iter_notes(files, seed=6, split="test")])
    places = ["--input", str(folder / "docx"), "--lake", str(folder / "lake")]
    command = [sys.executable, "-m", "deid_core.cli", "run", *places]
    once = wall(lambda: subprocess.run(command, check=True, capture_output=True))
    stage = Stage(f"deid run, {files} .docx", sample, once, WALL)
    stage.seconds.append(stage.once())
    return Stages([stage])


def _worker_memory(notes: Sequence[Note], folder: Path) -> int:
    """Peak resident megabytes of a fresh process that gets the spec as bytes, as a Spark worker does."""
    spec, lines = folder / "spec", folder / "notes.jsonl"
    spec.write_bytes(engine_spec("default").to_bytes())
    lines.write_text("".join(json.dumps(note.to_json()) + "\n" for note in notes), encoding="utf-8")
    command = [sys.executable, "-m", "deid_core.lab.bench.memory", str(spec), str(lines)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
