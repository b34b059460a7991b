"""Commands on a lake name the extra to install if its libraries are missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install

_EXTRAS = {"cryptography": "sign", "scipy": "sign", "starlette": "review", "uvicorn": "review"}
"""The extra of a missing package; of all others it is `spark`."""


@contextmanager
def spark_extra(command: str) -> Iterator[None]:
    """Wrap a command's imports of the lake and of what works on it.

    Raises ConfigurationError, naming the command, if a module is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(str(error.name).partition(".")[0], "spark")
        raise ConfigurationError(
            f"deid {command} needs the extra '{extra}': {how_to_install(extra)} ({error.name})"
        ) from None
