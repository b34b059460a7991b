"""One run over a lake: convert, de-identify, audit; what did not change is not touched.

    spark-submit jobs/run.py --input DIR --lake DIR [--pipeline NAME] [--settings FILE]
    deid run                 --input DIR --lake DIR [--pipeline NAME] [--settings FILE]

Settings, pipeline and lists are checked before anything is written or a session is started. A run that finds nothing to
do starts no Spark session and commits nothing.
"""

from __future__ import annotations

import platform
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from deid_core import __version__
from deid_core.config import Settings, load_pipeline, load_settings
from deid_core.engine import EngineSpec
from deid_core.errors import ConfigurationError, QuarantineExceededError
from deid_core.logs import RunLog
from jobs import erase, reader
from jobs.audit import audit
from jobs.context import Run, new_run_id
from jobs.convert import convert
from jobs.deidentify import deidentify
from jobs.identity import note_ids_for_run
from jobs.lake import Lake
from jobs.preflight import check_machine
from jobs.process import protect_process
from jobs.rows import State

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
    settings = load_settings(options.settings)
    spec = _engine_spec(options, settings)
    _check_folders(options)
    lake = Lake.at(options.lake)
    check_machine(lake, settings.reading, options.input if "convert" in options.stages else None)
    lake.prepare()
    run_id = new_run_id()
    with lake.locked(), lake.staging_of(run_id) as staging:
        run = Run(lake, settings, spec, note_ids_for_run(lake), staging, run_id, RunLog(run_id))
        if "convert" in options.stages and options.input is not None:
            with run.timed("convert"):
                convert(run, options.input, retry=options.retry, allow_deletions=options.allow_deletions)
        if "deidentify" in options.stages:
            with run.timed("deidentify"):
                deidentify(run, retry=options.retry)
        if "audit" in options.stages:
            with run.timed("audit"):
                audit(run)
        erase.remove_dead_files(run)
        if run.did_something:
            _write_run(run)
        run.log.event("run", "done" if run.did_something else "nothing to do", **run.counts)
    return run


def check_quarantine(run: Run) -> None:
    """Raises QuarantineExceededError if more of the lake's notes are in quarantine after this run than allowed.

    Of all notes, so that one bad file of a quiet night is no failure, and a run that finds nothing to do none the less
    says what is wrong.
    """
    states = Counter(reader.read(run.lake.ledger, ["state"])["state"].to_pylist())
    quarantined = states[State.QUARANTINED]
    notes = quarantined + states[State.CONVERTED]
    allowed = run.settings.quarantine.allowed_share
    if quarantined > allowed * notes:
        raise QuarantineExceededError(
            f"{quarantined} of the lake's {notes} notes are in quarantine, more than the allowed share of {allowed:g}; "
            "restricted/ledger says why; the others are done"
        )


def _engine_spec(options: Options, settings: Settings) -> EngineSpec:
    return EngineSpec.load(load_pipeline(options.pipeline or settings.pipeline), settings)


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
            "spark": run.spark.version,
            "delta": metadata.version("delta-spark"),
        },
        "counts": {name: int(count) for name, count in sorted(run.counts.items())},
        "seconds": {name: round(seconds, 3) for name, seconds in run.seconds.items()},
        "tokens_per_second": round(run.counts["tokens"] / engine_s, 1) if engine_s else 0.0,
    }
    run.describe("run", "writing what this run did")
    run.tables.runs.append(run.spark.createDataFrame([row], run.tables.runs.columns))


if __name__ == "__main__":
    from deid_core.cli import main

    raise SystemExit(main(["run", *sys.argv[1:]]))
