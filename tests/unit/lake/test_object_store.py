"""Tables on an S3-compatible store, moto's in this process: the same notes as on a file system, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("moto", reason="needs the extra dev")

from lake_tables import COLUMNS, IDS, ROWS, delta, listed, parquet
from s3_server import no_store, s3_server, upload

from deid_core.core.errors import ConfigurationError, TryAgainError
from deid_core.core.s3_url import S3Url
from deid_core.lake.inputs.plan import ReadReason, ToRead
from deid_core.lake.inputs.table import InputTable
from deid_core.lake.object_store import store_error

NAME = "Weber"


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    with s3_server():
        yield


@pytest.fixture(params=[parquet, delta])
def write(request: pytest.FixtureRequest) -> Callable[..., Path]:
    return request.param  # type: ignore[no-any-return]


def rows_of(place: Path | S3Url) -> dict[str, dict[str, Any]]:
    """Return what executors get of each row, but for its date."""
    table = InputTable(place, COLUMNS)
    table.check(first_run=True)
    notes = [ToRead(stat, ReadReason.NEW) for stat in table.list_notes(IDS).notes]
    rows = [row for chunk in table.chunks(notes, 2) for row in chunk.listing.to_pylist()]
    assert all(row.pop("mtime_ns") for row in rows)
    return {row["source"]: row for row in rows}


def test_the_rows_are_those_of_a_file_system(write: Callable[..., Path], tmp_path: Path) -> None:
    local = write(tmp_path, ROWS)
    found = rows_of(upload(local, "same"))
    assert found == rows_of(local)
    assert found.keys() == {"a", "b", "c"}


def test_a_night_with_changes(write: Callable[..., Path], tmp_path: Path) -> None:
    """A table that is written anew is no change; a changed, a new and a removed row are."""
    before = listed(upload(write(tmp_path, ROWS), "nights"))
    same = listed(upload(write(tmp_path, ROWS), "nights"))
    assert {name: stat.sha256 for name, stat in same.items()} == {name: stat.sha256 for name, stat in before.items()}
    rows = [ROWS[0] | {"text": "Herr Koch kam."}, ROWS[2], {"id": "d", "text": "x", "patient": None, "year": None}]
    after = listed(upload(write(tmp_path, rows), "nights"))
    assert after.keys() == {"a", "c", "d"}
    assert (after["a"].sha256 != before["a"].sha256, after["c"].sha256 == before["c"].sha256) == (True, True)


def test_files_that_are_replaced_meanwhile(tmp_path: Path) -> None:
    table = InputTable(upload(parquet(tmp_path, ROWS), "replaced"), COLUMNS)
    upload(parquet(tmp_path, ROWS[:2]), "replaced")
    with pytest.raises(TryAgainError, match="s3://bucket/replaced: files of the table were replaced"):
        table.list_notes(IDS)


def test_a_file_that_disappears(write: Callable[..., Path], tmp_path: Path) -> None:
    local = write(tmp_path, ROWS)
    table = InputTable(upload(local, "gone"), COLUMNS)
    sorted(local.glob("*.parquet"))[-1].unlink()
    upload(local, "gone")
    with pytest.raises(TryAgainError, match="s3://bucket/gone: files of the table were replaced"):
        table.list_notes(IDS)


def test_what_is_no_table(tmp_path: Path) -> None:
    """No message has a file's name, which may be a patient's, or what is in it."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / f"{NAME}.txt").write_text(NAME)
    upload(folder, "empty")
    (folder / f"{NAME}.parquet").write_text(NAME)
    upload(folder, "damaged")
    for name, said in (
        ("bucket/nowhere", "there is no such file or folder"),
        ("nobucket/x", "there is no such file or folder"),
        ("bucket/empty", "holds letters and no table"),
        ("bucket/damaged", "cannot be read as a table"),
    ):
        with pytest.raises(ConfigurationError) as caught:
            InputTable(S3Url(name), COLUMNS)
        assert said in str(caught.value)
        assert f"--input s3://{name}: " in str(caught.value)
        assert NAME not in str(caught.value)


def test_a_store_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", no_store())
    with pytest.raises(TryAgainError, match=r"s3://bucket/x: the store does not answer \(NETWORK_CONNECTION\)"):
        InputTable(S3Url("bucket/x"), COLUMNS)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("When getting information for key 'Weber': AWS Error SLOW_DOWN during HeadObject", TryAgainError),
        ("Generic S3 error: Error performing GET http://host/bucket/Weber", TryAgainError),
        (
            "Generic S3 error: Error performing PUT http://host/Weber in 1s - HTTP error: error sending request",
            TryAgainError,
        ),
        (
            "The operation lacked the necessary privileges to complete for path Weber: Error performing PUT "
            "http://host/Weber in 1ms - Server returned non-2xx status code: 403 Forbidden: <Error/>",
            ConfigurationError,
        ),
        (
            "Object at location Weber not found: Error performing PUT http://host/b - <Code>NoSuchBucket",
            ConfigurationError,
        ),
        ("When listing objects under key 'Weber': AWS Error ACCESS_DENIED during ListObjectsV2", ConfigurationError),
        ("Parquet magic bytes not found in footer of Weber", None),
    ],
)
def test_errors_of_a_store(message: str, kind: type[Exception] | None) -> None:
    found = store_error(S3Url("bucket/x"), OSError(message))
    assert (found and type(found)) == kind
    assert NAME not in str(found)
