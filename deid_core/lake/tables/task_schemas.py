"""Arrow schemas of the rows that executors return: files that were read, and notes that the engine processed.

These rows go to the staging folder only. The columns of the lake's tables are in columns.py.
"""

from __future__ import annotations

import pyarrow as pa

LISTING = pa.schema(
    [
        ("note_id", pa.string()),
        ("path", pa.binary()),  # absolute, in the file system's own bytes
        ("source", pa.string()),  # below the input folder, printable; a row's id
        ("mtime_ns", pa.int64()),
        ("known_sha256", pa.string()),  # "": read it in any case
        ("sha256", pa.string()),  # from here on for rows of a table
        ("content", pa.large_binary()),
        ("is_text", pa.bool_()),  # else the content is a file's
        ("year", pa.int32()),
        ("patient", pa.string()),
        ("reason", pa.string()),  # why it is not to be read
        ("detail", pa.string()),
    ]
)
"""The notes that executors are to read, and of rows of a table what these hold."""

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
        ("patient", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
    ]
)
"""A row for each note of the listing. `outcome` and `year` become folders. Columns from `text` on are null where they
do not apply; `patient` is what a column of the source says."""

NOTE = pa.schema(
    [(name, READ.field(name).type) for name in ("note_id", "text", "blocks", "patient", "year")]
    + [("batch", pa.string())]
)
"""What the engine needs of a raw note. `year` and `batch` are folders. A file of restricted/notes has the columns
STORED, of which `reason` and `detail` are null. One that a version before 0.5 wrote lacks `patient`."""

RAW_NOTE = pa.schema(
    [
        ("note_id", pa.string()),
        ("year", pa.int32()),
        ("batch", pa.string()),
        ("file", pa.string()),  # its path
        ("row_group", pa.int32()),
    ]
)
"""Where a raw note is: what executors are told of the notes that they run the engine over."""

STORED = pa.schema([field for field in READ if field.name not in ("outcome", "year")])
"""The columns of a file of restricted/notes."""

_DETECTION = [
    ("label", pa.string()),
    ("type", pa.string()),
    ("recogniser", pa.string()),
    ("rule", pa.string()),
    ("score", pa.float64()),
]
_RANGE = [("start", pa.int32()), ("end", pa.int32())]

SPAN = pa.struct([*_RANGE, ("output_start", pa.int32()), ("output_end", pa.int32()), *_DETECTION])

DROPPED = pa.struct([*_RANGE, *_DETECTION, ("reason", pa.string())])

COLUMN = pa.schema([("text", pa.string()), ("spans", pa.list_(SPAN)), ("error", pa.string())])
"""What `spark.functions.deidentify` returns for a text: the redacted text and its spans, or the reason of a failure."""

OUTPUT = pa.schema(
    [
        ("note_id", pa.string()),
        ("year", pa.int32()),
        ("note_date", pa.date32()),  # as the policy leaves it
        ("text", pa.string()),
        ("unparsed", pa.int32()),
        ("reason", pa.string()),
    ]
)
"""A row for each note that a policy was applied to. `note_date`, `text` and `unparsed` are null if there is a
`reason`."""

PATIENT_EVIDENCE = pa.struct([("kind", pa.string()), ("value", pa.string())])

REDACTED = pa.schema(
    [
        ("note_id", pa.string()),
        ("year", pa.int32()),
        ("batch", pa.string()),
        ("text", pa.string()),
        ("tokens", pa.int32()),
        ("languages", pa.string()),
        ("spans", pa.list_(SPAN)),
        ("dropped", pa.list_(DROPPED)),
        ("patient_evidence", pa.list_(PATIENT_EVIDENCE)),
        ("refused", pa.int32()),
        ("reason", pa.string()),
        ("detail", pa.string()),
    ]
)
"""A row for each note that the engine processed. From `text` to `refused` all is null if there is a
`reason`."""
