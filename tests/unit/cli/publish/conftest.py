"""A lake, and places to publish it to. What needs an extra is imported where it is used: a conftest cannot skip."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from deid_core.core.s3_url import S3Url
from deid_core.lake.layout import Lake


@pytest.fixture(scope="module")
def store() -> Iterator[None]:
    from s3_server import s3_server

    with s3_server():
        yield


@pytest.fixture(params=["folder", "store"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | S3Url:
    """Return a new place."""
    from s3_server import BUCKET

    if request.param == "folder":
        return tmp_path / "Kopie für Ärzte"
    request.getfixturevalue("store")
    return S3Url(f"{BUCKET}/{uuid4().hex}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "Kopie für Ärzte"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    from clean_tables import new_lake

    return new_lake(tmp_path / "lake")
