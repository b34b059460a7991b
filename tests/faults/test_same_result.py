"""The same notes give the same tables, whatever Spark's partitions, Python's hash seed and the order of files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lakes import Archive
from processes import ended

pytestmark = [pytest.mark.fault, pytest.mark.spark]

WAYS = {
    "one core": ("local[1]", {"spark.sql.shuffle.partitions": "1"}, "0", 50),
    "three cores": ("local[3]", {"spark.sql.shuffle.partitions": "7", "spark.default.parallelism": "5"}, "1", 4),
    "adaptive": ("local[2]", {"spark.sql.adaptive.enabled": "true", "spark.sql.shuffle.partitions": "3"}, "4242", 7),
}


def reversed_copy(folder: Path, target: Path) -> Path:
    """Copy the files in the opposite order, so that the file system lists them in another."""
    for path in sorted((p for p in folder.rglob("*") if p.is_file()), reverse=True):
        copy = target / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    return target


@pytest.mark.parametrize("way", WAYS)
def test_same_tables_and_then_no_file_more(first_run: Archive, tmp_path: Path, way: str) -> None:
    master, conf, seed, batch = WAYS[way]
    archive = Archive(reversed_copy(first_run.input, tmp_path / "input"), tmp_path / "lake")
    archive.lake.prepare()
    archive.lake.key.write_text(first_run.lake.key.read_text())
    settings = tmp_path / "conf.yaml"
    settings.write_text(f"run: {{batch_notes: {batch}}}\nquarantine: {{allowed_share: 1}}\n")
    how = {"master": master, "conf": conf, "environment": {"PYTHONHASHSEED": seed}}
    assert ended(archive, "--settings", str(settings), **how).returncode == 0
    assert archive.rows() == first_run.rows()
    files = archive.files()
    for _ in range(2):
        done = ended(archive, "--settings", str(settings), **how)
        assert (done.returncode, "Nothing to do" in done.stdout) == (0, True)
        assert archive.files() == files
