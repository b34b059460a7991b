"""The name lists of one half, read from lists/<split>: surnames, given names, towns, streets, hospitals and so on.

One entry a line, columns parted by ";", lines that begin with "#" are comments. The halves share no entry (a test
proves it), so that what was trained on one has never seen the names of the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from deid_core.core.errors import ConfigurationError

SPLITS = ("train", "test")
_HERE = Path(__file__).resolve().parent


class TownEntry(NamedTuple):
    """A town, one of its postcodes and its telephone area code with the 0."""

    name: str
    postcode: str
    area_code: str


class Syllables(NamedTuple):
    """Parts that make a name no list has: one of each, the middle now and then left out."""

    pattern: str
    kind: str
    beginnings: tuple[str, ...]
    middles: tuple[str, ...]
    endings: tuple[str, ...]


class Typo(NamedTuple):
    """A typing error: what should stand there and what does."""

    right: str
    wrong: str


@dataclass(frozen=True, slots=True)
class NameLists:
    """All lists of one half. professions: (of a man, of a woman)."""

    surnames: tuple[str, ...]
    given_male: tuple[str, ...]
    given_female: tuple[str, ...]
    towns: tuple[TownEntry, ...]
    streets: tuple[str, ...]
    hospitals: tuple[str, ...]
    insurers: tuple[str, ...]
    employers: tuple[str, ...]
    professions: tuple[tuple[str, str], ...]
    countries: tuple[str, ...]
    syllables: dict[str, tuple[Syllables, ...]]
    typos: tuple[Typo, ...]


def data_dir(*parts: str) -> Path:
    """A folder of the generator's own data: lists or templates."""
    return _HERE.joinpath(*parts)


def read_rows(path: Path, columns: int) -> list[tuple[str, ...]]:
    """The rows of a list. Raises ConfigurationError naming every line that has not so many columns."""
    rows = []
    problems = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line and not line.startswith("#"):
            row = tuple(line.split(";"))
            if len(row) != columns:
                problems.append(f"{path}:{number}: has {len(row)} columns instead of {columns}, parted by ';'")
            rows.append(row)
    if problems:
        raise ConfigurationError(problems)
    return rows


@cache
def lists_of(split: str) -> NameLists:
    """The lists of a half, read once a process. Raises ConfigurationError if there is no such half."""
    if split not in SPLITS:
        raise ConfigurationError(f"split {split!r} does not exist; there are {' and '.join(SPLITS)}")
    folder = data_dir("lists", split)

    def column(name: str) -> tuple[str, ...]:
        return tuple(row[0] for row in read_rows(folder / f"{name}.txt", 1))

    organisations = read_rows(folder / "organisations.txt", 2)
    made = [
        Syllables(pattern, kind, *(tuple(part.split()) for part in parts))
        for pattern, kind, *parts in read_rows(folder / "syllables.txt", 5)
    ]
    return NameLists(
        surnames=column("surnames"),
        given_male=column("given-male"),
        given_female=column("given-female"),
        towns=tuple(TownEntry(*row) for row in read_rows(folder / "towns.txt", 3)),
        streets=column("streets"),
        hospitals=column("hospitals"),
        insurers=tuple(name for kind, name in organisations if kind == "insurer"),
        employers=tuple(name for kind, name in organisations if kind == "employer"),
        professions=tuple((man, woman) for man, woman in read_rows(folder / "professions.txt", 2)),
        countries=column("countries"),
        syllables={kind: tuple(s for s in made if s.kind == kind) for kind in ("surname", "male", "female")},
        typos=tuple(Typo(*row) for row in read_rows(folder / "typos.txt", 2)),
    )
