"""Keeps the tables' files few, and the disk free of what the tables no longer name.

Both look at the tables as they are, not at what this run did, so that a crash before is made good. Safe since the lake
is locked and ours.

The raw notes of restricted/notes are no table: raw_files.py.
"""

from __future__ import annotations

from deid_core.lake import delta_reader
from deid_core.lake.tables import Tables
from deid_core.spark.run_context import Run


def compact(run: Run) -> None:
    """Writes years of a table anew that are in too many small files: each night adds one or two.

    What Delta's OPTIMIZE would do, without a Spark session. The audit comes after it, since it notes the versions.
    """
    limits = run.settings.run
    tables = Tables.of(run.lake)
    for table in (tables.deidentified, tables.phi_audit, tables.runs):
        if replaced := table.compact(above_files=limits.compact_above_files, small_file_bytes=limits.small_file_bytes):
            run.describe("upkeep", f"wrote small files of {table.path.name} anew", files=replaced)


def remove_dead_files(run: Run) -> None:
    """What was replaced or taken out leaves the disk too: removes the files of the tables' older versions.

    What Delta's VACUUM would do with zero retention, without its thousands of listing tasks.
    """
    for table in Tables.of(run.lake).all():
        if dead := delta_reader.dead_files(table.path):
            run.log.event("upkeep", f"removing files of older versions of {table.path.name}", files=len(dead))
            for file in dead:
                file.unlink(missing_ok=True)
                file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
