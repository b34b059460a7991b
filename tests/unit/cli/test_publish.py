"""`deid publish`: copies of the clean tables after nights, kills, races and mistakes, in a folder and on a store."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("moto", reason="needs the extra dev")

import pyarrow.parquet as pq
from clean_tables import (
    CANARY,
    POLICY,
    TABLES,
    below,
    contents,
    names_below,
    new_lake,
    night,
    rows,
    rows_of_lake,
    text_of,
)
from deltalake import CommitProperties, DeltaTable, write_deltalake
from moto.s3.responses import S3Response
from s3_server import BUCKET, delete, no_store, put, s3_server

from deid_core.cli import main
from deid_core.core.s3_url import S3Url
from deid_core.lake.layout import Lake
from deid_core.lake.object_store import delta_options
from deid_core.lake.outputs.published_table import PublishedTable
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables

STEPS = ("_create", "_put", "_commit", "_delete")
"""All that changes a copy."""
MOST_STEPS = 30


class Killed(BaseException):
    """Stands for SIGKILL: nothing catches it."""


@pytest.fixture(scope="module")
def store() -> Iterator[None]:
    with s3_server():
        yield


@pytest.fixture(params=["folder", "store"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | S3Url:
    """Return a new place."""
    if request.param == "folder":
        return tmp_path / "Kopie für Ärzte"
    request.getfixturevalue("store")
    return S3Url(f"{BUCKET}/{uuid4().hex}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "Kopie für Ärzte"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return new_lake(tmp_path / "lake")


def publish(lake: Lake, place: Path | S3Url, *more: str) -> int:
    return main(["publish", "--lake", str(lake.root), "--output", str(place), *more])


def published(place: Path | S3Url, names: tuple[str, ...] = TABLES) -> dict[str, list[str]]:
    return {name: rows(below(place, name)) for name in names}


def log_of(place: Path | S3Url, name: str) -> DeltaTable:
    return DeltaTable(str(below(place, name)), storage_options=delta_options(place))


def versions(place: Path | S3Url) -> dict[str, int]:
    return {name: int(log_of(place, name).version()) for name in TABLES}


def data_files(place: Path | S3Url) -> set[str]:
    """Return the files that are no part of a log."""
    return {name for name in names_below(place) if "/_delta_log/" not in name}


def assert_is_the_lakes(lake: Lake, place: Path | S3Url) -> None:
    """The rows are equal, and no other file lies there than those of the last versions."""
    assert published(place) == rows_of_lake(lake)
    files = {f"{name}/{file.relative_to(lake.clean / name)}" for name in TABLES for file in live(lake, name)}
    assert data_files(place) == files


def files_with_note(lake: Lake, note_id: str) -> set[str]:
    """Return the files that have rows of a note; those of a copy have the same names."""
    files = ((name, file) for name in ("deidentified", "phi_audit") for file in live(lake, name))
    return {
        f"{name}/{file.relative_to(lake.clean / name)}"
        for name, file in files
        if note_id in pq.read_table(file, columns=["note_id"], partitioning=None)["note_id"].to_pylist()
    }


def live(lake: Lake, name: str) -> list[Path]:
    return delta_reader.data_files(lake.clean / name)


@contextmanager
def before_step(at: int, act: Callable[[], Any]) -> Iterator[list[int]]:
    """Call `act` before one of the steps. Yields a list that is empty until then."""
    steps, reached = count(), list[int]()

    def counted(step: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*args: Any, **options: Any) -> Any:
            if next(steps) == at and not reached:
                reached.append(at)
                act()
            return step(*args, **options)

        return acting

    with pytest.MonkeyPatch.context() as patch:
        for name in STEPS:
            patch.setattr(PublishedTable, name, counted(getattr(PublishedTable, name)))
        yield reached


def steps_of(place: Path | S3Url) -> range:
    """Return the numbers of the steps to disturb. A store takes longer, and its steps are the same."""
    return range(MOST_STEPS) if isinstance(place, Path) else range(1, MOST_STEPS, 10)


def copied(place: Path | S3Url) -> Path | S3Url:
    """Return another place with the same files."""
    copy = place.with_name(uuid4().hex) if isinstance(place, Path) else S3Url(f"{BUCKET}/{uuid4().hex}")
    for name, content in contents(place).items():
        written(copy, name, content)
    return copy


def written(place: Path | S3Url, name: str, content: bytes = b"{}x") -> None:
    if isinstance(place, S3Url):
        put(f"{place.path}/{name}".removeprefix(f"{BUCKET}/"), content)
    else:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)


def a_night(lake: Lake) -> None:
    """One note is changed, one is withdrawn, one is new."""
    night(lake, gone=["a", "c"], new=[("a", 2010), ("d", 2012)])


def test_the_first_publication(lake: Lake, place: Path | S3Url, capsys: pytest.CaptureFixture[str]) -> None:
    """Four tables, with the columns, comments and partitions of the lake's; nothing of `restricted`."""
    assert publish(lake, place) == 0
    assert_is_the_lakes(lake, place)
    found = contents(place)
    assert {name.partition("/")[0] for name in found} == set(TABLES)
    assert CANARY not in repr(list(found.values()))
    assert b'"minValues"' not in b"".join(found.values())
    for name in TABLES:
        log, own = log_of(place, name), delta_reader.open_log(lake.clean / name)
        assert log.schema().to_json() == own.schema().to_json()
        assert log.metadata().partition_columns == own.metadata().partition_columns
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{below(place, 'deidentified')}: version 1, 3 rows; 3 files added, 0 removed"
    assert [line.partition(": version 1, ")[0] for line in told] == [str(below(place, name)) for name in TABLES]


def test_a_night_without_a_change(lake: Lake, place: Path | S3Url, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish(lake, place) == 0
    before = contents(place)
    capsys.readouterr()
    with before_step(0, killed) as reached:
        assert publish(lake, place) == 0
    assert not reached
    assert contents(place) == before
    assert capsys.readouterr().out.count("; unchanged\n") == len(TABLES)


def test_nights(lake: Lake, place: Path | S3Url, monkeypatch: pytest.MonkeyPatch) -> None:
    """One commit for each table that changed, and only new files are written."""
    put_files = []
    step = PublishedTable._put

    def counted(copy: PublishedTable, source: Path, name: str) -> None:
        put_files.append(source)
        step(copy, source, name)

    monkeypatch.setattr(PublishedTable, "_put", counted)
    assert publish(lake, place) == 0
    for number in range(2, 4):
        before = {file for name in TABLES for file in live(lake, name)}
        night(lake, gone=[f"n{number - 1}"], new=[(f"n{number}", 2010), (f"m{number}", 2011)])
        put_files.clear()
        assert publish(lake, place) == 0
        assert_is_the_lakes(lake, place)
        assert set(put_files) == {file for name in TABLES for file in live(lake, name)} - before
        assert versions(place) == dict.fromkeys(TABLES, number)
    Tables.from_lake(lake).runs.compact(above_files=0, small_file_bytes=1_000_000)
    assert publish(lake, place) == 0
    assert versions(place) == dict.fromkeys(TABLES, 3) | {"runs": 4}
    assert published(place) == rows_of_lake(lake)


def test_a_withdrawn_note_is_gone(lake: Lake, place: Path | S3Url) -> None:
    """From the tables, and from all that lies there: no older version has it."""
    assert publish(lake, place) == 0
    assert text_of("a") in repr(published(place))
    holding = files_with_note(lake, "a")
    assert holding and holding <= data_files(place)
    night(lake, gone=["a"])
    assert publish(lake, place) == 0
    assert_is_the_lakes(lake, place)
    assert text_of("a") not in repr(published(place))
    assert not data_files(place) & holding
    assert [row for row in published(place)["phi_audit"] if "('note_id', 'a')" in row] == []


def test_a_patients_text_leaves_first(lake: Lake, place: Path | S3Url, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the run is listed last."""
    assert publish(lake, place) == 0
    a_night(lake)
    done = []
    step = PublishedTable._commit
    monkeypatch.setattr(PublishedTable, "_commit", lambda copy, *args: (done.append(copy.place), step(copy, *args)))
    assert publish(lake, place) == 0
    assert done == [below(place, name) for name in TABLES]


def killed() -> None:
    raise Killed


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


def test_who_may_read_clean_alone(lake: Lake, folder: Path) -> None:
    shutil.rmtree(lake.restricted)
    assert publish(lake, folder) == 0
    assert_is_the_lakes(lake, folder)


def test_texts_of_a_policy(lake: Lake, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the audit: it would tell which names are invented. Nor are they put beside other texts."""
    names = (f"deidentified_{POLICY}", "phi_counts", "runs")
    Tables.from_lake(lake).outputs[0].delete_notes({"a"})
    assert publish(lake, folder, "--policy", POLICY) == 64
    assert "each note's real year, which tells the shift" in capsys.readouterr().err
    assert not folder.exists() or not contents(folder)
    assert publish(lake, folder, "--policy", POLICY, "--with-years") == 0
    assert published(folder, names) == rows_of_lake(lake, names)
    assert {name.partition("/")[0] for name in contents(folder)} == set(names)
    told = capsys.readouterr().err
    assert "1 notes of the lake have no text of this policy yet" in told
    before = contents(folder)
    assert publish(lake, folder) == 64
    assert f"holds deidentified_{POLICY} of another --policy" in capsys.readouterr().err
    assert contents(folder) == before


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
