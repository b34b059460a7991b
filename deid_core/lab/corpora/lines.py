"""Reads a corpus file into lines, for every format of lines."""

from __future__ import annotations

from pathlib import Path

from deid_core.core.errors import ConfigurationError


def read_lines(path: Path) -> list[str]:
    r"""Return the lines of a file without "\n" or "\r\n".

    `str.splitlines` would also split at U+0085 and U+2028, which texts may hold. A byte order mark is skipped.
    Raises ConfigurationError if the file cannot be read or is not UTF-8.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: is not UTF-8: byte {error.start}") from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    return lines
