"""Word lists as data: files below gazetteers/lists, one sense a file. Each is read once, when a module first uses it.

A file is UTF-8 text with one entry a line. It begins with three header lines:

    # sense: kinds of hospital that make a name of an unknown word after them
    # case: exact | lower
    # used by: recognisers/institution/head_words, policies/surrogates/departments

`case: lower` says that entries are in lower case and are compared so. Empty lines and other lines that begin with "#"
are no entries. The lists of the folder's top level (names, medical words) are compiled by lexicon/gazetteer, as
sources.yaml says; a few modules read one of them here as well. The others are in folders: they belong to rules, to
surrogates or to training, or are read by the stacking model alone (crf/features/cue_lists.py).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from deid_core.core.data_folders import gazetteer_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.files import read_text

HEADER_KEYS = ("sense", "case", "used by")
_CASES = ("exact", "lower")


def lists_dir() -> Path:
    """Return the folder of the word lists."""
    return gazetteer_dir() / "lists"


@cache
def word_list(name: str) -> tuple[str, ...]:
    """Return the entries of a list in the order of its file.

    name: the path below gazetteers/lists without ending, e.g. "institution/hospital-heads".
    Raises ConfigurationError with every problem of the file, each with its line.
    """
    return read_word_list(lists_dir() / f"{name}.txt")


def word_set(*names: str) -> frozenset[str]:
    """Return the entries of these lists together."""
    return frozenset(entry for name in names for entry in word_list(name))


def flags_by_word(lists: Mapping[int, str | Iterable[str]]) -> dict[str, int]:
    """Return for each word the flags of all lists that have it.

    lists: for each flag the name of a list, or names of several.
    """
    flags: dict[str, int] = {}
    for flag, names in lists.items():
        for word in word_set(*([names] if isinstance(names, str) else names)):
            flags[word] = flags.get(word, 0) | int(flag)
    return flags


def alternatives(*names: str) -> str:
    """Return the entries of these lists as the alternatives of a regular expression, the longest first, escaped."""
    return "|".join(re.escape(word) for word in sorted(word_set(*names), key=lambda word: (-len(word), word)))


def read_word_list(path: Path) -> tuple[str, ...]:
    """Return the entries of a file in its order.

    Raises ConfigurationError with every problem of the file, each with its line.
    """
    lines = read_text(path).splitlines()
    problems: list[str] = []
    header = {}
    for number, key in enumerate(HEADER_KEYS):
        line = lines[number] if number < len(lines) else ""
        value = line.removeprefix(f"# {key}:").strip()
        if not line.startswith(f"# {key}:") or not value:
            problems.append(f"{path}:{number + 1}: needs the header line '# {key}: …'")
        header[key] = value
    if header["case"] not in _CASES and not problems:
        problems.append(f"{path}:2: case: must be one of {', '.join(_CASES)}")
    first: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line != line.strip():
            problems.append(f"{path}:{number}: blanks before or after the entry")
        elif line in first:
            problems.append(f"{path}:{number}: is in the list already, in line {first[line]}")
        elif header["case"] == "lower" and line != line.lower():
            problems.append(f"{path}:{number}: has a capital, but the list's case is lower")
        first.setdefault(line, number)
    if problems:
        raise ConfigurationError(problems)
    return tuple(first)


@cache
def word_lists_digest() -> str:
    """Return the SHA-256, hexadecimal, over the entries of all lists in folders; comments do not count.

    It makes no difference who reads a list: those of surrogates and of training are among them. The lists of the top
    level have a digest as a compiled gazetteer.
    """
    digest = hashlib.sha256()
    folder = lists_dir()
    for path in sorted(folder.glob("*/**/*.txt")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        digest.update("\0".join([name, *word_list(name), ""]).encode())
    return digest.hexdigest()
