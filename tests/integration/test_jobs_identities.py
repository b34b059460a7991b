"""Known identities in a lake: what a table says of a note is removed, and a changed row makes its note again."""

from __future__ import annotations

from pathlib import Path

import pytest
from lakes import PIPELINE, Archive, write

from deid_core.cli import main
from deid_core.cli.run_summary import foreseen, summary
from deid_core.lake.tables import delta_reader
from deid_core.spark.forecasts import forecast_lake
from deid_core.spark.run_options import Options

pytestmark = pytest.mark.spark

HEAD = "path,name,birth_date,number,ward\n"
ROWS = "2015/a.txt,Zqxkanari,,,N2\n2015/b.txt,Brzechwan,1951-03-12,1724563,N2\nd.txt,Niemand,,12,N2\n"


@pytest.fixture(scope="module")
def archive(spark: object, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    folder = tmp_path_factory.mktemp("identities")
    archive = Archive(folder / "input", folder / "lake")
    for name in "abc":
        write(archive.input / "2015" / f"{name}.txt", "Befund von Zqxkanari, Brzechwans Werte, 17 24 56-3.\n")
    return archive


def table(archive: Archive, rows: str) -> Path:
    file = archive.input.parent / "known.csv"
    file.write_text(HEAD + rows, encoding="utf-8")
    return file


def texts(archive: Archive) -> dict[str, tuple[str, str]]:
    """Return text and run of each note by its file."""
    files = {row["note_id"]: Path(path).stem for path, row in archive.ledger().items()}
    rows = delta_reader.read(archive.lake.deidentified, ["note_id", "text", "run_id"]).to_pylist()
    return {files[row["note_id"]]: (row["text"], row["run_id"]) for row in rows}


def test_nights_with_a_table_of_identities(archive: Archive, capfd: pytest.CaptureFixture[str]) -> None:
    first = archive.run(identities=table(archive, ROWS))
    made = texts(archive)
    assert made["a"][0] == "Befund von <PER>, Brzechwans Werte, 17 24 56-3."
    assert made["b"][0] == "Befund von Zqxkanari, <PER> Werte, <ID>."
    assert made["c"][0] == "Befund von Zqxkanari, Brzechwans Werte, 17 24 56-3."
    assert "3 rows\n  1 are of no note: lines 4\n  1 have a value that is too short or no date" in summary(first)
    audit = delta_reader.read(archive.lake.phi_audit, ["recogniser", "rule"]).to_pylist()
    assert {(row["recogniser"], row["rule"]) for row in audit} == {
        ("sweep", "hospital.name.gazetteer"),
        ("sweep", "hospital.number.pattern"),
    }

    again = archive.run(identities=table(archive, ROWS))
    assert not again.did_something

    # Only the note of a changed row is made again, whatever the order of the rows.
    other = table(archive, "\n".join(reversed(ROWS.replace("Zqxkanari", "Brzechwan").split("\n")[:-1])) + "\n")
    options = Options(archive.input, archive.root, PIPELINE, identities=other)
    foreknown = forecast_lake(options)
    assert foreknown.engine["with another identity"] == 1
    assert "with another identity" in foreseen(foreknown)
    archive.run(identities=other)
    night = texts(archive)
    assert night["a"][0] == "Befund von Zqxkanari, <PER> Werte, 17 24 56-3."
    assert {name for name in night if night[name][1] != made[name][1]} == {"a"}

    # Without the table, its notes are made again without it.
    archive.run()
    last = texts(archive)
    assert {name for name in last if last[name][1] != night[name][1]} == {"a", "b"}
    assert {text for text, _ in last.values()} == {made["c"][0]}

    printed = "".join(capfd.readouterr())
    assert '"unmatched": 1' in printed and '"unusable": 1' in printed
    assert "columns that are not read: ward" in printed
    assert not any(name in printed for name in ("Zqxkanari", "Brzechwan", "Niemand"))


def test_the_table_of_the_settings_and_its_mistakes(archive: Archive, capfd: pytest.CaptureFixture[str]) -> None:
    file = table(archive, ",Zqxkanari,,,\n")
    settings = archive.input.parent / "settings.yaml"
    settings.write_text(f"patient: {{identities: {file}}}\n", encoding="utf-8")
    command = ["run", "--input", str(archive.input), "--lake", str(archive.root), "--settings", str(settings)]
    assert main(command) == 64
    printed = capfd.readouterr().err
    assert f"{file}:2: has no path and no patient" in printed
    assert "Zqxkanari" not in printed
