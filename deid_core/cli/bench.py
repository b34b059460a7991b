"""`deid bench`: notes and tokens per second of each stage on this machine, beside what a user would take instead.

Every stage runs several times over the same generated notes, in turns (A B C A B C …), so that a machine whose speed
drifts drifts for all; the table gives the median with minimum and maximum, and ratios within this one run. Engine
stages count CPU seconds of one process, reading and the job wall-clock seconds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from tqdm import tqdm

from deid_core.cli.pipelines import engine_spec
from deid_core.cli.tables import table
from deid_core.config import load_pipeline, load_settings
from deid_core.engine import Engine
from deid_core.errors import DeidError, ExitCode
from deid_core.note import Note
from deid_core.reading import NoteReader, source_files
from deid_core.sequence.model import load_model
from deid_core.synthetic import SyntheticNote, iter_notes
from deid_core.synthetic.writing import write_notes
from deid_core.tokens import Vocabulary

_CRFSUITE_NOTES = 50
"""Notes for CRFsuite's stages, which take long; rates are by token, so stages of different size can be compared."""


@dataclass
class _Stage:
    """Something to measure: `run` handles all its notes once; `clock` is CPU or wall-clock."""

    name: str
    run: Callable[[], object]
    notes: int
    tokens: int
    clock: Callable[[], float] = process_time
    beside: tuple[str, ...] = ()
    """The stages that this one is the alternative to."""
    seconds: list[float] = field(default_factory=list)

    def measure(self) -> None:
        start = self.clock()
        self.run()
        self.seconds.append(self.clock() - start)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.add_argument("--notes", type=int, default=300, help="generated notes for the engine's stages (300)")
    parser.add_argument("--files", type=int, default=60, help="Word files for the reading stages and the job (60)")
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each stage, after one that is not (5)")
    parser.add_argument("--model", default=_crf_model(), help="model folder for the CRF's stages (that of `full`)")
    parser.add_argument("--no-job", action="store_true", help="leave out the Spark job")


def run(args: argparse.Namespace) -> int:
    """Measures and prints."""
    notes = list(iter_notes(args.notes, seed=4, split="test"))
    with tempfile.TemporaryDirectory(prefix="deid-bench-") as folder:
        stages = [
            *_engine_stages(notes),
            *_crfsuite_stages(notes, args.model),
            *_reading_stages(args.files, Path(folder)),
        ]
        rounds = tqdm(range(args.runs + 1), desc="rounds", disable=not sys.stderr.isatty())
        for number in rounds:
            for stage in stages:
                stage.measure()
                if number == 0:
                    stage.seconds.clear()
        if not args.no_job and importlib.util.find_spec("pyspark"):
            stages.append(_job_stage(args.files, Path(folder)))
        megabytes = _worker_memory(notes, Path(folder))
    print(f"{os.cpu_count()} cores, {args.notes} generated notes, {args.files} Word files, {args.runs} runs\n")
    print(table(_rows(stages)))
    print(f"\nPeak memory of one Python process with these lists after {args.notes} notes: {megabytes} MB")
    return ExitCode.DONE


def _rows(stages: Sequence[_Stage]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = [
        ("stage", "clock", "notes/s", "tokens/s", "tokens/s, min to max", "beside it", "times as fast")
    ]
    rates = {stage.name: stage.tokens / median(stage.seconds) for stage in stages}
    for stage in stages:
        seconds = median(stage.seconds)
        spread = f"{stage.tokens / max(stage.seconds):,.0f} to {stage.tokens / min(stage.seconds):,.0f}"
        ratios = ", ".join(f"{rates[name] / rates[stage.name]:.1f}" for name in stage.beside)
        clock = "CPU" if stage.clock is process_time else "wall"
        beside = ", ".join(stage.beside)
        rows.append((stage.name, clock, int(stage.notes / seconds), int(rates[stage.name]), spread, beside, ratios))
    return rows


def _engine_stages(notes: Sequence[SyntheticNote]) -> list[_Stage]:
    texts = [item.note.text for item in notes]
    tokens = _count_tokens(texts)
    vocabulary = Vocabulary()
    stages = [_Stage("tokenise", lambda: [vocabulary.tokenise(text) for text in texts], len(notes), tokens)]
    for name in ("baseline", "variants", "full", "default"):
        engine = Engine(engine_spec(name))
        run = _over([item.note for item in notes], engine)
        stages.append(_Stage(f"engine {name}", run, len(notes), tokens))
    return stages


def _over(notes: Sequence[Note], engine: Engine) -> Callable[[], object]:
    return lambda: [engine.deidentify(note) for note in notes]


def _crfsuite_stages(notes: Sequence[SyntheticNote], model: str) -> list[_Stage]:
    """The CRF's tagger beside python-crfsuite's, with the same model on the same notes; nothing if that is missing."""
    if not importlib.util.find_spec("pycrfsuite"):
        return []
    from deid_core.cli.bench_crfsuite import taggers

    texts = [item.note.text for item in notes]
    few = texts[:_CRFSUITE_NOTES]
    ours, theirs = taggers(load_model(model), texts), taggers(load_model(model), few)
    if theirs.known() != theirs.by_word():
        raise DeidError("the compiled CRF and CRFsuite disagree; the comparison would mean nothing")
    tokens, few_tokens = _count_tokens(texts), _count_tokens(few)
    known, new = "CRF, word types known", "CRF, word types new"
    return [
        _Stage(known, ours.known, len(texts), tokens),
        _Stage(new, ours.new, len(texts), tokens),
        _Stage("CRFsuite, features by word", theirs.by_word, len(few), few_tokens, beside=(known, new)),
        _Stage("CRFsuite, features by token", theirs.by_token, len(few), few_tokens, beside=(known, new)),
    ]


def _crf_model() -> str:
    """The model of the pipeline `full`."""
    crf = load_pipeline("full").crf
    return crf.model if crf else ""


def _reading_stages(files: int, folder: Path) -> list[_Stage]:
    notes = list(iter_notes(files, seed=6, split="test"))
    tokens = _count_tokens([item.note.text for item in notes])
    write_notes(notes, folder / "docx", "docx")
    stages = [_Stage("read .docx", _reading(folder / "docx"), files, tokens, perf_counter)]
    if shutil.which("soffice"):
        write_notes(notes, folder / "doc", "doc")
        direct, libreoffice = "read .doc, direct", "read .doc, LibreOffice"
        stages.append(_Stage(direct, _reading(folder / "doc"), files, tokens, perf_counter))
        by_libreoffice = _reading(folder / "doc", doc_reader="libreoffice")
        stages.append(_Stage(libreoffice, by_libreoffice, files, tokens, perf_counter, (direct, "read .docx")))
    return stages


def _reading(folder: Path, **changed: str) -> Callable[[], object]:
    settings = load_settings().reading.model_copy(update=changed)

    def read() -> int:
        with NoteReader(settings) as reader:
            return sum(1 for _ in reader.read(source_files(folder)))

    return read


def _job_stage(files: int, folder: Path) -> _Stage:
    """`deid run` as a user calls it, start of Spark included; once, since it takes long."""
    command = [
        sys.executable,
        "-m",
        "deid_core.cli",
        "run",
        "--input",
        str(folder / "docx"),
        "--lake",
        str(folder / "lake"),
    ]
    tokens = _count_tokens([item.note.text for item in iter_notes(files, seed=6, split="test")])
    stage = _Stage(
        f"deid run, {files} .docx",
        lambda: subprocess.run(command, check=True, capture_output=True),
        files,
        tokens,
        perf_counter,
    )
    stage.measure()
    return stage


def _count_tokens(texts: Sequence[str]) -> int:
    vocabulary = Vocabulary()
    return sum(len(vocabulary.tokenise(text)) for text in texts)


def _worker_memory(notes: Sequence[SyntheticNote], folder: Path) -> int:
    """Peak resident megabytes of a fresh process that gets the spec as bytes, as a Spark worker does."""
    spec, lines = folder / "spec", folder / "notes.jsonl"
    spec.write_bytes(engine_spec("default").to_bytes())
    lines.write_text("".join(json.dumps(item.note.to_json()) + "\n" for item in notes), encoding="utf-8")
    command = [sys.executable, "-m", "deid_core.cli.bench_memory", str(spec), str(lines)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
