"""conf/default.yaml: reading, lists, limits, the run."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator

from deid_core.config.base import FrozenSettings, Share
from deid_core.config.yaml_file import load_yaml
from deid_core.resources import conf_dir, gazetteer_dir

GAZETTEER_DIR_VARIABLE = "DEID_GAZETTEER_DIR"


class ReadingSettings(FrozenSettings):
    """Limits of reading; a file beyond one is quarantined, never truncated."""

    max_file_bytes: Annotated[int, Field(gt=0)] = 50_000_000
    max_unpacked_bytes: Annotated[int, Field(gt=0)] = 200_000_000
    """Of all parts of a .docx together, as the archive's directory declares them and as they turn out."""
    max_compression_ratio: Annotated[float, Field(gt=1)] = 200.0
    """Unpacked to packed size of one part over 1 MB; beyond it the file is a zip bomb."""
    max_xml_bytes: Annotated[int, Field(gt=0)] = 40_000_000
    """Of the parts of a .docx that hold text, together; parsed, they take about ten times as much memory."""
    max_text_chars: Annotated[int, Field(gt=0)] = 5_000_000
    max_blocks: Annotated[int, Field(gt=0)] = 100_000
    """Paragraphs and table cells of a note: empty ones cost time and memory and no characters."""
    doc_reader: Literal["direct", "libreoffice"] = "direct"
    """Who reads .doc files. direct: the reader of this project, LibreOffice those that it refuses; libreoffice: all."""
    libreoffice: str | None = None
    """Path of soffice; None looks on PATH."""
    libreoffice_batch: Annotated[int, Field(gt=0)] = 50
    libreoffice_start_s: Annotated[float, Field(gt=0)] = 30.0
    libreoffice_file_s: Annotated[float, Field(gt=0)] = 10.0
    """A batch may take start + files times this; a file retried alone as much as a batch of one."""


class YearSettings(FrozenSettings):
    """Where a note's year comes from: the path, else the header's date, else the file's date."""

    path_pattern: str = r"(?:^|/)(?P<year>(?:19|20)\d{2})(?:/|$)"
    earliest: int = 1980
    latest: int = 2100

    @field_validator("path_pattern")
    @classmethod
    def _has_year(cls, value: str) -> str:
        try:
            groups = re.compile(value).groupindex
        except re.error as error:
            raise ValueError(f"is not a regular expression: {error}") from None
        if "year" not in groups:
            raise ValueError("needs a group named 'year', e.g. (?P<year>20\\d{2})")
        return value


class GazetteerSettings(FrozenSettings):
    """Which lists are compiled, and where their files are looked for."""

    sources: str = "sources.yaml"
    """Relative to gazetteers/ or absolute."""
    lists_dir: str | None = None
    """Folder of the larger lists that sources.yaml marks `from: lists_dir`; None leaves them out."""
    cache_dir: str | None = None
    """Compiled automata; None is gazetteers/compiled."""


class QuarantineSettings(FrozenSettings):
    """Which share of the lake's notes may be in quarantine before a run counts as failed (exit code 65)."""

    allowed_share: Share = 0.05


class RunSettings(FrozenSettings):
    """How a run over a lake goes about it."""

    batch_notes: Annotated[int, Field(gt=0)] = 20_000
    """Notes that are read, or de-identified, between two commits: what a crash may cost."""
    allowed_deleted_share: Share = 0.5
    """A run stops if more than this share of the ledger's files is gone: the input may not be mounted."""
    compact_above_files: Annotated[int, Field(ge=2)] = 16
    """A year of a table, or of the raw notes, with more small files than this is written anew as few: every night adds
    one or two."""
    small_file_bytes: Annotated[int, Field(gt=0)] = 32_000_000


class EngineSettings(FrozenSettings):
    """Limits of the engine on one note."""

    note_time_limit_s: Annotated[float, Field(gt=0)] = 20.0
    max_word_types: Annotated[int, Field(gt=0)] = 500_000
    """A worker forgets its word types and starts anew beyond this many: bounded memory."""
    max_word_type_chars: Annotated[int, Field(gt=0)] = 20_000_000
    """The same for their characters together: a "word" may have megabytes."""


class Settings(FrozenSettings):
    """conf/default.yaml."""

    reading: ReadingSettings = ReadingSettings()
    year: YearSettings = YearSettings()
    gazetteers: GazetteerSettings = GazetteerSettings()
    quarantine: QuarantineSettings = QuarantineSettings()
    engine: EngineSettings = EngineSettings()
    run: RunSettings = RunSettings()
    pipeline: str = "default"


def load_settings(path: Path | None = None) -> Settings:
    """The project's settings; DEID_GAZETTEER_DIR, if set, stands for `gazetteers.lists_dir`.

    Raises ConfigurationError with every problem of the file.
    """
    settings = load_yaml(path or conf_dir() / "default.yaml", Settings)
    lists_dir = os.environ.get(GAZETTEER_DIR_VARIABLE)
    if lists_dir:
        gazetteers = settings.gazetteers.model_copy(update={"lists_dir": lists_dir})
        settings = settings.model_copy(update={"gazetteers": gazetteers})
    return settings


def sources_path(settings: GazetteerSettings) -> Path:
    """Where sources.yaml lies."""
    return gazetteer_dir() / settings.sources
