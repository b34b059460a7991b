"""The hash of a file's bytes, which says whether a file is what it was."""

from __future__ import annotations

import hashlib
import os


def sha256_of(path: bytes) -> str:
    """Of the bytes of the file at a path, hexadecimal; "" if they cannot be read."""
    try:
        # Not blocking: what was a file may be a pipe by now.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
