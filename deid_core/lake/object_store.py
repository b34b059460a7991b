"""Where an input table lies: on a local or mounted file system, or on an S3-compatible object store.

Arrow reads Parquet files from a store, and delta-rs Delta tables. Both take credentials, region and endpoint from the
variables that AWS's own programs use.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from pyarrow.fs import FileSystem, LocalFileSystem, S3FileSystem

from deid_core.core.errors import ConfigurationError, TryAgainError, quoted
from deid_core.core.places import S3Url

_AWS_ERROR = re.compile(r"AWS Error ([A-Z_]+)|Generic S3 error")
"""In messages of Arrow, and of delta-rs, which asks a store after Arrow has."""
_AWAY = frozenset({"INTERNAL_FAILURE", "NETWORK_CONNECTION", "REQUEST_TIMEOUT", "SERVICE_UNAVAILABLE", "SLOW_DOWN"})
"""Errors that pass."""


def file_system(place: Path | S3Url) -> tuple[FileSystem, str]:
    """Return the file system of a place, and the place's path on it."""
    if isinstance(place, Path):
        return LocalFileSystem(), str(place)
    endpoint = urlsplit(_endpoint())
    system = S3FileSystem(
        region=_region() or None,
        endpoint_override=endpoint.netloc or None,
        scheme=endpoint.scheme or "https",
    )
    return system, place.path


def delta_options(place: Path | S3Url) -> dict[str, str]:
    """Return delta-rs' storage options for a place."""
    if isinstance(place, Path):
        return {}
    options = {"AWS_ENDPOINT_URL": _endpoint(), "AWS_REGION": _region()}
    options = {name: value for name, value in options.items() if value}
    return options | ({"AWS_ALLOW_HTTP": "true"} if _endpoint().startswith("http://") else {})


def store_error(place: S3Url, error: Exception) -> ConfigurationError | TryAgainError | None:
    """Return the error to raise for a store's own; None if it is another one.

    A store's message may name a file, and files are named after patients: only its kind is given.
    """
    found = _AWS_ERROR.search(str(error))
    if found is None:
        return None
    kind = found[1] or "NETWORK_CONNECTION"
    if kind in _AWAY:
        return TryAgainError(f"--input {quoted(place)}: the store does not answer ({kind}); run again")
    return ConfigurationError(
        f"--input {quoted(place)}: the store refused ({kind}); look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, "
        "AWS_REGION and AWS_ENDPOINT_URL"
    )


def _endpoint() -> str:
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""


def _region() -> str:
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""
