"""Places that `deid publish` refuses, and what it leaves alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("moto", reason="needs the extra dev")

from clean_tables import below, contents, new_lake, night
from deltalake import CommitProperties, write_deltalake
from published_copy import a_night, data_files, log_of, publish, written
from s3_server import BUCKET, put

from deid_core.cli import main
from deid_core.core.s3_url import S3Url
from deid_core.lake.layout import Lake
from deid_core.lake.object_store import delta_options
from deid_core.lake.tables import delta_reader


def other_lake(lake: Lake, place: Path | S3Url) -> None:
    assert publish(new_lake(lake.root.with_name("other"), [("x", 2010)]), place) == 0


def appended(lake: Lake, place: Path | S3Url) -> None:
    assert publish(lake, place) == 0
    options = delta_options(place)
    table = delta_reader.read(lake.runs, delta_reader.columns(lake.runs))
    write_deltalake(str(below(place, "runs")), table, mode="append", storage_options=options)


def optimized(lake: Lake, place: Path | S3Url) -> None:
    assert publish(lake, place) == 0
    log_of(place, "deidentified").optimize.compact()


def foreign_table(lake: Lake, place: Path | S3Url) -> None:
    table = delta_reader.read(lake.runs, ["run_id"])
    write_deltalake(str(below(place, "phi_counts")), table, storage_options=delta_options(place))


def plain_files(lake: Lake, place: Path | S3Url) -> None:
    written(below(place, "phi_audit"), "part-0.parquet")


def a_table_itself(lake: Lake, place: Path | S3Url) -> None:
    table = delta_reader.read(lake.runs, ["run_id"])
    write_deltalake(str(place), table, storage_options=delta_options(place))


def a_file(lake: Lake, place: Path | S3Url) -> None:
    if isinstance(place, S3Url):
        put(place.path.removeprefix(f"{BUCKET}/"), b"x")
    else:
        place.touch()


def damaged_log(lake: Lake, place: Path | S3Url) -> None:
    assert publish(lake, place) == 0
    written(below(place, "runs"), "_delta_log/00000000000000000002.json")


def other_columns(lake: Lake, place: Path | S3Url) -> None:
    """As an upgrade of the lake leaves them."""
    assert publish(lake, place) == 0
    options = {"storage_options": delta_options(place), "mode": "overwrite", "schema_mode": "overwrite"}
    commit = contents(below(place, "runs"))["_delta_log/00000000000000000001.json"].splitlines()
    [said] = [action["commitInfo"]["userMetadata"] for action in map(json.loads, commit) if "commitInfo" in action]
    mark = CommitProperties(custom_metadata={"userMetadata": said})
    table = delta_reader.read(lake.phi_counts, ["year", "label"])
    write_deltalake(str(below(place, "phi_counts")), table, commit_properties=mark, **options)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (other_lake, "deidentified: is a copy of another lakes table; name another place"),
        (appended, "runs: another program made or changed this table"),
        (optimized, "deidentified: another program made or changed this table"),
        (foreign_table, "phi_counts: another program made or changed this table"),
        (plain_files, "phi_audit: is not empty, and no Delta table; name another place"),
        (a_table_itself, ": is a Delta table; name the folder that holds the tables"),
        (a_file, ": is a file; name a folder"),
        (damaged_log, "runs: is a Delta table whose log cannot be read"),
        (other_columns, "phi_counts: has other columns than the lake, which was upgraded"),
    ],
)
def test_a_place_that_is_not_ours(
    make: Callable[[Lake, Path | S3Url], None], said: str, lake: Lake, place: Path | S3Url,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Nothing is changed there, in no table."""
    make(lake, place)
    before = None if make == a_file else contents(place)
    night(lake, new=[("z", 2013)])
    capsys.readouterr()
    assert publish(lake, place) == 64
    assert said in capsys.readouterr().err.replace("'", "")
    assert before is None or contents(place) == before


def test_places_that_cannot_be(lake: Lake, tmp_path: Path, store: None, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    for output, said in (
        (lake.clean, "lies in the lake"),
        (lake.root / "copies", "lies in the lake"),
        (tmp_path / "file" / "x", "file"),
        ("s3://nobucket/x", "there is no such bucket"),
    ):
        assert main(["publish", "--lake", str(lake.root), "--output", str(output)]) == 64, output
        assert said in capsys.readouterr().err
    assert main(["publish", "--lake", str(tmp_path), "--output", str(tmp_path / "out")]) == 64
    shutil.rmtree(lake.runs)
    assert publish(lake, tmp_path / "out") == 64
    assert "lacks clean/runs" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_neighbour_below_a_table_stays(lake: Lake, tmp_path: Path) -> None:
    """Removed are only files that lie where those of the table lie."""
    assert publish(lake, tmp_path / "out") == 0
    for name in ("README.md", "other/part-0.parquet", "other/_delta_log/0.json"):
        written(tmp_path / "out" / "deidentified", name)
    a_night(lake)
    assert publish(lake, tmp_path / "out") == 0
    assert {"deidentified/README.md", "deidentified/other/part-0.parquet"} < data_files(tmp_path / "out")
