"""Commands on a lake name the extra to install if its libraries are missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deid_core.core.errors import ConfigurationError


@contextmanager
def spark_extra(command: str) -> Iterator[None]:
    """Wrap a command's imports of the lake and of Spark.

    Raises ConfigurationError, naming the command, if a module is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"deid {command} needs the extra 'spark': pip install 'deid[spark]' ({error.name})"
        ) from None
