"""Where an input or an export lies: on a local or mounted file system, or on an S3-compatible object store.

Arrow reads and writes files on a store, and delta-rs reads Delta tables. Both take credentials, region and endpoint
from the variables that AWS's own programs use.
"""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pyarrow.fs import FileSystem, LocalFileSystem, S3FileSystem

from deid_core.core.errors import ConfigurationError, TryAgainError, quoted
from deid_core.core.s3_url import S3Url

_OF_ARROW = re.compile(r"AWS Error ([A-Z_]+)")
_OF_DELTA_RS = re.compile(r"Generic S3 error|Error performing [A-Z]+ ")
_REFUSALS = {
    "NoSuchBucket": "NO_SUCH_BUCKET",
    " 401 Unauthorized": "ACCESS_DENIED",
    " 403 Forbidden": "ACCESS_DENIED",
    " 501 Not Implemented": "NOT_IMPLEMENTED",
}
"""What delta-rs says of a store that answers, and Arrow's word for it."""
_AWAY = frozenset({"INTERNAL_FAILURE", "NETWORK_CONNECTION", "REQUEST_TIMEOUT", "SERVICE_UNAVAILABLE", "SLOW_DOWN"})
"""Errors that pass."""


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """Where a store answers, without credentials. endpoint: a URL, "" for Amazon's. region: "" for the default."""

    endpoint: str
    region: str

    @staticmethod
    def from_environment() -> StoreAddress:
        """Return the address that this process's variables name."""
        return StoreAddress(_endpoint(), _region())

    def connect(self) -> S3FileSystem:
        """Return the store. Credentials are those of this process's environment."""
        endpoint = urlsplit(self.endpoint)
        return S3FileSystem(
            region=self.region or None,
            endpoint_override=endpoint.netloc or None,
            scheme=endpoint.scheme or "https",
        )


connected = functools.cache(StoreAddress.connect)
"""The same, kept for the next call: a store that is asked for many files keeps its connections."""


def file_system(place: Path | S3Url) -> tuple[FileSystem, str]:
    """Return the file system of a place, and the place's path on it."""
    if isinstance(place, Path):
        return LocalFileSystem(), str(place)
    return StoreAddress.from_environment().connect(), place.path


def delta_options(place: Path | S3Url) -> dict[str, str]:
    """Return delta-rs' storage options for a place."""
    if isinstance(place, Path):
        return {}
    # A conditional put is delta-rs' default, which a variable of the environment could switch off.
    options = {"AWS_ENDPOINT_URL": _endpoint(), "AWS_REGION": _region(), "AWS_CONDITIONAL_PUT": "etag"}
    options = {name: value for name, value in options.items() if value}
    return options | ({"AWS_ALLOW_HTTP": "true"} if _endpoint().startswith("http://") else {})


def error_kind(error: Exception) -> str:
    """Return the kind of a store's error, such as ACCESS_DENIED; "" if it is none of a store's.

    The rest of its message may name a file, and files are named after patients.
    """
    said = str(error)
    if found := _OF_ARROW.search(said):
        return found[1]
    if not _OF_DELTA_RS.search(said):
        return ""
    return next((kind for words, kind in _REFUSALS.items() if words in said), "NETWORK_CONNECTION")


def store_error(place: S3Url, error: Exception, option: str = "--input") -> ConfigurationError | TryAgainError | None:
    """Return the error to raise for a store's own; None if it is another one. option: what named the place."""
    kind = error_kind(error)
    if not kind:
        return None
    if kind in _AWAY:
        return TryAgainError(f"{option} {quoted(place)}: the store does not answer ({kind}); run again")
    if kind == "NO_SUCH_BUCKET":
        return ConfigurationError(f"{option} {quoted(place)}: there is no such bucket")
    return ConfigurationError(
        f"{option} {quoted(place)}: the store refused ({kind}); look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, "
        "AWS_REGION and AWS_ENDPOINT_URL"
    )


def _endpoint() -> str:
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""


def _region() -> str:
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""
