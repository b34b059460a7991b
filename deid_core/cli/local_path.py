"""The types of arguments that name a folder or file: a path of the local file system, or a place on an object store."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from deid_core.core.s3_url import S3Url

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def local_path(text: str) -> Path:
    """Return the path. Raise ArgumentTypeError, which ends with exit code 64, for a URL such as s3://bucket/folder, and
    for "-".

    As a path the first would be a local folder "s3:", the other a file "-".
    """
    _refuse_dash(text)
    if _URL.match(text):
        raise argparse.ArgumentTypeError(f"{text} is a URL; give a path of a local or mounted file system")
    return Path(text)


def place(text: str) -> Path | S3Url:
    """Return the path of a folder or file, or its URL on an object store. Raise as `local_path` does."""
    _refuse_dash(text)
    scheme, separator, rest = text.partition("://")
    if separator and scheme.lower() in ("s3", "s3a"):
        path = rest.rstrip("/")
        if not {"", ".", ".."}.isdisjoint(path.split("/")):
            raise argparse.ArgumentTypeError(f"{text} names no place on a store; give s3://BUCKET/PREFIX")
        return S3Url(path)
    if _URL.match(text):
        raise argparse.ArgumentTypeError(
            f"{text} is a URL of a kind that is not known; give a path of a local or mounted file system, or "
            "s3://BUCKET/PREFIX"
        )
    return Path(text)


def _refuse_dash(text: str) -> None:
    if text == "-":
        raise argparse.ArgumentTypeError("- is no standard input or output here; give a path (./- for such a file)")
