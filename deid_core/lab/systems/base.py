"""What each system has: tokens, spans, a fingerprint and a folder of files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from deid_core.core.note import Note
from deid_core.core.spans import Span
from deid_core.text.document import Document


class TrainedSystem(Protocol):
    """A system that is trained. name: as in `deid train system NAME`; fingerprint: of its files."""

    name: str
    fingerprint: str

    def document(self, note: Note) -> Document:
        """Return the note with its tokens."""

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note, ascending and disjoint."""


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
