"""One run over a lake: convert, de-identify, audit. What did not change is not touched.

Settings, pipeline and lists are checked before anything is written or a session is started. A run without work starts
no Spark session and commits nothing.
"""

from __future__ import annotations

import platform
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata

from deid_core.core.errors import DamageFoundError, DeidError, TryAgainError
from deid_core.core.files import protect_process
from deid_core.core.logs import RunLog
from deid_core.core.version import __version__
from deid_core.lake.checks import audit_counts, checksums, integrity, lake_entries
from deid_core.lake.checks.integrity import Damage
from deid_core.lake.inputs.bucket import InputBucket
from deid_core.lake.inputs.folder import InputFolder
from deid_core.lake.inputs.source import NoteSource
from deid_core.lake.layout import Lake
from deid_core.lake.lock import Lock, locked
from deid_core.lake.notes.ids import note_ids_for_run
from deid_core.lake.patients import matching
from deid_core.lake.patients.rekey import rekey
from deid_core.lake.patients.withdrawn import PatientChoice, withdraw_patients
from deid_core.lake.runs import maintenance, up_to_date
from deid_core.lake.runs.context import RunInputs, new_run_id
from deid_core.lake.runs.profiles import record_night
from deid_core.lake.storage_errors import storage_error_text, storage_errors_translated
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables
from deid_core.spark.convert_notes import convert_notes
from deid_core.spark.deidentify_notes import bring_patients_up, deidentify_notes, report_identities
from deid_core.spark.make_outputs import make_outputs
from deid_core.spark.preflight import check_machine
from deid_core.spark.run_options import Options, checked_inputs, is_upgrade, source_of
from deid_core.spark.spark_run import SparkRun


def run_lake(options: Options) -> SparkRun:
    """Do what there is to do and return the run with its counts.

    Raises ConfigurationError, SecretMissingError, TryAgainError before anything is changed. The session stays open.
    """
    protect_process()
    with RunLog("", style=options.log) as log:
        log.status("checking settings, lists and models")
        inputs = checked_inputs(options)
        lake = inputs.lake
        source = source_of(options)
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
        damages = _mended(lake, options, log, day)
        had_key = lake.key.exists()
        run = SparkRun(inputs, note_ids_for_run(lake), staging, lock, run_id, log)
        if not had_key:
            log.warn("run", "new lake, new key: keep a copy of restricted/key")
        if delta_reader.exists(lake.ledger):
            # Missing ones, also if nothing else is to do: of a newer version, or that a person moved away.
            run.tables.create()
        for damage in damages:
            run.did_something = True
            log.warn("integrity", f"damaged: {damage}")
            run.counts["damaged_files"] += 1
        if options.withdraw is not None:
            with run.timed("withdraw"):
                _withdraw(run, options.withdraw)
        if options.rekey:
            with run.timed("rekey"), up_to_date.kept(run):
                rekey(run)
                matching.update(run)
                make_outputs(run)
        if source is not None:
            with run.timed("convert"):
                convert_notes(run, source, retry=options.retry, allow_deletions=options.allow_deletions)
        maintenance.compact_raw_notes(run)
        if "deidentify" in options.stages:
            with run.timed("deidentify"):
                if up_to_date.is_up_to_date(run, retry=options.retry):
                    matching.tell_conflicts(run)
                else:
                    deidentify_notes(run, retry=options.retry)
                    withdraw_patients(run)
                    bring_patients_up(run)
                    up_to_date.record(run)
                report_identities(run)
                make_outputs(run, retry=options.retry)
        with up_to_date.kept(run):
            maintenance.compact_tables(run)
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


def _withdraw(run: SparkRun, choice: PatientChoice) -> None:
    """Withdraw a patient.

    Without its notes, others may turn out to be of one patient: two notes of Eva Muster with one birth date stood apart
    only because of a third with a similar one. They wait for `bring_patients_up`, which searches their texts first.
    """
    was_recorded = up_to_date.is_recorded(run)
    withdraw_patients(run, choice)
    found = matching.outdated(run)
    matching.update(run, found._replace(notes={}))
    if was_recorded and not found.notes:
        up_to_date.record(run)


def _mended(lake: Lake, options: Options, log: RunLog, day: int | None) -> list[Damage]:
    """Remove tables of an older version, and what is damaged and made again. Return the damage. day: as `_run_once`."""
    with suppress(DamageFoundError):
        tables = Tables(lake)
        upgrading = is_upgrade(tables, options)
        tables.check(upgrading=upgrading)
        if upgrading:
            log.event("run", "upgrade: the tables are of an older version; all notes are de-identified again")
            tables.remove_results()
        tables.delete_removed()
    checksums.begin(lake)
    checksums.forget_missing_tables(lake)
    damages = integrity.damages(lake, day=day)
    integrity.mend(lake, damages)
    return damages


def _check_jvm() -> None:
    """Raise TryAgainError if the JVM that this process started is no longer there."""
    from deid_core.spark.session import jvm_has_ended

    if jvm_has_ended():
        raise TryAgainError(
            "the Java process of Spark was killed or ran out of memory (spark.driver.memory in conf/spark/local.conf); "
            "what was committed is intact: run again, and the run continues from there"
        ) from None


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
