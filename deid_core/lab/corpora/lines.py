"""Reads a corpus file into lines, the same way for every format that has lines."""

from __future__ import annotations

from pathlib import Path

from deid_core.core.errors import ConfigurationError


def read_lines(path: Path) -> list[str]:
    r"""The file's lines without their ends, "\n" or "\r\n"; line 1 is the first.

    Only these end a line: a text may hold U+0085 or U+2028, at which `str.splitlines` would cut.
    Raises ConfigurationError if the file cannot be read or is not UTF-8; a byte order mark is passed over.
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
