"""The releases that restricted/releases lists, and their notes. release.py writes the lists."""

from __future__ import annotations

import csv
import json
from collections.abc import Set

from deid_core.lake.layout import Lake


def releases(lake: Lake) -> list[dict[str, str]]:
    """Return name and table of each release, in their order."""
    try:
        lines = (lake.releases / "releases.jsonl").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines]


def notes_of(lake: Lake, name: str) -> dict[str, str]:
    """Return the SHA-256 of the text of each note of a release."""
    with (lake.releases / f"{name}.csv").open(encoding="ascii", newline="") as file:
        return {row["note_id"]: row["sha256"] for row in csv.DictReader(file)}


def releases_of_others(lake: Lake, table: str, notes: Set[str]) -> tuple[str, ...]:
    """Return the releases of other policies that have some of the notes.

    table: the name of the policy's table of texts. Raises PermissionError if this account may not read `restricted`.
    """
    return tuple(
        release["name"]
        for release in releases(lake)
        if release["table"] != table and not notes.isdisjoint(notes_of(lake, release["name"]))
    )
