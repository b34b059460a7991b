"""The types of arguments that name a folder or file: a path of the local file system, or of a table on a store."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from deid_core.core.places import S3Url

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def local_path(text: str) -> Path:
    """Return the path. Raise ArgumentTypeError, which ends with exit code 64, for a URL such as s3://bucket/folder.

    As a path it would be a local folder "s3:".
    """
    if _URL.match(text):
        raise argparse.ArgumentTypeError(f"{text} is a URL; give a path of a local or mounted file system")
    return Path(text)


def table_place(text: str) -> Path | S3Url:
    """Return the path of a folder or table, or the URL of a table on an object store. Raise as `local_path` does."""
    scheme, separator, place = text.partition("://")
    if separator and scheme.lower() in ("s3", "s3a") and place.strip("/"):
        return S3Url(place.rstrip("/"))
    if _URL.match(text):
        raise argparse.ArgumentTypeError(
            f"{text} is a URL of a kind that is not read; give a path of a local or mounted file system, or "
            "s3://BUCKET/TABLE for a table"
        )
    return Path(text)
