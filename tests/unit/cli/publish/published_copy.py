"""`deid publish` and what lies at the place it wrote to, with something that happens before one of its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow.parquet as pq
import pytest
from clean_tables import TABLES, below, contents, names_below, night, rows, rows_of_lake
from deltalake import DeltaTable
from s3_server import BUCKET, put

from deid_core.cli import main
from deid_core.core.s3_url import S3Url
from deid_core.lake.layout import Lake
from deid_core.lake.object_store import delta_options
from deid_core.lake.outputs.published_table import PublishedTable
from deid_core.lake.tables import delta_reader

STEPS = ("_create", "_put", "_commit", "_delete")
"""All that changes a copy."""
MOST_STEPS = 30


class Killed(BaseException):
    """Stands for SIGKILL: nothing catches it."""


def killed() -> None:
    raise Killed


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
