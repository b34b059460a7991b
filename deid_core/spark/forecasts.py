"""What a run, a withdrawal or a new key would do, as `--dry-run` prints it. Writes nothing and starts no session."""

from __future__ import annotations

from collections import Counter

from deid_core.lake.checks import lake_entries
from deid_core.lake.inspection.dry_run import DryRun, forecast
from deid_core.lake.notes.ids import note_ids
from deid_core.lake.patients.matching import PatientKeys
from deid_core.lake.patients.rekey import RekeyForecast
from deid_core.lake.patients.withdrawn import plan_withdrawal
from deid_core.lake.tables.lake_table import Tables
from deid_core.spark.run_options import Options, checked_inputs, is_upgrade, source_of


def forecast_lake(options: Options) -> DryRun:
    """Return what `run_lake` would do. Writes nothing and starts no session.

    Raises ConfigurationError and SecretMissingError as `run_lake` does.
    """
    inputs = checked_inputs(options)
    lake_entries.check_account(inputs.lake)
    tables = Tables(inputs.lake)
    tables.check(upgrading=is_upgrade(tables, options))
    return forecast(
        inputs,
        source=source_of(options),
        stages=options.stages,
        retry=options.retry,
        allow_deletions=options.allow_deletions,
    )


def forecast_withdrawal(options: Options) -> Counter[str]:
    """Return what `run_lake` would remove for the patient of `options.withdraw`, as it counts it. Writes nothing.

    Raises ConfigurationError and SecretMissingError as `run_lake` does.
    """
    inputs = checked_inputs(options)
    lake_entries.check_account(inputs.lake)
    Tables(inputs.lake).check()
    ids = note_ids(inputs.lake)
    keys = PatientKeys(inputs.lake, ids, inputs.patient_table)
    return plan_withdrawal(inputs.lake, ids, keys, options.withdraw).counts(inputs.lake)


def forecast_rekey(options: Options) -> RekeyForecast:
    """Return what `run_lake` with `options.rekey` would change. Writes nothing.

    Raises ConfigurationError and SecretMissingError as `run_lake` does.
    """
    inputs = checked_inputs(options)
    lake_entries.check_account(inputs.lake)
    Tables(inputs.lake).check()
    return RekeyForecast.of_lake(inputs.lake, [redactor.policy.name for redactor in inputs.outputs])
