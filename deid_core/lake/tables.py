"""The lake's Delta tables: their columns, how they are made and how rows are put into them. delta_reader.py reads them.

No value of a row but its year ever stands in a query's text: Spark writes plans into its event log, Delta predicates
into its own. And Delta notes each file's smallest and largest values in its log, so every table says which columns that
may be.

Spark adds what executors made (spark/append.py). All else is done in this process with delta-rs, which on two cores
takes the rows of 180 notes out of 10 million in 9 seconds where a merge in Spark takes a minute, and puts rows into a
ledger of 180,900, written as a whole, in less than one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import CommitProperties, DeltaTable, Schema, write_deltalake

from deid_core.core.errors import ConfigurationError
from deid_core.lake import delta_reader
from deid_core.lake.layout import Lake

TEXT, INT, LONG, DOUBLE, TIME = pa.string(), pa.int32(), pa.int64(), pa.float64(), pa.timestamp("us", "UTC")


def _column(name: str, kind: pa.DataType, comment: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable, {"comment": comment})


_NOTE_ID = _column("note_id", TEXT, "Keyed hash of the file's path below the input folder.")
_YEAR = _column("year", INT, "The note's year, four digits.")
_RUN_ID = _column("run_id", TEXT, "The run that wrote the row.")

LEDGER = pa.schema(
    [
        _NOTE_ID,
        _column("path", TEXT, "The file, below the input folder. File names hold names."),
        _column("size_bytes", LONG, "As the file system said when the file was listed."),
        _column("mtime_ns", LONG, "The file's date, in nanoseconds since 1970, when it was listed."),
        _column("sha256", TEXT, "Of the file's bytes, hexadecimal; empty if they could not be read."),
        _column("state", TEXT, "converted, quarantined or deleted."),
        _column("reason", TEXT, "Why it is quarantined: a word of a closed list.", nullable=True),
        _column("detail", TEXT, "More on the reason, never a note's text.", nullable=True),
        _column("batch", TEXT, "Where in restricted/notes its text lies; null if nowhere.", nullable=True),
        _column("year", INT, "The note's year.", nullable=True),
        _column("year_source", TEXT, "Where the year is from: path, header or file.", nullable=True),
        _column("reader", TEXT, "Fingerprint of the settings and code it was read with."),
        _column("pipeline", TEXT, "Fingerprint of the pipeline that failed on the note.", nullable=True),
        _RUN_ID,
    ]
)

DEIDENTIFIED = pa.schema(
    [
        _NOTE_ID,
        _YEAR,
        _column("batch", TEXT, "Opaque: the batch of raw notes this was made from."),
        _column("text", TEXT, "The note with placeholders in place of what identifies."),
        _column("tokens", INT, "Tokens of the note before redaction."),
        _column("fingerprint", TEXT, "Of the pipeline: configuration, lists, models, code version."),
        _RUN_ID,
    ]
)

PHI_AUDIT = pa.schema(
    [
        _NOTE_ID,
        _YEAR,
        _column("start", INT, "Of the span in the note's raw text, in code points."),
        _column("end", INT, "First code point behind the span."),
        _column("output_start", INT, "Of the placeholder in the redacted text."),
        _column("output_end", INT, "First code point behind the placeholder."),
        _column("label", TEXT, "Class of the span, as in its placeholder."),
        _column("type", TEXT, "Finer type below the label."),
        _column("recogniser", TEXT, "Which recogniser found it."),
        _column("rule", TEXT, "Which of its rules or lists."),
        _column("score", DOUBLE, "How sure the rule is, 0 to 1."),
    ]
)

PHI_COUNTS = pa.schema(
    [
        _YEAR,
        _column("label", TEXT, "Class of the spans."),
        _column("recogniser", TEXT, "Which recogniser found them."),
        _column("notes", LONG, "Notes of the year with at least one such span."),
        _column("spans", LONG, "Such spans in the year."),
        _column("tokens", LONG, "Tokens of all notes of the year, before redaction."),
        _column("per_1000_tokens", DOUBLE, "Spans per 1,000 tokens of the year, to three decimals."),
    ]
)

RUNS = pa.schema(
    [
        _RUN_ID,
        _column("started", TIME, "When the run began."),
        _column("finished", TIME, "When it wrote this row."),
        _column("pipeline", TEXT, "The pipeline's name."),
        _column("fingerprint", TEXT, "The pipeline's fingerprint."),
        _column("reader", TEXT, "Fingerprint of the settings and code that files were read with."),
        _column("versions", pa.map_(TEXT, TEXT), "Of the programs that took part."),
        _column("counts", pa.map_(TEXT, LONG), "Notes in and out of each stage, spans, tokens."),
        _column("seconds", pa.map_(TEXT, DOUBLE), "Wall time of each stage."),
        _column("tokens_per_second", DOUBLE, "Tokens de-identified by second of that stage; 0 if it had none."),
    ]
)


@dataclass(frozen=True, slots=True)
class Table:
    """A Delta table: where it lies, its columns, what it is split by, and whose extremes its log may tell."""

    path: Path
    columns: pa.Schema
    statistics: str
    by_year: bool = False

    def create(self) -> None:
        """Makes the table if there is none, by its first commit alone.

        Extremes of other columns than `statistics` never get into its log.
        """
        if delta_reader.exists(self.path):
            return
        properties = {
            "delta.dataSkippingStatsColumns": self.statistics,
            # What is deleted or replaced must leave the files, not be masked in them.
            "delta.enableDeletionVectors": "false",
        }
        DeltaTable.create(
            str(self.path),
            Schema.from_arrow(self.columns),
            partition_by=["year"] if self.by_year else None,
            configuration=properties,
        )

    def differences(self) -> list[str]:
        """How the columns of the table on the disk differ from those of this program; [] if there is no table."""
        if not delta_reader.exists(self.path):
            return []
        here = delta_reader.types_of(Schema.from_arrow(self.columns))
        there = delta_reader.column_types(self.path)
        lacks = [f"lacks the column {name}" for name in here if name not in there]
        more = [f"has the column {name} more" for name in there if name not in here]
        other = [
            f"column {name} is {there[name]}, not {kind}"
            for name, kind in here.items()
            if name in there and there[name] != kind
        ]
        return [f"{self.path}: {what}" for what in lacks + more + other]

    def add(self, row: Mapping[str, Any]) -> None:
        """Adds a row in one commit."""
        write_deltalake(str(self.path), pa.Table.from_pylist([row], schema=self.columns), mode="append")

    def overwrite(self, rows: pa.Table, note: Mapping[str, Any]) -> None:
        """Replaces all rows in one commit that carries `note` (JSON)."""
        properties = CommitProperties(custom_metadata={"userMetadata": json.dumps(note, sort_keys=True)})
        write_deltalake(str(self.path), rows.cast(self.columns), mode="overwrite", commit_properties=properties)

    def upsert(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Adds or replaces rows, by note_id, in one commit; the table is read and written as a whole."""
        new = pa.Table.from_pylist(list(rows), schema=self.columns)
        others = ~pc.field("note_id").isin(new["note_id"].combine_chunks())
        kept = delta_reader.read(self.path, self.columns.names, where=others).cast(self.columns)
        write_deltalake(str(self.path), pa.concat_tables([kept, new]).sort_by("note_id"), mode="overwrite")

    def take_out(self, note_ids: Collection[str]) -> None:
        """Takes out all rows of these notes, a commit for each year that has some; commits nothing if none has."""
        wanted = pc.field("note_id").isin(pa.array(sorted(note_ids), pa.string()))
        for year in sorted(pc.unique(delta_reader.read(self.path, ["year"], where=wanted)["year"]).to_pylist()):
            self._rewrite(year, (pc.field("year") == year) & ~wanted)

    def compact(self, *, above_files: int, small_file_bytes: int) -> int:
        """Writes each year anew, or a table that has none, that has more small files than this.

        Returns how many files were replaced. The rows are the same afterwards.
        """
        small: Counter[int | None] = Counter()
        for file in delta_reader.data_files(self.path):
            year = int(file.parent.name.removeprefix("year=")) if self.by_year else None
            small[year] += file.stat().st_size < small_file_bytes
        crowded = sorted((year for year, files in small.items() if files > above_files), key=str)
        for year in crowded:
            self._rewrite(year, None if year is None else pc.field("year") == year)
        return sum(small[year] for year in crowded)

    def change(self, year: int, column: str, changed: Callable[[pa.RecordBatch], pa.Array]) -> None:
        """Gives a column of a year's rows the values that `changed` makes of the rows, in one commit."""
        number = self.columns.get_field_index(column)
        old = delta_reader.stream(self.path, self.columns.names, where=pc.field("year") == year)
        rows = (batch.set_column(number, old.schema.field(number), changed(batch)) for batch in old)
        self._replace(year, pa.RecordBatchReader.from_batches(old.schema, rows))

    def _rewrite(self, year: int | None, kept: pc.Expression | None) -> None:
        """Replaces a year's rows, or all, by those of them that are kept, streamed: memory does not grow with them."""
        self._replace(year, delta_reader.stream(self.path, self.columns.names, where=kept))

    def _replace(self, year: int | None, rows: pa.RecordBatchReader) -> None:
        write_deltalake(str(self.path), rows, mode="overwrite", predicate=None if year is None else f"year = {year}")


@dataclass(frozen=True, slots=True)
class Tables:
    """The five Delta tables of a lake."""

    ledger: Table
    deidentified: Table
    phi_audit: Table
    phi_counts: Table
    runs: Table

    @staticmethod
    def of(lake: Lake) -> Tables:
        """The tables at their places in a lake; none is made."""
        return Tables(
            ledger=Table(lake.ledger, LEDGER, "note_id"),
            deidentified=Table(lake.deidentified, DEIDENTIFIED, "note_id", by_year=True),
            phi_audit=Table(lake.phi_audit, PHI_AUDIT, "note_id", by_year=True),
            phi_counts=Table(lake.phi_counts, PHI_COUNTS, "spans"),
            runs=Table(lake.runs, RUNS, "run_id"),
        )

    def create(self) -> None:
        """Makes those that are not there."""
        for table in self.all():
            table.create()

    def check(self) -> None:
        """Raises ConfigurationError with all differences if another version of this program made the tables."""
        if differences := [line for table in self.all() for line in table.differences()]:
            differences.append("the lake is of another version of this program: use that one, or make a new lake")
            raise ConfigurationError(differences)

    def all(self) -> tuple[Table, ...]:
        """Every one of them, whatever tables come to be here."""
        return tuple(getattr(self, table.name) for table in fields(self))
