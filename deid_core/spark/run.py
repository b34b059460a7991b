"""One run over a lake: convert, de-identify, audit. What did not change is not touched.

Settings, pipeline and lists are checked before anything is written or a session is started. A run without work starts
no Spark session and commits nothing.
"""

from __future__ import annotations

import platform
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.compute as pc

from deid_core.core.errors import (
    ConfigurationError,
    DamageFoundError,
    DeidError,
    DriftError,
    QuarantineExceededError,
    TryAgainError,
    YearsOfFilesError,
    no_such_lake,
    quoted,
)
from deid_core.core.files import protect_process
from deid_core.core.logs import LogStyle, RunLog
from deid_core.core.s3_url import S3Url
from deid_core.core.version import __version__
from deid_core.lake import (
    audit_counts,
    checksums,
    delta_reader,
    integrity,
    lake_entries,
    maintenance,
    patients,
    up_to_date,
)
from deid_core.lake.dry_run import DryRun, forecast
from deid_core.lake.identities import load_identities
from deid_core.lake.input_bucket import InputBucket
from deid_core.lake.input_folder import InputFolder
from deid_core.lake.input_table import InputTable, NoteColumns
from deid_core.lake.layout import Lake
from deid_core.lake.lock import Lock, locked
from deid_core.lake.note_ids import note_ids, note_ids_for_run
from deid_core.lake.patient_table import load_patient_table
from deid_core.lake.patients import PatientKeys
from deid_core.lake.rekey import RekeyForecast, rekey
from deid_core.lake.run_context import RunInputs, new_run_id
from deid_core.lake.run_profiles import record_night
from deid_core.lake.source import NoteSource
from deid_core.lake.states import State, YearSource
from deid_core.lake.storage_errors import storage_error_text, storage_errors_translated
from deid_core.lake.tables import Tables
from deid_core.lake.withdrawn_patients import PatientChoice, plan_withdrawal, withdraw_patients
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.loading import check_spec, load_spec
from deid_core.pipeline.settings import Settings, load_settings
from deid_core.policies.redaction import load_redactor
from deid_core.policies.settings import PolicySettings, load_policy
from deid_core.spark.convert import convert
from deid_core.spark.deidentify_notes import bring_patients_up, deidentify_notes, report_identities
from deid_core.spark.make_outputs import make_outputs
from deid_core.spark.preflight import check_machine
from deid_core.spark.spark_run import SparkRun

_Checked = TypeVar("_Checked")
_MANY = 20
"""Notes with the year of their file's date."""
_TABLE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
STAGES = ("convert", "deidentify", "audit")


@dataclass(frozen=True, slots=True)
class Options:
    """A caller's choices for a run.

    input: the folder or prefix of Word files, or a table; None is allowed without the stage `convert`. columns: the
    input is a table with these. log: what is written to stderr. retry: try quarantined notes again.
    allow_deletions: continue however many files disappeared from the input. identities: the hospital's table of
    identities; None is what the settings say. outputs: policies of the outputs; None is
    what the settings say. key: file of the policies' key; None is the variable DEID_POLICY_KEY. withdraw: a patient
    whose notes are to be removed. rekey: give the patients a new key, and the outputs what follows from it.
    """

    input: Path | S3Url | None
    lake: Path
    pipeline: str | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    settings: Path | None = None
    stages: Collection[str] = STAGES
    retry: bool = False
    allow_deletions: bool = False
    identities: Path | None = None
    outputs: Sequence[str] | None = None
    key: Path | None = None
    withdraw: PatientChoice | None = None
    rekey: bool = False
    columns: NoteColumns | None = None
    log: LogStyle = field(default_factory=LogStyle)


def run_lake(options: Options) -> SparkRun:
    """Do what there is to do and return the run with its counts.

    Raises ConfigurationError, SecretMissingError, TryAgainError before anything is changed. The session stays open.
    """
    protect_process()
    with RunLog("", style=options.log) as log:
        log.status("checking settings, lists and models")
        inputs = _checked(options)
        lake = inputs.lake
        source = _source(options)
        names = source.names if isinstance(source, InputFolder | InputBucket) else None
        check_machine(lake, inputs.settings.reading, names)
    lake.prepare()
    lake_entries.check_account(lake, writing=True)
    with storage_errors_translated(lake.root), locked(lake) as lock:
        try:
            return _run_once(options, inputs, source, lock, day=datetime.now(UTC).toordinal())
        except DamageFoundError:
            pass
        except DeidError:
            raise
        except Exception as error:
            _check_jvm()
            if storage_error_text(error) is not None or not integrity.damages(lake):
                raise
        # Some damage shows only when a file is read. Now all files are checked first.
        return _run_once(options, inputs, source, lock, day=None)


def _run_once(
    options: Options, inputs: RunInputs, source: NoteSource | None, lock: Lock, *, day: int | None
) -> SparkRun:
    """Do the stages. source: None without the stage convert. day: see `integrity.damages`, which runs before.

    Raises DamagedLakeError if a file is damaged that only a person can restore.
    """
    lake, run_id = inputs.lake, new_run_id()
    with RunLog(run_id, style=options.log) as log, lake.staging_of(run_id) as staging:
        if lock.died is not None:
            log.warn("run", f"the previous run (process {lock.died.pid}) ended without releasing its lock")
        with suppress(DamageFoundError):
            tables = Tables.from_lake(lake)
            upgrading = _upgrades(tables, options)
            tables.check(upgrading=upgrading)
            if upgrading:
                log.event("run", "upgrade: the tables are of an older version; all notes are de-identified again")
                tables.remove_results()
        checksums.begin(lake)
        checksums.forget_missing_tables(lake)
        damages = integrity.damages(lake, day=day)
        integrity.mend(lake, damages)
        run = SparkRun(inputs, note_ids_for_run(lake), staging, lock, run_id, log)
        if delta_reader.exists(lake.ledger):
            # Missing ones, also if nothing else is to do: of a newer version, or that a person moved away.
            run.tables.create()
        for damage in damages:
            run.did_something = True
            log.warn("integrity", f"damaged: {damage}")
            run.counts["damaged_files"] += 1
        was_up_to_date = run.is_up_to_date = up_to_date.is_recorded(run)
        if options.withdraw is not None:
            with run.timed("withdraw"):
                withdraw_patients(run, options.withdraw)
                patients.update(run)
        if options.rekey:
            with run.timed("rekey"):
                rekey(run)
                patients.update(run)
                make_outputs(run)
        # Without a patient's notes, and with other keys, the tables are as up to date as they were.
        run.is_up_to_date = was_up_to_date
        if source is not None:
            with run.timed("convert"):
                convert(run, source, retry=options.retry, allow_deletions=options.allow_deletions)
        maintenance.compact_raw_notes(run)
        if "deidentify" in options.stages:
            with run.timed("deidentify"):
                if up_to_date.is_up_to_date(run, retry=options.retry):
                    patients.tell_conflicts(run)
                else:
                    deidentify_notes(run, retry=options.retry)
                    withdraw_patients(run)
                    bring_patients_up(run)
                    run.is_up_to_date = True
                report_identities(run)
                make_outputs(run, retry=options.retry)
        maintenance.compact_tables(run)
        up_to_date.record(run)
        if "audit" in options.stages:
            with run.timed("audit"):
                if audit_counts.are_outdated(lake):
                    run.describe("audit", "counting removed spans, dropped detections and what the sweep found")
                    audit_counts.update(run.tables, run.fingerprint if run.spec.pipeline.sweep else None)
        maintenance.remove_dead_files(run)
        if run.did_something:
            record_night(run)
            _write_run(run)
        checksums.record(lake)
        run.log.step("run", "done" if run.did_something else "nothing to do", **run.counts)
    return run


def _check_jvm() -> None:
    """Raise TryAgainError if the JVM that this process started is no longer there."""
    from deid_core.spark.session import jvm_has_ended

    if jvm_has_ended():
        raise TryAgainError(
            "the Java process of Spark was killed or ran out of memory (spark.driver.memory in conf/spark/local.conf); "
            "what was committed is intact: run again, and the run continues from there"
        ) from None


def _upgrades(tables: Tables, options: Options) -> bool:
    """Return whether a run with these options makes the results of an older version again."""
    return "deidentify" in options.stages and tables.are_of_older_version


def forecast_lake(options: Options) -> DryRun:
    """Return what `run_lake` would do. Writes nothing and starts no session.

    Raises ConfigurationError and SecretMissingError as `run_lake` does.
    """
    inputs = _checked(options)
    lake_entries.check_account(inputs.lake)
    tables = Tables.from_lake(inputs.lake)
    tables.check(upgrading=_upgrades(tables, options))
    return forecast(
        inputs,
        source=_source(options),
        stages=options.stages,
        retry=options.retry,
        allow_deletions=options.allow_deletions,
    )


def forecast_withdrawal(options: Options) -> Counter[str]:
    """Return what `run_lake` would remove for the patient of `options.withdraw`, as it counts it. Writes nothing.

    Raises ConfigurationError and SecretMissingError as `run_lake` does.
    """
    inputs = _checked(options)
    lake_entries.check_account(inputs.lake)
    Tables.from_lake(inputs.lake).check()
    ids = note_ids(inputs.lake)
    keys = PatientKeys(inputs.lake, ids, inputs.patient_table)
    return plan_withdrawal(inputs.lake, ids, keys, options.withdraw).counts(inputs.lake)


def forecast_rekey(options: Options) -> RekeyForecast:
    """Return what `run_lake` with `options.rekey` would change. Writes nothing.

    Raises ConfigurationError and SecretMissingError as `run_lake` does.
    """
    inputs = _checked(options)
    lake_entries.check_account(inputs.lake)
    Tables.from_lake(inputs.lake).check()
    return RekeyForecast.of_lake(inputs.lake, [redactor.policy.name for redactor in inputs.outputs])


def check_quarantine(run: SparkRun) -> None:
    """Raise QuarantineExceededError if more of the lake's notes are in quarantine after this run than allowed.

    The share is of all notes. So one bad file in a quiet night is no failure, and a run without work still reports what
    is wrong.
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


def check_years(run: SparkRun) -> None:
    """Raise YearsOfFilesError if more of the lake's notes have the year of their file's date than allowed.

    Of a few such notes the share says nothing.
    """
    present = pc.field("state") == State.CONVERTED
    sources = Counter(delta_reader.read(run.lake.ledger, ["year_source"], where=present)["year_source"].to_pylist())
    by_file, notes = sources[YearSource.FILE], sources.total()
    allowed = run.settings.run.allowed_file_year_share
    if by_file >= _MANY and by_file > allowed * notes:
        raise YearsOfFilesError(
            f"{by_file} of the lake's {notes} notes have the year of their file's date, more than the allowed share of "
            f"{allowed:g}; copied files often have the date of the copy. Put the files into folders of years and run "
            "again, or say that the dates are right: `run: {allowed_file_year_share: 1.0}` in the settings"
        )


def check_drift(run: SparkRun) -> None:
    """Raise DriftError if the notes of this run differ from those of earlier runs."""
    if run.drift:
        raise DriftError(
            f"the notes of this run differ from those of earlier runs in {len(run.drift)} measures; all are done. "
            "The log says in which; docs/drift.md says what to do"
        )


def _checked(options: Options) -> RunInputs:
    """Read and check what the options name, before anything is touched.

    Raises ConfigurationError with all problems of settings, pipeline, folders, lists, model, policies and table of
    patients; SecretMissingError if a policy needs a key and there is none.
    """
    problems: list[str] = []
    settings = _or_problems(problems, lambda: load_settings(options.settings))
    name = options.pipeline or (settings.pipeline if settings else Settings().pipeline)
    pipeline = _or_problems(problems, lambda: load_pipeline(name, options.overrides))
    _or_problems(problems, lambda: _check_input(options))
    lake = _or_problems(problems, lambda: _lake(options))
    patient_table = None
    if settings and (file := settings.patient.table) is not None:
        patient_table = _or_problems(problems, lambda: load_patient_table(file))
    identities = None
    if settings and (table := options.identities or settings.patient.identities) is not None:
        identities = _or_problems(problems, lambda: load_identities(str(table)))
    policies: list[PolicySettings] = []
    if settings and ("deidentify" in options.stages or options.rekey):
        names = settings.outputs if options.outputs is None else options.outputs
        policies = _or_problems(problems, lambda: _policies(names)) or []
    spec = None
    if settings and pipeline:
        spec = _or_problems(problems, lambda: load_spec(pipeline, settings))
    if spec and lake and not delta_reader.exists(lake.ledger):
        # The first run has work. Later ones load no engine before they find some.
        _or_problems(problems, lambda: check_spec(spec))
    if not (settings and spec and lake) or problems:
        raise ConfigurationError(problems)
    outputs = tuple(load_redactor(policy, options.key) for policy in policies)
    return RunInputs(lake, settings, spec, patient_table, identities, outputs)


def _or_problems(problems: list[str], check: Callable[[], _Checked]) -> _Checked | None:
    """Return what the check returns; if it fails, None, and add its problems to the others."""
    try:
        return check()
    except ConfigurationError as error:
        problems += error.problems
        return None


def _policies(names: Sequence[str]) -> list[PolicySettings]:
    """Return the policies of the outputs.

    Raises ConfigurationError with all their problems.
    """
    problems: list[str] = []
    found = [policy for name in names if (policy := _or_problems(problems, partial(load_policy, name)))]
    for name, count in Counter(policy.name for policy in found).items():
        if count > 1:
            problems.append(f"outputs: {count} policies are called {name}; each needs a name of its own")
        if not _TABLE_NAME.fullmatch(name):
            problems.append(f"outputs: {name!r} names a table: use small letters, digits, - and _ alone")
    if problems:
        raise ConfigurationError(problems)
    return found


def _source(options: Options) -> NoteSource | None:
    """Return the source that the options name; None without the stage convert. Raises ConfigurationError."""
    if "convert" not in options.stages or options.input is None:
        return None
    if options.columns is not None:
        return InputTable(options.input, options.columns)
    return InputBucket(options.input) if isinstance(options.input, S3Url) else InputFolder(options.input)


def _check_input(options: Options) -> None:
    """Raise ConfigurationError if the source cannot be read, or input and lake lie within one another."""
    if "convert" in options.stages and options.input is None:
        raise ConfigurationError("--input: is needed by the stage convert")
    if (source := _source(options)) is None or options.input is None:
        return
    lake = options.lake.resolve()
    if isinstance(options.input, Path):
        place = options.input.resolve()
        if place.is_relative_to(lake) or lake.is_relative_to(place):
            raise ConfigurationError(f"--lake {quoted(options.lake)}: input and lake must not lie within one another")
    source.check(first_run=not delta_reader.exists(Lake(lake).ledger))


def _lake(options: Options) -> Lake:
    """Return the lake that the options name.

    Raises ConfigurationError if Spark or Delta could not address it, or if there is none and no stage would create it.
    """
    lake = Lake.at(options.lake)
    if "convert" not in options.stages and not delta_reader.exists(lake.ledger):
        raise ConfigurationError(no_such_lake(lake.root))
    return lake


def _write_run(run: SparkRun) -> None:
    """Append the run's row to clean/runs. It holds no path, host or account."""
    engine_s = run.seconds.get("engine", 0.0)
    # Without the stage audit the counts of spans are not of this run.
    in_lake = {} if audit_counts.are_outdated(run.lake) else audit_counts.lake_totals(run.tables)
    row = {
        "run_id": run.run_id,
        "started": run.started,
        "finished": datetime.now(UTC),
        "pipeline": run.spec.pipeline.name,
        "fingerprint": run.fingerprint,
        "reader": run.reader_fingerprint.notes,
        "versions": {
            "deid": __version__,
            "python": platform.python_version(),
            "spark": metadata.version("pyspark"),
            "delta": metadata.version("delta-spark"),
        },
        "counts": {name: int(count) for name, count in sorted({**run.counts, **in_lake}.items())},
        "seconds": {name: round(seconds, 3) for name, seconds in run.seconds.items()},
        "tokens_per_second": round(run.counts["tokens"] / engine_s, 1) if engine_s else 0.0,
    }
    run.describe("run", "recording the run")
    run.tables.runs.add(row)
