"""The lake of commands that make none."""

from __future__ import annotations

from pathlib import Path

from deid_core.core.errors import ConfigurationError, no_such_lake
from deid_core.lake.layout import Lake, exists


def existing_lake(path: Path, *, clean_only: bool = False) -> Lake:
    """Return the lake at a path. Called before a command loads what reads lakes: a wrong path ends the command at once.

    clean_only: the command needs no right to read `restricted`. Raises ConfigurationError if there is none.
    """
    lake = Lake.at(path)
    if not exists(lake.deidentified if clean_only else lake.ledger):
        raise ConfigurationError(no_such_lake(path))
    return lake
