"""A thousand names that occur nowhere else, and an error in every stage: no name appears outside of the texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from lakes import Archive, tables_of_counts, write
from processes import ended

from deid_core.lake.tables import delta_reader

pytestmark = [pytest.mark.fault, pytest.mark.spark]

FORCED = str(Path(__file__).with_name("forced.py"))
STAGES = ("list", "read", "move", "ledger", "engine", "audit", "texts", "counts", "maintenance")
LETTERS = "abcdefghij"
CANARIES = [f"Zqxkanari{a}{b}{c}" for a in LETTERS for b in LETTERS for c in LETTERS]


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Archive, Path, str]:
    """Return a lake after runs that fail in one stage each and a complete run, its temporary folder, and
    all that was printed."""
    folder = tmp_path_factory.mktemp("canaries")
    archive, temporary = Archive(folder / "input", folder / "lake"), folder / "tmp"
    for number, name in enumerate(CANARIES):
        write(archive.input / str(2010 + number % 5) / f"{name}.txt", f"Sehr geehrter Herr {name},\nTel. 06221/56-1.\n")
    write(archive.input / f"{CANARIES[0]}.docx", f"PK\x03\x04 {CANARIES[1]}")
    (folder / "events").mkdir()
    temporary.mkdir()
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": (folder / "events").as_uri(),
        "spark.local.dir": str(temporary),
    }
    printed = []
    for stage in (*STAGES, "none"):
        done = ended(
            archive, "--pipeline", "default", script=(FORCED, stage), conf=conf, environment={"TMPDIR": str(temporary)}
        )
        assert done.returncode == (0 if stage == "none" else 70), (stage, done.stderr[-1500:])
        printed.append(done.stdout + done.stderr)
    return archive, folder, "".join(printed)


def test_nothing_printed_names_anybody(planted: tuple[Archive, Path, str]) -> None:
    _, _, printed = planted
    assert printed.count("internal error: ") == len(STAGES)
    assert named_in(printed.encode()) == []


def test_no_log_no_temporary_file_names_anybody(planted: tuple[Archive, Path, str]) -> None:
    archive, folder, _ = planted
    places = [folder / "events", folder / "tmp", *archive.root.rglob("_delta_log")]
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    assert any(path.stat().st_size > 10_000 for path in files)
    assert {str(path) for path in files if named_in(path.read_bytes())} == set()
    assert not archive.lake.staging.exists()


def test_no_table_but_texts_names_anybody(planted: tuple[Archive, Path, str]) -> None:
    archive, _, _ = planted
    columns = [name for name in delta_reader.columns(archive.lake.ledger) if name != "path"]
    assert named_in(repr(delta_reader.read(archive.lake.ledger, columns).to_pylist()).encode()) == []
    lake = archive.lake
    for table in tables_of_counts(lake):
        assert named_in(repr(delta_reader.read(table, delta_reader.columns(table)).to_pylist()).encode()) == []


def test_all_notes_are_done_in_the_end(planted: tuple[Archive, Path, str]) -> None:
    """The letters are made for the pipeline's rules, so no canary is left in a redacted text either."""
    archive, _, _ = planted
    texts = delta_reader.read(archive.lake.deidentified, ["text"])["text"].to_pylist()
    assert len(texts) == len(CANARIES)
    assert named_in("\n".join(texts).encode()) == []


def named_in(data: bytes) -> list[str]:
    """Return the canaries that occur in the data, in any case; at most a few."""
    lower = data.lower()
    if b"zqxkanari" not in lower:
        return []
    return [name for name in CANARIES if name.lower().encode() in lower][:5] or ["a part of one"]
