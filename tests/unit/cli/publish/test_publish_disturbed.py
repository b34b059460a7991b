"""`deid publish` killed, doubled, and with a store or a lake that fails it meanwhile."""

from __future__ import annotations

import shutil
from contextlib import suppress
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("moto", reason="needs the extra dev")

from clean_tables import TABLES, below, contents, night, rows, rows_of_lake
from moto.s3.responses import S3Response
from published_copy import (
    Killed,
    a_night,
    assert_is_the_lakes,
    before_step,
    copied,
    data_files,
    killed,
    live,
    publish,
    published,
    steps_of,
    versions,
)
from s3_server import BUCKET, delete, no_store, put, s3_server

from deid_core.core.s3_url import S3Url
from deid_core.lake.layout import Lake


@pytest.mark.parametrize("first", [True, False])
def test_killed_at_every_step(lake: Lake, place: Path | S3Url, *, first: bool) -> None:
    """What is left are tables from before or after, each whole. The same command completes them."""
    assert first or publish(lake, place) == 0
    before = {name: [] if first else rows(lake.clean / name) for name in TABLES}
    a_night(lake)
    after = rows_of_lake(lake)
    for at in steps_of(place):
        copy = copied(place)
        with before_step(at, killed) as reached, suppress(Killed):
            publish(lake, copy)
        if not reached:
            assert at >= 15
            break
        for name in {key.partition("/")[0] for key in contents(copy) if key.endswith(".json")}:
            assert rows(below(copy, name)) in (before[name], after[name])
        assert publish(lake, copy) == 0
        assert_is_the_lakes(lake, copy)
    assert not reached


def another(lake: Lake, place: Path | S3Url, changes: bool, codes: list[int]) -> None:
    if changes:
        night(lake, gone=["d"], new=[("e", 2010)])
    codes.append(publish(lake, place))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("changes", [True, False])
def test_two_at_once(lake: Lake, place: Path | S3Url, *, first: bool, changes: bool) -> None:
    """At any step of one another one begins and ends, of the same or of a later state of the lake."""
    assert first or publish(lake, place) == 0
    a_night(lake)
    codes = []
    for at in steps_of(place)[::2] if isinstance(place, Path) else steps_of(place):
        copy, inner = copied(place), list[int]()
        own = Lake.at(Path(shutil.copytree(lake.root, lake.root.with_name(f"lake-{at}"))))
        with before_step(at, partial(another, own, copy, changes, inner)) as reached:
            codes.append(publish(own, copy))
        if not reached:
            break
        assert inner == [0]
        if not changes:
            assert published(copy) == rows_of_lake(own)
        assert publish(own, copy) == 0
        assert_is_the_lakes(own, copy)
    assert set(codes) == {0, 75}, codes
    assert not reached


def test_a_store_that_dies_at_every_step(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = S3Url(f"{BUCKET}/{uuid4().hex}")
    for at in steps_of(place):
        a_night(lake)
        with s3_server() as server, before_step(at, server.stop) as reached:
            code = publish(lake, place)
        told = capsys.readouterr().err
        with s3_server():
            if reached:
                assert code == 75
                assert f"--output {place}: the store does not answer (NETWORK_CONNECTION); run again" in told
                assert publish(lake, place) == 0
            assert_is_the_lakes(lake, place)
    monkeypatch.setenv("AWS_ENDPOINT_URL", no_store())
    assert publish(lake, place) == 75


@pytest.mark.parametrize("asked", ["_key_response_put", "_bucket_response_get"])
def test_a_store_that_refuses(
    asked: str, lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it does with a wrong key, or one that may only read."""
    refusal = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
    place = S3Url(f"{BUCKET}/{uuid4().hex}")
    with s3_server(), monkeypatch.context() as patch:
        patch.setattr(S3Response, asked, lambda *given: (403, {"Content-Type": "application/xml"}, refusal))
        assert publish(lake, place) == 64
    assert f"--output {place}: the store refused (ACCESS_DENIED); look at AWS_ACCESS_KEY_ID" in capsys.readouterr().err
    with s3_server():
        assert contents(place) == {}


def test_a_lake_that_changes_meanwhile(lake: Lake, place: Path | S3Url, capsys: pytest.CaptureFixture[str]) -> None:
    """A run removes files that are still to be copied."""
    with before_step(1, partial(a_night, lake)):
        assert publish(lake, place) == 75
    assert "deidentified: a run replaced files meanwhile; start again" in capsys.readouterr().err
    assert publish(lake, place) == 0
    assert_is_the_lakes(lake, place)


@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_a_damaged_lake(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, damage: str) -> None:
    file = live(lake, "phi_audit")[0]
    file.unlink() if damage == "missing" else file.write_bytes(file.read_bytes()[:-1])
    assert publish(lake, tmp_path / "out") == 64
    assert "clean/phi_audit: a file is damaged; `deid check" in capsys.readouterr().err


def test_files_that_were_lost_are_put_again(lake: Lake, place: Path | S3Url) -> None:
    assert publish(lake, place) == 0
    before = versions(place)
    missing, cut = sorted(name for name in data_files(place) if name.startswith("deidentified/"))[:2]
    if isinstance(place, Path):
        (place / missing).unlink()
        (place / cut).write_bytes(b"PAR1")
    else:
        delete(f"{place.path.partition('/')[2]}/{missing}")
        put(f"{place.path.partition('/')[2]}/{cut}", b"PAR1")
    assert publish(lake, place) == 0
    assert_is_the_lakes(lake, place)
    assert versions(place) == before
