"""The lake of commands that make none."""

from __future__ import annotations

import os
from pathlib import Path

from deid_core.core.errors import ConfigurationError, TryAgainError, no_such_lake, quoted
from deid_core.lake.layout import Lake, exists


def existing_lake(path: Path, *, clean_only: bool = False) -> Lake:
    """Return the lake at a path. Called before a command loads what reads lakes: a wrong path ends the command at once.

    clean_only: the command needs no right to read `restricted`. Raises ConfigurationError if there is none,
    TryAgainError if a first run has only begun one.
    """
    lake = Lake.at(path)
    if not exists(lake.deidentified if clean_only else lake.ledger):
        # False, too, for an account that may not look into `restricted`.
        if os.path.exists(lake.lock):
            raise TryAgainError(
                f"--lake {quoted(path)}: a first run is at work or was interrupted: start it again, `deid run` goes on"
            )
        raise ConfigurationError(no_such_lake(path))
    return lake
