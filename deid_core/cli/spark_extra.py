"""What commands on a lake share: where the jobs' libraries are not installed, they name the extra to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deid_core.core.errors import ConfigurationError


@contextmanager
def spark_extra(command: str) -> Iterator[None]:
    """For the imports of `jobs` in a command.

    Raises ConfigurationError, naming the command, if a module is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"deid {command} needs the extra 'spark': pip install 'deid[spark]' ({error.name})"
        ) from None
