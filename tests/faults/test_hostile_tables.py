"""A table of notes whose rows are wrong in every way, and one of identities that knows far too much of a note."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lakes import LETTER, NAMES, Archive
from processes import ended

from deid_core.lake.tables import delta_reader

pytestmark = [pytest.mark.fault, pytest.mark.spark]

GOOD = {str(number): LETTER.format(name=name, number=number).encode() for number, name in enumerate(NAMES)}
KNOWN, KNOWN_ROWS = "0", 100_000
ROWS: list[tuple[str | None, bytes | None]] = [
    *GOOD.items(),
    (None, b"Frau Neumann kam."),
    (None, b"Frau Neumann ging."),
    ("", b"Frau Neumann blieb."),
    ("twice", b"Frau Neumann kam."),
    ("twice", b"Frau Neumann ging."),
    ("equal", GOOD["1"]),
    ("equal", GOOD["1"]),
    ("null", None),
    ("empty", b""),
    ("blank", b" \n\t\xc2\xa0"),
    ("latin", "Frau Müller".encode("latin-1")),
    ("nul", b"Frau Neumann kam.\0\0 Dann ging sie."),
    ("rtf", b"{\\rtf1 Frau Neumann}"),
    ("large", b"Frau Neumann kam am 3.4.2010. " * 1_700_000),
    ("../../lake/restricted/key", GOOD["2"]),
    ("l" * 100_000, GOOD["3"]),
    ("zeile\nzeile\0\x1b[31m\u202e", GOOD["4"]),
]
REASONS = {
    "": "ambiguous",
    "twice": "ambiguous",
    "null": "empty",
    "empty": "empty",
    "blank": "empty",
    "latin": "corrupt",
    "rtf": "unsupported",
    "large": "too_large",
    KNOWN: "engine_timeout",
}


def test_each_row_has_its_reason_and_the_others_are_done(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "notes.parquet", tmp_path / "lake")
    # Bytes under the type of texts: Parquet does not look at them.
    texts = pa.array([text for _, text in ROWS], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"id": [row_id for row_id, _ in ROWS], "text": texts}), archive.input)
    known = tmp_path / "known.csv"
    known.write_text("path,name\n" + "".join(f"{KNOWN},Eva Muster{_word(n)}\n" for n in range(KNOWN_ROWS)))
    settings = tmp_path / "conf.yaml"
    settings.write_text("quarantine: {allowed_share: 1.0}\nengine: {note_time_limit_s: 3}\n")
    options = ["--id", "id", "--text", "text", "--identities", str(known), "--settings", str(settings)]
    done = ended(archive, *options)
    assert done.returncode == 0, done.stderr[-3000:]
    ledger = archive.ledger()
    assert len(ledger) == len({row_id or "" for row_id, _ in ROWS})
    refused = {path: row["reason"] for path, row in ledger.items() if row["state"] == "quarantined"}
    assert refused == REASONS
    made = delta_reader.distinct(archive.lake.deidentified, "note_id")
    assert made == {row["note_id"] for row in ledger.values() if row["state"] == "converted"}
    assert "Neumann" not in done.stderr + done.stdout
    assert "Muster" not in done.stderr + done.stdout


def _word(number: int) -> str:
    """Return four letters, others for each number."""
    letters = ""
    for _ in range(4):
        number, letter = divmod(number, 26)
        letters += chr(ord("a") + letter)
    return letters
