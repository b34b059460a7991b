"""What a caller chooses for a run, and what these choices name, read and checked before anything is touched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from deid_core.core.errors import ConfigurationError, no_such_lake, quoted
from deid_core.core.logs import LogStyle
from deid_core.core.s3_url import S3Url
from deid_core.lake.inputs.bucket import InputBucket
from deid_core.lake.inputs.folder import InputFolder
from deid_core.lake.inputs.identities import load_identities
from deid_core.lake.inputs.patient_table import load_patient_table
from deid_core.lake.inputs.source import NoteSource
from deid_core.lake.inputs.table import InputTable, NoteColumns
from deid_core.lake.layout import Lake
from deid_core.lake.patients.withdrawn import PatientChoice
from deid_core.lake.runs.context import RunInputs
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.loading import check_spec, load_spec
from deid_core.pipeline.settings_file import Settings, load_settings, patient_settings
from deid_core.policies.redaction import load_redactor
from deid_core.policies.settings import PolicySettings, load_policy

_Checked = TypeVar("_Checked")
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


def is_upgrade(tables: Tables, options: Options) -> bool:
    """Return whether a run with these options makes the results of an older version again."""
    return "deidentify" in options.stages and tables.are_of_older_version


def checked_inputs(options: Options) -> RunInputs:
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
    # The files that options or faulty settings name are checked, too, so that all problems come at once.
    patient = settings.patient if settings else patient_settings(options.settings)
    patient_table = None
    if (file := patient.table) is not None:
        patient_table = _or_problems(problems, lambda: load_patient_table(file))
    identities = None
    if (table := options.identities or patient.identities) is not None:
        identities = _or_problems(problems, lambda: load_identities(str(table)))
    policies: list[PolicySettings] = []
    if "deidentify" in options.stages or options.rekey:
        names = (settings or Settings()).outputs if options.outputs is None else options.outputs
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


def source_of(options: Options) -> NoteSource | None:
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
    if (source := source_of(options)) is None or options.input is None:
        return
    lake = options.lake.resolve()
    if isinstance(options.input, Path):
        place = options.input.resolve()
        if place.is_relative_to(lake) or lake.is_relative_to(place):
            raise ConfigurationError(f"--lake {quoted(options.lake)}: input and lake must not lie within one another")
    source.check(first_run=not delta_reader.exists(Lake(lake).ledger))


def _lake(options: Options) -> Lake:
    """Return the lake that the options name.

    Raises ConfigurationError if Spark or Delta could not address it, if its parent folder is missing, or if there is no
    lake and no stage would create it.
    """
    lake = Lake.at(options.lake)
    if not lake.root.parent.exists():
        # The place of a disk that is not mounted must not get a new lake, with a new key.
        raise ConfigurationError(f"--lake: no such folder: {quoted(options.lake.parent)}; is it mounted?")
    if "convert" not in options.stages and not delta_reader.exists(lake.ledger):
        raise ConfigurationError(no_such_lake(lake.root))
    return lake
