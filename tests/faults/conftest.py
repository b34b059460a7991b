"""An archive with its lake. Every run of these tests is a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from lakes import Archive, write_notes
from processes import ended


@pytest.fixture(scope="session")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return the notes of the integration tests and their lake after one run. Read only."""
    folder = tmp_path_factory.mktemp("first")
    archive = Archive(write_notes(folder / "input"), folder / "lake")
    done = ended(archive)
    assert done.returncode == 65, done.stderr[-2000:]
    return archive


@pytest.fixture
def archive(first_run: Archive, tmp_path: Path) -> Archive:
    """Return a copy of the first run's notes and lake."""
    return first_run.copy(tmp_path)
