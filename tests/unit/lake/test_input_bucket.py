"""Files below a prefix of an S3-compatible store, moto's in this process: what is listed, read, and refused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("moto", reason="needs the extra dev")

from lake_tables import IDS
from s3_server import BUCKET, delete, no_store, put, s3_server

from deid_core.core.errors import ConfigurationError, NoteError, Reason, TryAgainError
from deid_core.core.s3_url import S3Url
from deid_core.lake.inputs import content_readers
from deid_core.lake.inputs.bucket import InputBucket
from deid_core.lake.inputs.folder import InputFolder
from deid_core.lake.inputs.plan import ReadReason, ToRead

NAME = "Weber, Anna ü+%20"
LIMIT = 100


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    with s3_server():
        yield


@pytest.fixture
def prefix(request: pytest.FixtureRequest) -> str:
    return str(request.node.name)


def source_at(prefix: str) -> InputBucket:
    return InputBucket(S3Url(f"{BUCKET}/{prefix}"))


def read(source: InputBucket, name: str) -> bytes:
    """Return what an executor gets of a listed object."""
    [note] = [note for note in source.list_notes(IDS).notes if note.source == name]
    [chunk] = source.chunks([ToRead(note, ReadReason.NEW)], 10)
    [row] = chunk.listing.to_pylist()
    return source.contents.read(row, LIMIT)


def refused(source: InputBucket, name: str) -> tuple[Reason, str]:
    with pytest.raises(NoteError) as caught:
        read(source, name)
    return caught.value.reason, caught.value.detail


def test_the_listing_is_that_of_a_folder(prefix: str, tmp_path: Path) -> None:
    """Ids, paths and counts: an archive that moves to a store keeps its notes."""
    names = [f"2010/{NAME}.doc", f"2010/~${NAME}.doc", "2010/a\\b.TXT", "Brief an Dr.Muster", "x.pdf", "c.docx "]
    for number, name in enumerate(names):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * number)
        put(f"{prefix}/{name}", b"x" * number)
    put(f"{prefix}/leer/", b"")
    put(f"{prefix} of others/d.doc", b"")
    listed, local = source_at(prefix).list_notes(IDS), InputFolder(tmp_path).list_notes(IDS)
    assert [(note.note_id, note.source, note.size_bytes) for note in listed.notes] == [
        (note.note_id, note.source, note.size_bytes) for note in local.notes
    ]
    assert len(listed.notes) == 3
    assert listed.not_read == local.not_read == {"not_read.other": 1, "not_read.pdf": 1}
    assert sorted(source_at(prefix).names()) == sorted(InputFolder(tmp_path).names())


def test_more_objects_than_a_page_of_the_listing_holds(prefix: str) -> None:
    for number in range(1_001):
        put(f"{prefix}/{number % 7}/{number}.txt", b"x")
    assert len(source_at(prefix).list_notes(IDS).notes) == 1_001


def test_an_object_that_is_put_again_is_a_change(prefix: str) -> None:
    put(f"{prefix}/a.txt", b"Herr Weber kam.")
    [before] = source_at(prefix).list_notes(IDS).notes
    put(f"{prefix}/a.txt", b"Herr Weber ging.")
    [after] = source_at(prefix).list_notes(IDS).notes
    assert (before.size_bytes, after.size_bytes) == (15, 16)
    assert after.mtime_ns >= before.mtime_ns > 1_700_000_000_000_000_000


def test_contents(prefix: str) -> None:
    put(f"{prefix}/2010/{NAME}.txt", b"x" * LIMIT)
    put(f"{prefix}/leer.txt", b"")
    source = source_at(prefix)
    assert read(source, f"2010/{NAME}.txt") == b"x" * LIMIT
    assert read(source, "leer.txt") == b""
    path = f"{BUCKET}/{prefix}/2010/{NAME}.txt".encode()
    assert source.contents.is_readable(path)
    assert source.contents.sha256_of(path) == hashlib.sha256(b"x" * LIMIT).hexdigest()


def test_objects_that_cannot_be_read(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an archive class, too large, or deleted after the listing."""
    for name, options in (("ice.doc", {"StorageClass": "GLACIER"}), ("large.doc", {}), ("gone.doc", {})):
        put(f"{prefix}/{name}", b"x" * (LIMIT + 1), **options)
    source = source_at(prefix)
    notes = source.list_notes(IDS)
    assert refused(source, "large.doc") == (Reason.TOO_LARGE, "101 bytes, limit 100")
    monkeypatch.setattr(source, "list_notes", lambda ids: notes)
    delete(f"{prefix}/gone.doc")
    assert refused(source, "gone.doc") == (Reason.VANISHED, "FileNotFoundError")
    path = f"{BUCKET}/{prefix}/ice.doc".encode()
    with pytest.raises(NoteError) as caught:
        source.contents.read({"path": path}, 1_000)
    assert caught.value.reason == Reason.VANISHED
    assert (source.contents.is_readable(path), source.contents.sha256_of(path)) == (False, "")


@pytest.mark.parametrize("folder", ["../", "./", "2010/../", "2010//", "/"])
def test_a_key_that_would_be_read_as_another(folder: str) -> None:
    """The store's client removes such parts: it would read an object outside of the prefix."""
    key = f"{folder}secret.doc"
    put("secret.doc", b"other")
    put("unsafe/secret.doc", b"other")
    put(f"unsafe/{key}", b"own")
    source = source_at("unsafe")
    assert refused(source, key) == (Reason.UNSAFE, "a part of the key is empty, '.' or '..'")
    path = f"{BUCKET}/unsafe/{key}".encode()
    assert (source.contents.is_readable(path), source.contents.sha256_of(path)) == (False, "")
    delete(f"unsafe/{key}")


def test_nothing_that_is_read_before_the_first_run(prefix: str) -> None:
    """Later runs find out that the known notes are missing, whatever the reason."""
    put(f"{prefix}/{NAME}.pdf", b"x")
    for place in (prefix, "nowhere"):
        with pytest.raises(ConfigurationError, match=f"--input s3://{BUCKET}/{place}: there is no .doc, ") as caught:
            source_at(place).check(first_run=True)
        assert NAME not in str(caught.value)
        source_at(place).check(first_run=False)
        assert source_at(place).list_notes(IDS).notes == []
    with pytest.raises(ConfigurationError, match="--input s3://nobucket/x: there is no such bucket"):
        InputBucket(S3Url("nobucket/x")).list_notes(IDS)


def test_a_store_that_does_not_answer(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put(f"{prefix}/{NAME}.txt", b"x")
    path = f"{BUCKET}/{prefix}/{NAME}.txt".encode()
    monkeypatch.setenv("AWS_ENDPOINT_URL", no_store())
    source = source_at(prefix)
    attempts: list[Any] = [
        lambda: source.check(first_run=True),
        lambda: source.check(first_run=False),
        lambda: source.list_notes(IDS),
        lambda: source.contents.read({"path": path}, LIMIT),
    ]
    for attempt in attempts:
        with pytest.raises(TryAgainError) as caught:
            attempt()
        assert f"--input s3://{BUCKET}/{prefix}: the store does not answer (NETWORK_CONNECTION)" in str(caught.value)
        assert NAME not in str(caught.value)
    assert (source.contents.is_readable(path), source.contents.sha256_of(path)) == (False, "")


def test_executors_ask_the_drivers_store(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that lacks the address would ask Amazon for files that are named after patients."""
    put(f"{prefix}/a.txt", b"x")
    source = source_at(prefix)
    monkeypatch.setenv("AWS_ENDPOINT_URL", no_store())
    assert source.contents.read({"path": f"{BUCKET}/{prefix}/a.txt".encode()}, LIMIT) == b"x"


@pytest.fixture
def listed(prefix: str) -> tuple[InputBucket, list[bytes]]:
    """A source of ten objects, and their paths."""
    for number in range(10):
        put(f"{prefix}/{number}.txt", b"x")
    source = source_at(prefix)
    return source, [note.path for note in source.list_notes(IDS).notes]


def test_a_few_objects_that_nobody_can_read_stop_no_run(listed: tuple[InputBucket, list[bytes]], prefix: str) -> None:
    source, paths = listed
    for path in paths[:3]:
        delete(path.decode().partition("/")[2])
    source.check_available(paths[:3], 0.5)
    source.check_available([], 0.5)


def test_most_objects_cannot_be_read(
    listed: tuple[InputBucket, list[bytes]], prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, paths = listed
    monkeypatch.setattr(content_readers.StoredFiles, "is_readable", lambda self, path: path in paths[:4])
    with pytest.raises(TryAgainError, match="6 of 10 tested ones cannot be read; may these credentials read them"):
        source.check_available(paths[4:5], 0.5)


def test_objects_that_only_executors_cannot_read(listed: tuple[InputBucket, list[bytes]]) -> None:
    source, paths = listed
    with pytest.raises(TryAgainError, match="does every worker have AWS_ACCESS_KEY_ID"):
        source.check_available(paths[:2], 0.5)
    # Somebody replaced it at that moment.
    source.check_available(paths[:1], 0.5)
