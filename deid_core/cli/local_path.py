"""The type of arguments that name a folder or file: a path of the local file system."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def local_path(text: str) -> Path:
    """Return the path. Raise ArgumentTypeError, which ends with exit code 64, for a URL such as s3://bucket/folder.

    As a path it would be a local folder "s3:".
    """
    if _URL.match(text):
        raise argparse.ArgumentTypeError(f"{text} is a URL; give a path of a local or mounted file system")
    return Path(text)
