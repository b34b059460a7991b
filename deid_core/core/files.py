"""Writing a file so that no other process ever sees half of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

READABLE, PRIVATE = 0o644, 0o600
"""Modes of a file: readable by all, its owner's alone."""


def write_whole(path: Path, data: bytes, *, mode: int = READABLE) -> None:
    """Writes beside the target and renames; the file has this mode, whatever was there, and never a wider one.

    Raises OSError; then nothing is left behind.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # mkstemp made it private; storage without modes refuses the call.
        if mode != PRIVATE:
            os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
