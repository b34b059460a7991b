"""The description of lists in gazetteers/sources.yaml: origin, licence, and how entries are cleaned.

readers.py reads the entries; build.py cleans and compiles them.
"""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from deid_core.core.errors import ConfigurationError
from deid_core.core.yaml_file import load_yaml
from deid_core.lexicon.gazetteer.kinds import ListKind


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Step(StrEnum):
    """A step of cleaning an entry; steps run in the order in which the source names them."""

    LOWER = "lower"
    STRIP_BRACKETS = "strip_brackets"
    """Neustadt (Holstein) → Neustadt"""
    SPLIT_SLASH = "split_slash"
    """Achern/Gamshurst → Achern and Gamshurst"""
    SPLIT_COMMA = "split_comma"
    """Venezuela, Bolivarische Republik → Venezuela and Bolivarische Republik"""
    STRIP_DISTRICT = "strip_district"
    """Nünchritz OT Diesbar-Seußlitz → Nünchritz and Diesbar-Seußlitz"""
    DASHES = "dashes"
    """A dash between blanks becomes a blank: Aachen – Brand → Aachen Brand"""


class Fetch(_Model):
    """A list that `deid gazetteers fetch` downloads into gazetteers/fetched.

    sha256: of the published file, hexadecimal; None where the publisher changes the file without a version: then any
    bytes are accepted, and the command prints their checksum with a warning.
    member: the file to extract from a zip archive. max_bytes: limit, packed and unpacked.
    """

    address: Annotated[str, Field(pattern=r"^https?://")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None
    member: str | None = None
    max_bytes: Annotated[int, Field(gt=0)] = 50_000_000


class Filters(_Model):
    """Which entries are dropped; the build's report has a count for each reason."""

    min_length: Annotated[int, Field(ge=1)] = 1
    max_words: Annotated[int, Field(ge=1)] | None = None
    drop_digits: bool = False
    capitalised: bool = False
    """Only entries that begin with a capital or a digit."""
    drop_pattern: str | None = None
    """A regular expression; entries in which it is found are dropped."""
    without: tuple[str, ...] = ()
    """Names of sources: entries that one of them has, in any case, are dropped."""
    min_count: Annotated[int, Field(ge=1)] | None = None
    """For csv with `count_column`: least count, after adding the counts of equal names."""

    @field_validator("drop_pattern")
    @classmethod
    def _is_expression(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"is not a regular expression: {error}") from None
        return value


class Source(_Model):
    """One list. Exactly one of package, file, lists_dir and fetch is its origin.

    package, reader: an installed package and one of readers.PACKAGE_READERS; limit: for readers ranked by frequency.
    file: relative to gazetteers/. lists_dir: a file name in the configured folder; skipped if it is not there.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    kind: ListKind
    licence: Annotated[str, Field(min_length=3)]
    package: str | None = None
    reader: str | None = None
    limit: Annotated[int, Field(gt=0)] | None = None
    file: str | None = None
    lists_dir: str | None = None
    fetch: Fetch | None = None
    format: Literal["lines", "csv", "json_keys"] = "lines"
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    header: bool = True
    column: int | str | None = None
    """For csv: name of the column if there is a header, else its index from 0."""
    count_column: int | str | None = None
    malformed: Literal["refuse", "drop"] = "refuse"
    """A malformed line stops the build, or is dropped and counted (for published lists)."""
    normalise: tuple[Step, ...] = ()
    filters: Filters = Filters()

    @model_validator(mode="after")
    def _hangs_together(self) -> Source:
        origins = [o for o in ("package", "file", "lists_dir", "fetch") if getattr(self, o) is not None]
        if len(origins) != 1:
            raise ValueError(f"needs exactly one of package, file, lists_dir and fetch; has {origins or 'none'}")
        if (self.package is None) != (self.reader is None):
            raise ValueError("package and reader belong together")
        if self.format == "csv" and self.column is None:
            raise ValueError("format csv needs column")
        if self.filters.min_count is not None and self.count_column is None:
            raise ValueError("filters.min_count needs count_column")
        for column in (self.column, self.count_column):
            if column is not None and isinstance(column, str) != self.header:
                raise ValueError("a column is a name if there is a header, else a number")
        return self

    @property
    def origin(self) -> str:
        """The origin in words, for reports."""
        if self.fetch is not None:
            return f"fetched from {self.fetch.address}"
        if self.package is not None:
            return f"package {self.package}, {self.reader}"
        return f"lists folder, {self.lists_dir}" if self.lists_dir is not None else str(self.file)


class Sources(_Model):
    """The whole of sources.yaml."""

    sources: tuple[Source, ...]

    @model_validator(mode="after")
    def _names_fit(self) -> Sources:
        names = [s.name for s in self.sources]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise ValueError(f"each name may stand once; more than once: {', '.join(twice)}")
        unknown = sorted({n for s in self.sources for n in s.filters.without if n not in names})
        if unknown:
            raise ValueError(f"filters.without names sources that do not exist: {', '.join(unknown)}")
        return self


HOUSE = "house-"
"""Begins the names of the sources that `load_sources` adds."""


def load_sources(path: Path) -> Sources:
    """Return the sources of a file, and the hospital's own lists, which join them.

    Each `file` has such a list: the one of its name in the lists folder, of the same kind and cleaned by the same
    steps. None has the name of a list that the file names there itself.

    Raises ConfigurationError with every problem, file and line.
    """
    named = load_yaml(path, Sources).sources
    taken = {source.lists_dir for source in named}
    own = [
        Source(
            name=f"{HOUSE}{Path(source.file).stem}",
            kind=source.kind,
            licence="the hospital's own",
            lists_dir=name,
            normalise=source.normalise,
        )
        for source in named
        if source.file is not None and (name := Path(source.file).name) not in taken
    ]
    return Sources(sources=(*named, *own))


def source_line(path: Path, name: str) -> int:
    """Return the line, from 1, where the source of that name begins, for messages; 1 if there is none."""
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, yaml.YAMLError):
        raise ConfigurationError(f"{path}: cannot be read again to name a line") from None
    for _, sequence in node.value if isinstance(node, yaml.MappingNode) else ():
        for entry in sequence.value:
            if any(k.value == "name" and v.value == name for k, v in entry.value):
                return int(entry.start_mark.line) + 1
    return 1
