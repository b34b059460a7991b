"""The checksums of a lake's files: restricted/checksums.tsv.

The list holds size and SHA-256 of each file of the tables and of the raw notes, as the run left it that wrote the file;
integrity.py compares the files with it. It ends with its length, so that one that was cut short counts as none. In a
new lake it is empty until the first run has ended.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path

from deid_core.core.files import PRIVATE, content_sha256, write_whole
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables

SUFFIXES = (".parquet", ".json")
Checksums = dict[str, tuple[int, str]]
"""Size in bytes and SHA-256 of each file, by its path below the lake's root."""
_END = "files"
"""The last row of the list has their number in its second column, and in its first this, which is no path of a file."""


def begin(lake: Lake) -> None:
    """Write an empty list in a new lake, so that all that it has is known to be of a first run that has not ended."""
    tables = Tables(lake).all()
    if not lake.checksums.exists() and not any(delta_reader.exists(table.path) for table in tables):
        _write(lake, {})


def record(lake: Lake) -> None:
    """Write down the checksums of files that are new since the last call, and forget those of files that are gone."""
    known = recorded(lake)
    old = known or {}
    since = lake.checksums.stat().st_mtime_ns if old else 0
    new = {}
    for name in _on_disk(lake):
        file = lake.root / name
        # A file never gets a new checksum, or damage would become its content. But after a table was restored from a
        # backup, a run writes a version of its log again.
        written_again = "/_delta_log/" in name and file.stat().st_mtime_ns >= since
        kept = None if written_again else old.get(name)
        new[name] = kept or (file.stat().st_size, content_sha256(file))
    if new != known:
        # After a power cut, the list must not have what did not reach the disk.
        os.sync()
        _write(lake, new)


def forget(lake: Lake, files: Iterable[Path]) -> None:
    """Forget the checksums of files, before they are rewritten."""
    old = recorded(lake) or {}
    gone = {str(file.relative_to(lake.root)) for file in files}
    if kept := gone & old.keys():
        _write(lake, {name: entry for name, entry in old.items() if name not in kept})


def forget_missing_tables(lake: Lake) -> None:
    """Forget the checksums of tables that are no longer there, since a run begins them anew."""
    files = [lake.root / name for name in recorded(lake) or {}]
    # Not those of Tables: an output that somebody removed is no longer among them.
    tables = {lake.root.joinpath(*file.relative_to(lake.root).parts[:2]) for file in files} - {lake.notes}
    missing = [table for table in tables if not delta_reader.exists(table)]
    forget(lake, [file for file in files if any(file.is_relative_to(table) for table in missing)])


def _on_disk(lake: Lake) -> list[str]:
    """Return the files of all tables and of the raw notes, sorted."""
    folders = [table.path for table in Tables(lake).all()]
    files = [file for folder in folders for file in folder.glob("**/[!._]*") if file.suffix in SUFFIXES]
    files += [file for folder in lake.note_folders() for file in folder.glob("[!._]*.parquet")]
    return sorted(str(file.relative_to(lake.root)) for file in files)


def recorded(lake: Lake) -> Checksums | None:
    """Return the recorded checksums; None if there is no list, or a damaged one, which the next run makes anew."""
    try:
        rows = list(csv.reader(lake.checksums.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
        *files, end = rows
        checksums = {name: (int(size), sha256) for name, size, sha256 in files}
    except (FileNotFoundError, ValueError):
        return None
    return checksums if end == [_END, str(len(checksums))] else None


def _write(lake: Lake, checksums: Checksums) -> None:
    text = io.StringIO()
    rows = [(name, size, sha256) for name, (size, sha256) in sorted(checksums.items())]
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows([*rows, (_END, len(rows))])
    write_whole(lake.checksums, text.getvalue().encode(), mode=PRIVATE, synced=True)
