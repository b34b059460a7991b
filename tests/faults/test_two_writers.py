"""Two runs on one lake at once, twenty times: one works, the other is told so, and each deletion is done once."""

from __future__ import annotations

from pathlib import Path

import pytest
from lakes import LETTER, Archive, write
from processes import WAIT_S, ended, started

pytestmark = [pytest.mark.fault, pytest.mark.spark]

TRIALS = 20


def test_one_works_and_the_other_is_told(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "input", tmp_path / "lake")
    files = [archive.input / "2010" / f"{number}.txt" for number in range(TRIALS + 3)]
    for number, file in enumerate(files):
        write(file, LETTER.format(name="Lehmann", number=number))
    assert ended(archive).returncode == 0
    refused = 0
    for trial in range(TRIALS):
        # A withdrawal needs no Spark, so that both runs are at work at the same time.
        files[trial].unlink()
        both = [started(archive, "--allow-deletions") for _ in range(2)]
        errors = [process.communicate(timeout=WAIT_S)[1] for process in both]
        codes = [process.returncode for process in both]
        assert 0 in codes, errors
        assert set(codes) <= {0, 75}, errors
        for code, error in zip(codes, errors, strict=True):
            assert code == 0 or "another run holds it" in error
        refused += codes.count(75)
        states = [row["state"] for row in archive.ledger().values()]
        assert (states.count("deleted"), states.count("converted")) == (trial + 1, TRIALS + 2 - trial)
    assert refused, "no two runs met"
    undisturbed = Archive(archive.input, tmp_path / "fresh")
    undisturbed.lake.prepare()
    undisturbed.lake.key.write_text(archive.lake.key.read_text())
    assert ended(undisturbed).returncode == 0
    for table in ("deidentified", "phi_audit", "phi_counts", "detections"):
        assert archive.rows()[table] == undisturbed.rows()[table]
