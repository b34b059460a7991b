"""Notes that kill the process that works on them: each is refused, and all others are done, however many there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from lakes import LETTER, Archive, write
from processes import ended

from deid_core.lake.tables import delta_reader

pytestmark = [pytest.mark.fault, pytest.mark.spark]

DEADLY = str(Path(__file__).with_name("deadly.py"))
NOTES = 18
NUMBERS = (0, 1, 4, 5, 6, 11, 17)
"""Of the deadly ones: more than Spark tries a task, the first and the last, some in a row."""
POLICY = "hipaa-safe-harbor"


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Return notes that are all in one task, some of them deadly. There is no lake yet."""
    archive = Archive(tmp_path / "input", tmp_path / "lake")
    for number in range(NOTES):
        letter = (
            f"Frau Neumann, tödlich.{number}" if number in NUMBERS else LETTER.format(name="Lehmann", number=number)
        )
        write(archive.input / "2010" / f"{number}.txt", letter)
    return archive


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "spark"])
@pytest.mark.parametrize("where", ["reader", "engine"])
def test_the_other_notes_are_done(archive: Archive, where: str, alone: bool) -> None:
    done = ended(archive, script=(DEADLY, where), master="local[2,4]", alone=alone)
    assert done.returncode == 65, done.stderr[-3000:]
    refused = {path: row["reason"] for path, row in archive.ledger().items() if row["state"] == "quarantined"}
    assert refused == {f"2010/{number}.txt": "killed" for number in NUMBERS}
    assert delta_reader.read(archive.lake.deidentified, ["note_id"]).num_rows == NOTES - len(NUMBERS)
    assert "Neumann" not in done.stderr + done.stdout
    assert not archive.lake.staging.exists()
    assert ("starting the JVM" in done.stderr) is not alone
    healed = ended(archive, alone=alone)
    assert healed.returncode == 0, healed.stderr[-1500:]
    assert delta_reader.read(archive.lake.deidentified, ["note_id"]).num_rows == NOTES


def test_the_other_notes_get_a_text_of_a_policy(archive: Archive) -> None:
    done = ended(archive, "--output-policy", POLICY, script=(DEADLY, "policy"), master="local[2,4]")
    assert done.returncode == 0, done.stderr[-3000:]
    paths = {row["note_id"]: path for path, row in archive.ledger().items()}
    failed = delta_reader.read(archive.lake.output_failures, ["note_id", "place"]).to_pylist()
    assert {paths[row["note_id"]]: row["place"] for row in failed} == {f"2010/{n}.txt": "killed" for n in NUMBERS}
    assert delta_reader.read(archive.lake.output(POLICY), ["note_id"]).num_rows == NOTES - len(NUMBERS)
    assert delta_reader.read(archive.lake.deidentified, ["note_id"]).num_rows == NOTES
    assert "notes without a text of policy" in done.stderr
    assert "Neumann" not in done.stderr + done.stdout
    healed = ended(archive, "--output-policy", POLICY, "--retry")
    assert healed.returncode == 0, healed.stderr[-1500:]
    assert delta_reader.read(archive.lake.output(POLICY), ["note_id"]).num_rows == NOTES
