"""What each system has: tokens, spans, a fingerprint and a folder of files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install
from deid_core.core.note import Note
from deid_core.core.spans import Span
from deid_core.lab.systems.token_classes import CLASSES
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary


class TrainedSystem(Protocol):
    """A system that is trained. name: as in `deid train system NAME`; fingerprint: of its files."""

    name: str
    fingerprint: str

    def document(self, note: Note) -> Document:
        """Return the note with its tokens."""

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note, ascending and disjoint."""


class TokenisingSystem:
    """A system that tokenises notes itself; its vocabulary numbers the word types that it has seen."""

    def __init__(self, vocabulary: Vocabulary | None = None) -> None:
        self.vocabulary = Vocabulary() if vocabulary is None else vocabulary

    def document(self, note: Note) -> Document:
        """Return the note with its tokens."""
        return Document(note, self.vocabulary.tokenise(note.text), self.vocabulary)


class MissingExtraError(ConfigurationError):
    """A system whose optional packages are not installed."""


@contextmanager
def needs_extra(name: str) -> Iterator[None]:
    """Import in this block what an extra has. Raises MissingExtraError, which names the extra."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(f"needs the extra '{name}': {how_to_install(name)} ({error.name})") from None


def fingerprint(files: Mapping[str, bytes]) -> str:
    """Return twelve hexadecimal digits of the hash of a system's files."""
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name} {len(data)}\n".encode() + data)
    return digest.hexdigest()[:12]


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a system; the folder is made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def read_files(folder: Path, name: str, files: Sequence[str]) -> tuple[dict[str, Any], list[bytes]]:
    """Return the settings of a system, which are JSON in its first file, and its other files.

    Raises ConfigurationError if a file cannot be read, or the folder is of another system or of other classes.
    """
    try:
        settings, *others = ((folder / file).read_bytes() for file in files)
    except OSError as error:
        raise ConfigurationError(
            f"{folder}: holds no system {name}: {error.strerror}; train it: deid train system {name}"
        ) from None
    written = json.loads(settings)
    if written.get("name") != name or written["classes"] != list(CLASSES):
        raise ConfigurationError(f"{folder}: holds another system, or {name} with other classes: train it again")
    return written, others
