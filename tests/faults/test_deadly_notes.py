"""Notes that kill the process that works on them: each is in quarantine, and all others are done."""

from __future__ import annotations

from pathlib import Path

import pytest
from lakes import LETTER, Archive, write
from processes import ended

from deid_core.lake import delta_reader

pytestmark = [pytest.mark.fault, pytest.mark.spark]

DEADLY = str(Path(__file__).with_name("deadly.py"))


@pytest.mark.parametrize("where", ["reader", "engine"])
def test_the_other_notes_are_done(first_run: Archive, tmp_path: Path, where: str) -> None:
    """Spark tries the task four times: two deadly notes in one task are found one after the other."""
    archive = Archive(tmp_path / "input", tmp_path / "lake")
    for number in range(12):
        write(archive.input / "2010" / f"{number}.txt", LETTER.format(name="Lehmann", number=number))
    for number in (3, 7):
        write(archive.input / "2010" / f"{number}.txt", f"Frau Neumann, tödlich.{number}")
    done = ended(archive, script=(DEADLY, where), master="local[2,4]")
    assert done.returncode == 65, done.stderr[-3000:]
    refused = {path: row["reason"] for path, row in archive.ledger().items() if row["state"] == "quarantined"}
    assert refused == dict.fromkeys(("2010/3.txt", "2010/7.txt"), "killed")
    assert delta_reader.read(archive.lake.deidentified, ["note_id"]).num_rows == 10
    assert "Neumann" not in done.stderr + done.stdout
    assert not archive.lake.staging.exists()
    healed = ended(archive)
    assert healed.returncode == 0, healed.stderr[-1500:]
    assert delta_reader.read(archive.lake.deidentified, ["note_id"]).num_rows == 12
