"""The settings of a run and their defaults; conf/settings.yaml changes them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field

from deid_core.core.data_folders import conf_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.settings import FrozenSettings, Share
from deid_core.core.yaml_file import load_yaml, read_yaml, validate_yaml
from deid_core.lexicon.gazetteer.settings import GazetteerSettings
from deid_core.pipeline.config import EngineSettings
from deid_core.readers.settings import ReadingSettings, YearSettings

GAZETTEER_DIR_VARIABLE = "DEID_GAZETTEER_DIR"


class QuarantineSettings(FrozenSettings):
    """Which share of the lake's notes may be in quarantine before a run counts as failed (exit code 65)."""

    allowed_share: Share = 0.05


class PatientSettings(FrozenSettings):
    """What the hospital says of patients: whose a note is, and what is known of its people.

    Where it does not say whose a note is, the note's spans do (policies/patient_evidence.py).
    """

    table: str | None = None
    """A .csv or .parquet file with the columns path (below the input folder, or a pattern as 4711/*) and patient."""
    identities: str | None = None
    """A .csv or .parquet file of names, birth dates, … by path or patient (lake/inputs/identities.py): search terms."""


class RunSettings(FrozenSettings):
    """Sizes and limits of a run over a lake."""

    batch_notes: Annotated[int, Field(gt=0)] = 50_000
    """Notes per commit: a crash costs at most the work on this many."""
    progress_s: Annotated[float, Field(gt=0)] = 10.0
    """Seconds between the lines of the log that say how far reading and the engine are."""
    allowed_deleted_share: Share = 0.5
    """A run stops if more than this share of the known files is gone: the input is probably not mounted."""
    allowed_file_year_share: Share = 0.05
    """A run counts as failed (exit code 65) if more of the notes have the year of their file's date: copied files
    often have the date of the copy. 1.0 says that these dates are right."""
    compact_above_files: Annotated[int, Field(ge=2)] = 16
    """A year of a table, or of the raw notes, with more small files than this is written anew as few: every night adds
    one or two."""
    small_file_bytes: Annotated[int, Field(gt=0)] = 32_000_000


class Settings(FrozenSettings):
    """conf/settings.yaml."""

    reading: ReadingSettings = ReadingSettings()
    year: YearSettings = YearSettings()
    gazetteers: GazetteerSettings = GazetteerSettings()
    patient: PatientSettings = PatientSettings()
    quarantine: QuarantineSettings = QuarantineSettings()
    engine: EngineSettings = EngineSettings()
    run: RunSettings = RunSettings()
    pipeline: str = "default"
    outputs: list[str] = Field(default_factory=list)
    """Policies, by name or path: the lake has a table clean/deidentified_<policy> of each, besides its placeholders."""


def load_settings(path: Path | None = None) -> Settings:
    """Return the settings of a file, by default conf/settings.yaml.

    DEID_GAZETTEER_DIR, if set, takes precedence over `gazetteers.lists_dir`.

    Raises ConfigurationError with every problem of the file.
    """
    settings = load_yaml(path or conf_dir() / "settings.yaml", Settings)
    lists_dir = os.environ.get(GAZETTEER_DIR_VARIABLE)
    if lists_dir:
        gazetteers = settings.gazetteers.model_copy(update={"lists_dir": lists_dir})
        settings = settings.model_copy(update={"gazetteers": gazetteers})
    return settings


def patient_settings(path: Path | None = None) -> PatientSettings:
    """Return the part `patient` of a settings file that has mistakes elsewhere; the defaults if it cannot be read."""
    path = path or conf_dir() / "settings.yaml"
    try:
        node, _ = read_yaml(path)
        parts = {key.value: value for key, value in node.value} if isinstance(node, yaml.MappingNode) else {}
        return validate_yaml(parts.get("patient"), PatientSettings, str(path))
    except ConfigurationError:
        return PatientSettings()
