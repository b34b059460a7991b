"""The corpus manifest: SHA-256 of each text, sorted. It names no note and no patient.

With it, anybody who holds a text can tell whether it is one of those that were certified. A dossier's manifest leaves
the years out: beside a text with shifted dates they would tell the shift. That of a plan, in restricted, has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from deid_core.lake.notes.reviews import text_sha256
from deid_core.lake.tables import delta_reader

_HEAD, _HEAD_WITH_YEARS = "sha256", "year,sha256"

Texts = Counter[tuple[int, str]]
"""How many texts there are of each year and SHA-256: letters may be alike."""


class NoteText(NamedTuple):
    """A note of a table of texts: its id, its year, and the SHA-256 of its text, hexadecimal."""

    note_id: str
    year: int
    sha256: str


def note_texts(table: Path) -> Iterator[NoteText]:
    """Yield the notes of clean/deidentified or of a policy's output; none if there is no table.

    Raises DamageFoundError if a file of the table is damaged.
    """
    if not delta_reader.exists(table):
        return
    with delta_reader.damage_named(table):
        for batch in delta_reader.stream(table, ["note_id", "year", "text"]):
            for note_id, year, text in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                yield NoteText(note_id, year, text_sha256(text))


def to_csv(texts: Iterable[tuple[int, str]]) -> bytes:
    """Return a dossier's manifest of texts, each a year and a SHA-256. The order of the texts does not matter."""
    return "\n".join([_HEAD, *sorted(digest for _, digest in texts), ""]).encode()


def from_csv(content: bytes) -> Counter[str]:
    """Return how many texts of each SHA-256 a dossier's manifest has. Raises ValueError if it is none."""
    return Counter(_lines(content, _HEAD))


def to_csv_with_years(texts: Iterable[tuple[int, str]]) -> bytes:
    """Return a plan's manifest."""
    lines = sorted(f"{year},{digest}" for year, digest in texts)
    return "\n".join([_HEAD_WITH_YEARS, *lines, ""]).encode()


def from_csv_with_years(content: bytes) -> Texts:
    """Return the texts of a plan's manifest. Raises ValueError if it is none."""
    lines = (line.partition(",") for line in _lines(content, _HEAD_WITH_YEARS))
    return Counter((int(year), digest) for year, _, digest in lines)


def _lines(content: bytes, expected: str) -> list[str]:
    head, *lines = content.decode("ascii").splitlines()
    if head != expected:
        raise ValueError("no manifest")
    return lines
