"""The lake's Delta tables and all ways to write them. columns.py has their columns; delta_reader.py reads them.

No value of a row but its year ever appears in a query's text: Spark writes plans into its event log, and Delta writes
predicates into its own. Delta also stores the smallest and largest values of a file in its log, so every table names
the columns for which it may.

All is written in this process with delta-rs, also what executors made (runs/staged_rows.py). On two cores it removes
the rows of 180 notes from 10 million in 9 seconds, where a merge in Spark takes a minute, and upserts rows into a
ledger of 180,900, rewritten as a whole, in less than one.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import CommitProperties, DeltaTable, Schema, write_deltalake

from deid_core.core.errors import ConfigurationError
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.columns import (
    DEIDENTIFIED,
    DETECTIONS,
    DROPPED,
    DROPPED_COUNTS,
    LEAK_SWEEP,
    LEDGER,
    OUTPUT,
    OUTPUT_FAILURES,
    PATIENT_CONFLICTS,
    PATIENT_EVIDENCE,
    PHI_AUDIT,
    PHI_COUNTS,
    RUN_PROFILES,
    RUNS,
    WITHDRAWN_PATIENTS,
)
from deid_core.lake.tables.file_rewriting import files_with, remove_rows

_REMOVED = ".removed"
"""The end of a folder's name that `Tables.remove_results` has renamed."""


@dataclass(frozen=True, slots=True)
class LakeTable:
    """A Delta table.

    statistics: the column whose smallest and largest values may appear in the log. by_year: partitioned by year.
    """

    path: Path
    columns: pa.Schema
    statistics: str
    by_year: bool = False

    @staticmethod
    def of_output(lake: Lake, policy: str) -> LakeTable:
        """Return the table of a policy's texts."""
        return LakeTable(lake.output(policy), OUTPUT, "note_id", by_year=True)

    @property
    def name(self) -> str:
        """Its path below the lake's root."""
        return "/".join(self.path.parts[-2:])

    @property
    def written(self) -> pa.Schema:
        """The columns without comments: delta-rs refuses rows with other comments than the table began with."""
        return pa.schema([column.remove_metadata() for column in self.columns])

    def create(self) -> None:
        """Create the table in its first commit if there is none. Its comments stay those of this commit."""
        if delta_reader.exists(self.path):
            return
        properties = {
            # Extremes of other columns must never get into the log.
            "delta.dataSkippingStatsColumns": self.statistics,
            # Deleted and replaced rows must leave the files, not be masked in them.
            "delta.enableDeletionVectors": "false",
        }
        DeltaTable.create(
            str(self.path),
            Schema.from_arrow(self.columns),
            partition_by=["year"] if self.by_year else None,
            configuration=properties,
        )

    def differences(self) -> list[str]:
        """Return how the columns on disk differ from those of this program; [] if there is no table."""
        if not delta_reader.exists(self.path):
            return []
        expected = delta_reader.types_of(Schema.from_arrow(self.columns))
        actual = delta_reader.column_types(self.path)
        missing = [f"lacks the column {name}" for name in expected if name not in actual]
        unknown = [f"has the unknown column {name}" for name in actual if name not in expected]
        retyped = [
            f"column {name} is {actual[name]}, not {kind}"
            for name, kind in expected.items()
            if name in actual and actual[name] != kind
        ]
        return [f"{self.path}: {difference}" for difference in missing + unknown + retyped]

    def add(self, *rows: Mapping[str, Any]) -> None:
        """Append rows in one commit."""
        write_deltalake(str(self.path), pa.Table.from_pylist(list(rows), schema=self.written), mode="append")

    def append(self, batches: Iterable[pa.RecordBatch], **constants: Any) -> None:
        """Append a stream of rows in one commit, a file for each year; none if there are no rows.

        constants: columns that have one value in all rows. Other columns of the batches are left out.
        """
        written = self.written

        def shaped(batch: pa.RecordBatch) -> pa.RecordBatch:
            columns = {name: pa.repeat(pa.scalar(value), len(batch)) for name, value in constants.items()}
            arrays = [columns[name] if name in columns else batch[name] for name in written.names]
            casted = [array.cast(column.type) for array, column in zip(arrays, written, strict=True)]
            return pa.RecordBatch.from_arrays(casted, schema=written)

        rows = (shaped(batch) for batch in batches if len(batch))
        if (first := next(rows, None)) is not None:
            stream = pa.RecordBatchReader.from_batches(written, chain((first,), rows))
            write_deltalake(str(self.path), stream, mode="append")

    def overwrite(self, rows: pa.Table, metadata: Mapping[str, Any]) -> None:
        """Replace all rows in one commit that carries `metadata` (JSON)."""
        properties = CommitProperties(custom_metadata={"userMetadata": json.dumps(metadata, sort_keys=True)})
        write_deltalake(str(self.path), rows.cast(self.written), mode="overwrite", commit_properties=properties)

    def upsert(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert or replace rows by note_id in one commit. Reads and writes the whole table."""
        new = pa.Table.from_pylist(list(rows), schema=self.written)
        others = ~pc.field("note_id").isin(new["note_id"].combine_chunks())
        kept = delta_reader.read(self.path, self.columns.names, where=others).cast(self.written)
        write_deltalake(str(self.path), pa.concat_tables([kept, new]).sort_by("note_id"), mode="overwrite")

    def year_of(self, file: Path) -> int | None:
        """Return the year of a data file's rows; None in a table without years."""
        return int(file.parent.name.removeprefix("year=")) if self.by_year else None

    def count_rows(self, note_ids: Collection[str]) -> int:
        """Return the number of rows of these notes."""
        return len(
            delta_reader.read(self.path, ["note_id"], where=pc.field("note_id").isin(_strings(note_ids)))["note_id"]
        )

    def files_of(self, note_ids: Collection[str]) -> list[Path]:
        """Return the data files that have rows of these notes, sorted."""
        with delta_reader.damage_named(self.path):
            return files_with(delta_reader.data_files(self.path), _strings(note_ids)) if note_ids else []

    def delete_notes(self, note_ids: Collection[str], files: Sequence[Path] | None = None) -> None:
        """Delete all rows of these notes in one commit; none if there are none. files: `files_of` them, if known."""
        if found := self.files_of(note_ids) if files is None else files:
            remove_rows(self.path, found, _strings(note_ids))

    def crowded(self, *, above_files: int, small_file_bytes: int) -> dict[int | None, int]:
        """Return the number of small files of each year that has more of them than `above_files`.

        A table without years has the year None.
        """
        small: Counter[int | None] = Counter()
        for file in delta_reader.data_files(self.path):
            small[self.year_of(file)] += file.stat().st_size < small_file_bytes
        return {year: files for year, files in small.items() if files > above_files}

    def compact(self, *, above_files: int, small_file_bytes: int) -> int:
        """Merge the small files of the years that are `crowded`. Return how many files were merged.

        The rows stay the same.
        """
        crowded = self.crowded(above_files=above_files, small_file_bytes=small_file_bytes)
        for year in sorted(crowded, key=str):
            optimize(str(self.path), year, small_file_bytes)
        return sum(crowded.values())

    def map_columns(self, year: int, values: Callable[[pa.RecordBatch], Mapping[str, pa.Array]]) -> None:
        """Replace columns of a year's rows by what `values` gives for the rows, in one commit."""
        # A stream, so that memory does not grow with the number of rows.
        old = delta_reader.stream(self.path, self.columns.names, where=pc.field("year") == year)

        def mapped(batch: pa.RecordBatch) -> pa.RecordBatch:
            columns = {name: batch[name] for name in old.schema.names} | dict(values(batch))
            return pa.RecordBatch.from_arrays(list(columns.values()), schema=old.schema)

        rows = pa.RecordBatchReader.from_batches(old.schema, map(mapped, old))
        write_deltalake(str(self.path), rows, mode="overwrite", predicate=f"year = {year}")


def _strings(values: Collection[str]) -> pa.Array:
    return pa.array(sorted(values), pa.string())


def optimize(table: str, year: int | None, target_bytes: int) -> None:
    """Merge the files of a year, or of a table without years, that are smaller than the target (Delta's OPTIMIZE)."""
    partition = None if year is None else [("year", "=", str(year))]
    DeltaTable(table).optimize.compact(partition_filters=partition, target_size=target_bytes)


class Tables:
    """The Delta tables of a lake, at their places, whether they exist or not."""

    def __init__(self, lake: Lake) -> None:
        self.ledger = LakeTable(lake.ledger, LEDGER, "note_id")
        self.detections = LakeTable(lake.detections, DETECTIONS, "note_id", by_year=True)
        self.dropped = LakeTable(lake.dropped, DROPPED, "note_id", by_year=True)
        self.patient_evidence = LakeTable(lake.patient_evidence, PATIENT_EVIDENCE, "note_id", by_year=True)
        self.patient_conflicts = LakeTable(lake.patient_conflicts, PATIENT_CONFLICTS, "note_id")
        self.withdrawn_patients = LakeTable(lake.withdrawn_patients, WITHDRAWN_PATIENTS, "run_id")
        self.output_failures = LakeTable(lake.output_failures, OUTPUT_FAILURES, "note_id")
        self.deidentified = LakeTable(lake.deidentified, DEIDENTIFIED, "note_id", by_year=True)
        self.phi_audit = LakeTable(lake.phi_audit, PHI_AUDIT, "note_id", by_year=True)
        self.phi_counts = LakeTable(lake.phi_counts, PHI_COUNTS, "spans")
        self.dropped_counts = LakeTable(lake.dropped_counts, DROPPED_COUNTS, "detections")
        self.leak_sweep = LakeTable(lake.leak_sweep, LEAK_SWEEP, "notes")
        self.runs = LakeTable(lake.runs, RUNS, "run_id")
        self.run_profiles = LakeTable(lake.run_profiles, RUN_PROFILES, "run_id")
        self.outputs = tuple(LakeTable.of_output(lake, policy) for policy in lake.outputs())
        """Of the policies that the lake has texts of, whether the settings name them or not."""

    def create(self) -> None:
        """Create the missing tables: all in a new lake, later ones in a lake of an older version."""
        for table in self.all():
            table.create()

    def check(self, *, upgrading: bool = False) -> None:
        """Raise ConfigurationError with all differences if another version of this program made the tables.

        A missing table is no difference. upgrading: tables that an upgrade removes may differ.
        """
        kept = self.all() if not upgrading else [table for table in self.all() if table not in self.of_notes()]
        differences = [line for table in kept for line in table.differences()]
        if differences and not upgrading and self.are_of_older_version:
            differences.append("the lake is of an older version of this program: `deid run` upgrades it")
        elif differences:
            differences.append("the lake is of another version of this program: use that one, or make a new lake")
        if differences:
            raise ConfigurationError(differences)

    def upgrade(self) -> list[str]:
        """Return what the next run does to a lake of an older version, a line for each; [] if it is of this one."""
        missing = [table for table in self.all() if not delta_reader.exists(table.path)]
        made = [f"{table.name}: made, since it is missing" for table in missing if table not in self.outputs]
        if not self.are_of_older_version:
            return made
        older = ", ".join(table.name for table in self.of_notes() if table not in missing)
        return [f"{older}: removed, and all notes are de-identified again from their raw notes", *made]

    def of_notes(self) -> tuple[LakeTable, ...]:
        """Return the tables with rows that the engine made of a note, in the order in which a note is withdrawn.

        The texts come first: no text ever exists without the audit of what was removed from it.
        """
        results = (self.deidentified, self.phi_audit, self.detections, self.dropped, self.patient_evidence)
        return (*self.outputs, *results)

    @property
    def are_of_older_version(self) -> bool:
        """Whether clean/phi_audit has places in the raw text, or texts lack columns that came later."""
        later = {self.deidentified.path: {"patient_key_id", "languages", "note_date"}}
        later |= {output.path: {"note_date"} for output in self.outputs}
        audit = self.phi_audit.path
        return (delta_reader.exists(audit) and "start" in delta_reader.columns(audit)) or any(
            delta_reader.exists(path) and not names.issubset(delta_reader.columns(path))
            for path, names in later.items()
        )

    def remove_results(self) -> None:
        """Remove the tables that the engine fills; the next run fills them again from the raw notes.

        Each is renamed first, so that a killed process leaves it whole or gone, and `delete_removed` deletes the rest.
        """
        for table in self.of_notes():
            removed = table.path.with_name(f".{table.path.name}{_REMOVED}")
            shutil.rmtree(removed, ignore_errors=True)
            with suppress(FileNotFoundError):
                table.path.rename(removed)
        self.delete_removed()

    def delete_removed(self) -> None:
        """Delete what `remove_results` has renamed, also that of a process that was killed."""
        for folder in {table.path.parent for table in self.of_notes()}:
            for removed in folder.glob(f".*{_REMOVED}"):
                shutil.rmtree(removed)

    def all(self) -> tuple[LakeTable, ...]:
        """Return every table."""
        return (*(table for table in vars(self).values() if isinstance(table, LakeTable)), *self.outputs)
