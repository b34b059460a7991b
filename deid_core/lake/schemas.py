"""Arrow schemas of the rows that executors hand over: what was read, and what the engine made of it.

They go to the staging folder only. The lake's tables are in tables.py.
"""

from __future__ import annotations

from enum import StrEnum

import pyarrow as pa


class State(StrEnum):
    """What became of a source file; the ledger's column `state`."""

    CONVERTED = "converted"
    QUARANTINED = "quarantined"
    DELETED = "deleted"


class YearSource(StrEnum):
    """Where a note's year was found, in this order of trust."""

    PATH = "path"
    HEADER = "header"
    FILE = "file"


class Outcome(StrEnum):
    """What an executor found for a file that the plan asked it to read."""

    CONVERTED = "converted"
    QUARANTINED = "quarantined"
    SAME = "same"
    """The file's date or size changed, its bytes did not."""


LISTING = pa.schema(
    [
        ("note_id", pa.string()),
        ("path", pa.binary()),  # absolute, as the file system has it, in whatever encoding
        ("source", pa.string()),  # below the input folder, printable
        ("mtime_ns", pa.int64()),
        ("known_sha256", pa.string()),  # "": read in any case
    ]
)

BLOCK = pa.struct(
    [
        ("kind", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("table", pa.int32()),
        ("row", pa.int32()),
        ("column", pa.int32()),
    ]
)

READ = pa.schema(
    [
        ("outcome", pa.string()),
        ("year", pa.int32()),
        ("note_id", pa.string()),
        ("source", pa.string()),
        ("sha256", pa.string()),
        ("year_source", pa.string()),
        ("text", pa.string()),
        ("blocks", pa.list_(BLOCK)),
        ("reason", pa.string()),
        ("detail", pa.string()),
    ]
)
"""A row for each file of the listing; `outcome` and `year` become folders, the columns from `text` on are null where
they do not apply."""

NOTE = pa.schema(
    [(name, READ.field(name).type) for name in ("note_id", "text", "blocks", "year")] + [("batch", pa.string())]
)
"""What the engine needs of a raw note; `year` and `batch` are folders. A file of restricted/notes has more, STORED;
of these `reason` and `detail` are null."""

STORED = pa.schema([field for field in READ if field.name not in ("outcome", "year")])
"""The columns of a file of restricted/notes."""

SPAN = pa.struct(
    [
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("output_start", pa.int32()),
        ("output_end", pa.int32()),
        ("label", pa.string()),
        ("type", pa.string()),
        ("recogniser", pa.string()),
        ("rule", pa.string()),
        ("score", pa.float64()),
    ]
)

REDACTED = pa.schema(
    [
        ("note_id", pa.string()),
        ("year", pa.int32()),
        ("batch", pa.string()),
        ("text", pa.string()),
        ("tokens", pa.int32()),
        ("spans", pa.list_(SPAN)),
        ("reason", pa.string()),
        ("detail", pa.string()),
    ]
)
"""A row for each note the engine was given; `text`, `tokens` and `spans` are null where `reason` is not."""
