"""The lake of commands that make none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ConfigurationError, no_such_lake

if TYPE_CHECKING:
    from deid_core.lake.layout import Lake


def existing_lake(command: str, path: Path) -> Lake:
    """Return the lake at a path. Raises ConfigurationError if there is none, or a package for lakes is missing."""
    with spark_extra(command):
        from deid_core.lake import delta_reader
        from deid_core.lake.layout import Lake
    lake = Lake.at(path)
    if not delta_reader.exists(lake.ledger):
        raise ConfigurationError(no_such_lake(path))
    return lake
