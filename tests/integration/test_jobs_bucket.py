"""Word files on an object store as input: nights with changes, an archive that moves there, a store that dies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from lakes import LETTER, PIPELINE, Archive
from nights import assert_nothing_is_half_visible
from s3_server import BUCKET, delete, put, s3_server, upload

from deid_core.cli import main
from deid_core.core.s3_url import S3Url
from deid_core.lake.tables import delta_reader
from deid_core.spark import convert_notes
from deid_core.spark.run_lake import run_lake
from deid_core.spark.run_options import Options
from deid_core.spark.spark_run import SparkRun

pytestmark = pytest.mark.spark

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "dZqxgeheim", "AWS_EC2_METADATA_DISABLED": "true"}


@pytest.fixture(scope="module")
def store(spark: Any) -> Iterator[None]:
    """Serve a bucket. Executors have credentials of it, and not its address."""
    # The variables of the server are set before these, and so must be reset after them.
    with s3_server(), pytest.MonkeyPatch.context() as patch:
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
            patch.setitem(spark.sparkContext.environment, name, value)
        yield


@pytest.fixture(scope="module")
def first_night(store: None, first_run: Archive, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return the letters and their lake after a run over the same letters on the store. Read only."""
    archive = Archive(first_run.input, tmp_path_factory.mktemp("bucket") / "lake")
    upload(archive.input, "first")
    run_over(archive, "first")
    return archive


def run_over(archive: Archive, prefix: str, **options: Any) -> SparkRun:
    return run_lake(Options(S3Url(f"{BUCKET}/{prefix}"), archive.root, PIPELINE, **options))


def texts(archive: Archive) -> dict[str, str]:
    paths = {row["note_id"]: path for path, row in archive.ledger().items()}
    rows = delta_reader.read(archive.lake.deidentified, ["note_id", "text"]).to_pylist()
    assert len({row["note_id"] for row in rows}) == len(rows)
    return {paths[row["note_id"]]: row["text"] for row in rows}


def test_the_texts_are_those_of_a_folder(first_night: Archive, first_run: Archive) -> None:
    """So are reasons and hashes. Years of files are those of the upload."""
    assert texts(first_night) == texts(first_run)
    assert len(texts(first_night)) == 13

    def told(archive: Archive) -> dict[str, tuple[object, ...]]:
        rows = archive.ledger().items()
        return {path: (row["state"], row["reason"], row["sha256"], row["year_source"]) for path, row in rows}

    assert told(first_night) == told(first_run)


def test_a_night_with_changes(first_night: Archive, tmp_path: Path) -> None:
    """One changed, one new, one put again as it was, one deleted, one in an archive class, one with an unsafe key."""
    archive = first_night.copy(tmp_path)
    upload(first_night.input, "nights")
    before = texts(archive)
    changed, gone, frozen = "2010/Müller, Anna 0.txt", "2011/Schmidt, Anna 1.txt", "2010/Weber, Anna 2.txt"
    put(f"nights/{changed}", LETTER.format(name="Altmann", number=50_000).encode())
    put("nights/2012/Neu.txt", b"Frau Vogel kam.\n")
    delete(f"nights/{gone}")
    put(f"nights/{frozen}", b"Frau Weber kam.\n", StorageClass="GLACIER")
    put("nights/../geheim.txt", b"Frau Koch kam.\n")
    put("geheim.txt", b"Frau Lehmann kam.\n")
    counts = run_over(archive, "nights").counts
    assert (counts["new"], counts["deleted"]) == (2, 1)
    after, ledger = texts(archive), archive.ledger()
    assert after.keys() == before.keys() - {gone, frozen} | {"2012/Neu.txt"}
    assert {name for name in before.keys() & after.keys() if before[name] != after[name]} == {changed}
    assert ledger[gone]["state"] == "deleted"
    assert (ledger[frozen]["reason"], ledger["../geheim.txt"]["reason"]) == ("vanished", "unsafe")
    assert_nothing_is_half_visible(archive)
    versions = archive.versions()
    assert not run_over(archive, "nights").did_something
    assert archive.versions() == versions


def test_an_archive_that_moves_to_a_store(first_run: Archive, store: None, tmp_path: Path) -> None:
    """All dates are new, so all files are read; those whose year is not their date's are the same notes as before."""
    archive = first_run.copy(tmp_path)
    upload(first_run.input, "moved")
    run = run_over(archive, "moved")
    of_files = [path for path, row in archive.ledger().items() if row["year_source"] == "file"]
    assert (run.counts["changed"], run.counts["converted"]) == (15, len(of_files))
    assert texts(archive) == texts(first_run)


@pytest.mark.parametrize("committed", [0, 1])
def test_a_store_that_dies_during_a_run(
    first_night: Archive, store: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], committed: int,
) -> None:  # fmt: skip
    """Batches before are kept, the rerun does the others, and all is as if the store had stayed."""
    undisturbed, archive = first_night.copy(tmp_path / "undisturbed"), first_night.copy(tmp_path / "dies")
    prefix = f"dies{committed}"
    upload(first_night.input, prefix)
    for number in range(4):
        put(f"{prefix}/2010/Neu {number}.txt", LETTER.format(name="Neumann", number=number).encode())
    delete(f"{prefix}/2011/Schmidt, Anna 1.txt")
    (tmp_path / "settings.yaml").write_text("run: {batch_notes: 10}\nquarantine: {allowed_share: 1.0}\n")
    run_over(undisturbed, prefix, settings=tmp_path / "settings.yaml")
    arguments = ["run", "--input", f"s3://{BUCKET}/{prefix}", "--lake", str(archive.root), "--pipeline", PIPELINE]
    arguments += ["--settings", str(tmp_path / "settings.yaml")]
    stage, batches = convert_notes._stage, iter(range(10))
    with s3_server() as server:

        def dying(*given: Any) -> Any:
            staged = stage(*given)
            if next(batches) == committed:
                server.stop()
            return staged

        monkeypatch.setattr(convert_notes, "_stage", dying)
        assert main(arguments) == 75
    monkeypatch.undo()
    told = capsys.readouterr().err
    assert f"deid run: --input s3://{BUCKET}/{prefix}: the store does not answer (NETWORK_CONNECTION)" in told
    assert "Anna" not in told
    assert_nothing_is_half_visible(archive)
    assert archive.rows() != undisturbed.rows()
    with s3_server():
        assert main(arguments) == 0
        assert archive.rows() == undisturbed.rows()
        assert main(arguments) == 0
    assert archive.rows() == undisturbed.rows()


def test_no_credential_is_written(first_night: Archive, event_log: Path) -> None:
    """Neither into the lake nor into Spark's event log."""
    secret = CREDENTIALS["AWS_SECRET_ACCESS_KEY"].encode()
    files = [path for folder in (first_night.root, event_log) for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 20
    assert not [path for path in files if secret in path.read_bytes()]
    assert boto3.client("s3").list_buckets()["Buckets"]
