"""One run over a lake: convert, de-identify, audit; what did not change is not touched.

Settings, pipeline and lists are checked before anything is written or a session is started. A run that finds nothing to
do starts no Spark session and commits nothing.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TypeVar

from deid_core.core.errors import ConfigurationError, QuarantineExceededError
from deid_core.core.logs import RunLog
from deid_core.core.version import __version__
from deid_core.lake import delta_reader
from deid_core.lake.dry_run import DryRun, forecast
from deid_core.lake.identity import note_ids_for_run
from deid_core.lake.layout import Lake
from deid_core.lake.lock import locked
from deid_core.lake.machine_faults import machine_faults_told
from deid_core.lake.process import protect_process
from deid_core.lake.schemas import State
from deid_core.lake.tables import Tables
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.engine import EngineSpec
from deid_core.pipeline.settings import Settings, load_settings
from deid_core.spark import maintenance as upkeep
from deid_core.spark import raw_files
from deid_core.spark.audit import audit
from deid_core.spark.convert import convert
from deid_core.spark.deidentify import deidentify
from deid_core.spark.preflight import check_machine
from deid_core.spark.run_context import Run, new_run_id

Result = TypeVar("Result")
STAGES = ("convert", "deidentify", "audit")


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller of a run decides.

    input: the folder of Word files; may be None if the stages leave out `convert`. retry: try quarantined notes again.
    allow_deletions: go on however many files are gone from the input.
    """

    input: Path | None
    lake: Path
    pipeline: str | None = None
    settings: Path | None = None
    stages: Collection[str] = STAGES
    retry: bool = False
    allow_deletions: bool = False


def run_lake(options: Options) -> Run:
    """Does what there is to do and returns the run with its counts.

    Raises ConfigurationError, SecretMissingError, TryAgainError before anything is changed. The session stays open.
    """
    protect_process()
    settings, spec, lake = _checked(options)
    check_machine(lake, settings.reading, options.input if "convert" in options.stages else None)
    lake.prepare()
    run_id = new_run_id()
    log = RunLog(run_id)
    with machine_faults_told(lake.root), locked(lake) as lock, lake.staging_of(run_id) as staging:
        if lock.died is not None:
            log.event("run", "the run before this one ended without giving back its lock", pid=lock.died.pid)
        Tables.of(lake).check()
        run = Run(lake, settings, spec, note_ids_for_run(lake), staging, lock, run_id, log)
        if "convert" in options.stages and options.input is not None:
            with run.timed("convert"):
                convert(run, options.input, retry=options.retry, allow_deletions=options.allow_deletions)
        raw_files.compact(run)
        if "deidentify" in options.stages:
            with run.timed("deidentify"):
                deidentify(run, retry=options.retry)
        upkeep.compact(run)
        if "audit" in options.stages:
            with run.timed("audit"):
                audit(run)
        upkeep.remove_dead_files(run)
        if run.did_something:
            _write_run(run)
        run.log.event("run", "done" if run.did_something else "nothing to do", **run.counts)
    return run


def forecast_lake(options: Options) -> DryRun:
    """What `run_lake` would do; nothing is written, no session started.

    Raises ConfigurationError and SecretMissingError as `run_lake` does.
    """
    settings, spec, lake = _checked(options)
    Tables.of(lake).check()
    return forecast(
        lake,
        settings,
        spec.fingerprint,
        folder=options.input if "convert" in options.stages else None,
        stages=options.stages,
        retry=options.retry,
        allow_deletions=options.allow_deletions,
    )


def check_quarantine(run: Run) -> None:
    """Raises QuarantineExceededError if more of the lake's notes are in quarantine after this run than allowed.

    Of all notes, so that one bad file of a quiet night is no failure, and a run that finds nothing to do none the less
    says what is wrong.
    """
    states = Counter(delta_reader.read(run.lake.ledger, ["state"])["state"].to_pylist())
    quarantined = states[State.QUARANTINED]
    notes = quarantined + states[State.CONVERTED]
    allowed = run.settings.quarantine.allowed_share
    if quarantined > allowed * notes:
        raise QuarantineExceededError(
            f"{quarantined} of the lake's {notes} notes are in quarantine, more than the allowed share of {allowed:g}; "
            "restricted/ledger says why; the others are done"
        )


def _checked(options: Options) -> tuple[Settings, EngineSpec, Lake]:
    """What the options name, read and checked before anything is touched.

    Raises ConfigurationError with the problems of settings, pipeline, folders, lists and model together.
    """
    problems: list[str] = []
    settings = _or_problems(problems, lambda: load_settings(options.settings))
    name = options.pipeline or (settings.pipeline if settings else Settings().pipeline)
    pipeline = _or_problems(problems, lambda: load_pipeline(name))
    _or_problems(problems, lambda: _check_folders(options))
    lake = _or_problems(problems, lambda: _lake(options))
    spec = None
    if settings and pipeline:
        spec = _or_problems(problems, lambda: EngineSpec.load(pipeline, settings))
    if not (settings and spec and lake) or problems:
        raise ConfigurationError(problems)
    return settings, spec, lake


def _or_problems(problems: list[str], check: Callable[[], Result]) -> Result | None:
    """What the check gives, or None and its problems beside the others'."""
    try:
        return check()
    except ConfigurationError as error:
        problems += error.problems
        return None


def _check_folders(options: Options) -> None:
    """Raises ConfigurationError if a folder is missing or lies in the other."""
    problems = []
    if "convert" in options.stages:
        if options.input is None:
            problems.append("--input: is needed by the stage convert")
        elif not options.input.is_dir():
            problems.append(f"--input {options.input}: there is no such folder")
        else:
            folder, lake = options.input.resolve(), options.lake.resolve()
            if folder.is_relative_to(lake) or lake.is_relative_to(folder):
                problems.append(f"--lake {options.lake}: input and lake must not lie in one another")
    if problems:
        raise ConfigurationError(problems)


def _lake(options: Options) -> Lake:
    """The lake that the options name.

    Raises ConfigurationError if Spark or Delta could not name it, or there is none and no stage would make it.
    """
    lake = Lake.at(options.lake)
    if "convert" not in options.stages and not delta_reader.exists(lake.ledger):
        raise ConfigurationError(f"--lake {lake.root}: there is no lake, and without the stage convert none is made")
    return lake


def _write_run(run: Run) -> None:
    """Adds the run's row to clean/runs; it holds no path, host or account."""
    engine_s = run.seconds.get("engine", 0.0)
    row = {
        "run_id": run.run_id,
        "started": run.started,
        "finished": datetime.now(UTC),
        "pipeline": run.spec.pipeline.name,
        "fingerprint": run.fingerprint,
        "reader": run.reader_print.notes,
        "versions": {
            "deid": __version__,
            "python": platform.python_version(),
            "spark": metadata.version("pyspark"),
            "delta": metadata.version("delta-spark"),
        },
        "counts": {name: int(count) for name, count in sorted(run.counts.items())},
        "seconds": {name: round(seconds, 3) for name, seconds in run.seconds.items()},
        "tokens_per_second": round(run.counts["tokens"] / engine_s, 1) if engine_s else 0.0,
    }
    run.describe("run", "writing what this run did")
    run.tables.runs.add(row)
