"""Parquet and Delta tables as input: their columns, and their rows as a stream of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from deid_core.core.errors import ConfigurationError, DeidError, TryAgainError, quoted

_ROWS = 256
"""Rows of a Parquet file in memory at once: a text may have megabytes."""
_BUFFER_BYTES = 1_000_000
_GONE = "No such file"
"""In messages of delta-rs: a file of the table was removed meanwhile."""


class ParquetTable:
    """A Parquet file, or the .parquet files below a folder, with folders such as year=2012 as columns.

    modified_ns: when the newest file was written, nanoseconds since 1970.
    """

    def __init__(self, path: Path) -> None:
        self._files = sorted(path.rglob("[!._]*.parquet")) if path.is_dir() else [path]
        if not self._files:
            raise ConfigurationError(
                f"--input {quoted(path)}: is no Delta table and holds no .parquet file; is it mounted?"
            )
        self._stamps = self._now()
        self._dataset = ds.dataset(
            [str(file) for file in self._files],
            format="parquet",
            partitioning=ds.partitioning(flavor="hive"),
            partition_base_dir=str(path),
        )
        self.schema: pa.Schema = self._dataset.schema
        self.modified_ns = max(date for _, date in self._stamps)

    def has_changed(self) -> bool:
        """Return whether files were replaced or removed since the table was opened."""
        try:
            return self._now() != self._stamps
        except OSError:
            return True

    def count(self) -> int:
        """Return the number of rows."""
        return int(self._dataset.count_rows())

    def batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows, in the order of the files.

        A dataset's own scanner would hold a whole row group in memory, which may be all texts.
        """
        schema = pa.schema([self.schema.field(name) for name in columns])
        for fragment in self._dataset.get_fragments():
            folders = ds.get_partition_keys(fragment.partition_expression)
            with pq.ParquetFile(fragment.path, pre_buffer=False, buffer_size=_BUFFER_BYTES) as file:
                own = [name for name in columns if name in file.schema_arrow.names]
                for batch in file.iter_batches(_ROWS, columns=own, use_threads=False):
                    yield pa.RecordBatch.from_arrays(
                        [
                            batch[name].cast(schema.field(name).type)
                            if name in own
                            else pa.array([folders.get(name)] * len(batch), schema.field(name).type)
                            for name in columns
                        ],
                        schema=schema,
                    )

    def _now(self) -> list[tuple[int, int]]:
        """Return size and date of each file."""
        return [((status := file.stat()).st_size, status.st_mtime_ns) for file in self._files]


class DeltaTableVersion:
    """The version of a Delta table that is the latest when it is opened.

    modified_ns: when its log was written last, nanoseconds since 1970.
    """

    def __init__(self, path: Path) -> None:
        from deltalake import DeltaTable

        self._table = DeltaTable(str(path))
        self.schema: pa.Schema = pa.schema(self._table.schema().to_arrow())
        self.modified_ns = max(file.stat().st_mtime_ns for file in (path / "_delta_log").iterdir())

    def has_changed(self) -> bool:
        """Return false: a version stays as it is."""
        return False

    def count(self) -> int:
        """Return the number of rows."""
        return int(self._table.count())

    def batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows in any order, without those that a deletion vector masks."""
        from deltalake import QueryBuilder

        names = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        found = QueryBuilder().register("notes", self._table).execute(f"SELECT {names} FROM notes")  # noqa: S608
        yield from pa.RecordBatchReader.from_stream(found)


def open_table(path: Path) -> ParquetTable | DeltaTableVersion:
    """Return the table at a path. Raises ConfigurationError if it is none, or cannot be read."""
    if not path.exists():
        raise ConfigurationError(f"--input {quoted(path)}: there is no such file or folder")
    with errors_named(path):
        return DeltaTableVersion(path) if (path / "_delta_log").is_dir() else ParquetTable(path)


@contextmanager
def errors_named(path: Path, has_changed: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Name the table in an error of reading it. The error's own message may quote a value, so it is left out.

    has_changed: whether files of the table were replaced meanwhile.
    Raises TryAgainError if they were, or are gone, ConfigurationError otherwise.
    """
    try:
        yield
    except (DeidError, MemoryError):
        raise
    except Exception as error:
        if _GONE in str(error) or has_changed():
            raise changed(path) from None
        if isinstance(error, PermissionError):
            raise ConfigurationError(f"--input {quoted(path)}: this account may not read all of it") from None
        raise ConfigurationError(
            f"--input {quoted(path)}: cannot be read as a table ({type(error).__name__}): a file of it is damaged, "
            "files of it differ in their columns' types, or it uses a feature of Delta that is not known here"
        ) from None


def changed(path: Path) -> TryAgainError:
    """Return the error for a table whose files were replaced or removed while it was read."""
    return TryAgainError(
        f"--input {quoted(path)}: files of the table were replaced while it was read; run again when it is complete"
    )
