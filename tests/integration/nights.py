"""Nights that each have letters of their own to change: the last tables show whether a disturbed one was repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lakes import LETTER, Archive, write

from deid_core.lake.tables import delta_reader


def letter(archive: Archive, year: int, what: str, night: int, text: str, *, seconds: int = 1_600_000_000) -> None:
    write(archive.input / str(year) / f"{what} {night}.txt", text, seconds=seconds)


def write_notes_of_nights(archive: Archive, nights: Iterable[int]) -> None:
    """Write three letters for each night, which it will change."""
    for night in nights:
        for number, what in enumerate(("ändert sich", "geht", "wird unlesbar")):
            text = LETTER.format(name="Lehmann", number=100 * number + night)
            letter(archive, 2010 + (night + number) % 2, what, night, text, seconds=1_500_000_000)


def change(archive: Archive, night: int) -> None:
    """Change a note, delete one, add one in a year of its own, make one unreadable; none of another night."""
    letter(archive, 2010 + night % 2, "ändert sich", night, LETTER.format(name="Altmann", number=500 + night))
    (archive.input / str(2010 + (night + 1) % 2) / f"geht {night}.txt").unlink()
    letter(archive, 2010 + night % 2, "wird unlesbar", night, "")
    letter(archive, 2012, "kommt", night, LETTER.format(name="Neumann", number=600 + night))


def assert_nothing_is_half_visible(archive: Archive) -> None:
    """Each text exists once, with the audit of everything that was removed from it. Each named raw text exists."""
    texts = delta_reader.read(archive.lake.deidentified, ["note_id", "text"]).to_pylist()
    audit = Counter(delta_reader.read(archive.lake.phi_audit, ["note_id"])["note_id"].to_pylist())
    assert len({row["note_id"] for row in texts}) == len(texts)
    assert {row["note_id"]: row["text"].count("<") for row in texts} == {
        row["note_id"]: audit[row["note_id"]] for row in texts
    }
    folders = {(folder.parent.name, folder.name) for folder in archive.lake.note_folders()}
    named = {(f"year={row['year']}", f"batch={row['batch']}") for row in archive.ledger().values() if row["batch"]}
    assert named <= folders
