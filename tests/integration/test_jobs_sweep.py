"""The sweep in runs: what a patient's other notes say is found in whichever order they come, and counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from lakes import Archive, Crash, write

from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.columns import LEAK_SWEEP
from deid_core.spark import deidentify_notes

pytestmark = pytest.mark.spark

NAME = "Zqxkanari"
LETTER = """Universitätsklinikum Heidelberg
Heidelberg, den 12.03.2011
Pat.-Nr.: 4711223
Sehr geehrter Herr Dr. Schneider,
wir berichten über Frau Anna {name}, geb. am 01.02.1950, in unserer Ambulanz.
"""
SHORT = "Pat.-Nr.: 4711223\n\nSehr geehrte Kollegen,\n\nTherapie: Ramipril 5 mg, {name} 10 mg.\n"
"""The name stands where a medicine does, so that no model takes it for a name."""
OTHER = "Pat.-Nr.: 4711999\n\nSehr geehrte Kollegen,\n\nTherapie: Ramipril 5 mg, {name} 10 mg.\n"


def texts(archive: Archive) -> dict[str, str]:
    names = {row["note_id"]: str(path).rpartition("/")[2] for path, row in archive.ledger().items()}
    rows = delta_reader.read(archive.lake.deidentified, ["note_id", "text"]).to_pylist()
    return {names[row["note_id"]]: row["text"].lower() for row in rows}


def named_in(archive: Archive) -> list[str]:
    return sorted(name for name, text in texts(archive).items() if NAME.lower() in text)


def counted(archive: Archive) -> list[tuple[object, ...]]:
    rows = delta_reader.read(archive.lake.leak_sweep, LEAK_SWEEP.names).to_pylist()
    return [tuple(row.values()) for row in rows]


def test_what_other_notes_say_is_redacted_in_whichever_order_they_come(
    spark: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A letter of the second batch tells whose name a note of the first shows; the run crashes before it says so."""
    archive, settings = Archive(tmp_path / "input", tmp_path / "lake"), tmp_path / "settings.yaml"
    write(archive.input / "2010" / "short.txt", SHORT.format(name=NAME.lower()))
    write(archive.input / "2010" / "other.txt", OTHER.format(name=NAME.lower()))
    write(archive.input / "2011" / "letter.txt", LETTER.format(name=NAME))
    settings.write_text("run: {batch_notes: 2}\n")
    batches = 0
    write_texts = deidentify_notes.write_texts

    def crash(*args: object) -> None:
        nonlocal batches
        batches += 1
        if batches == 2:
            raise Crash
        write_texts(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(deidentify_notes, "write_texts", crash)
        archive.run(pipeline="default", settings=settings)
    # The text that shows the name is gone before the letter's own is there.
    assert set(texts(archive)) == {"other.txt"}
    run = archive.run(pipeline="default")
    assert run.counts["redacted_again"] == 1
    assert set(texts(archive)) == {"short.txt", "other.txt", "letter.txt"}
    assert named_in(archive) == ["other.txt"]
    assert counted(archive) == [
        (2010, "", "", "searched", "", 2, 0),
        (2011, "", "", "searched", "", 1, 0),
        (2010, "patient", "name", "redacted", "letterhead", 1, 1),
    ]
    assert NAME.lower() not in repr(counted(archive)).lower()
    assert not archive.run(pipeline="default").did_something
