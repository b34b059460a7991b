"""Parquet and Delta tables as input: their columns, and their rows as a stream of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow.fs import FileInfo, FileSelector, FileSystem, FileType

from deid_core.core.errors import ConfigurationError, DeidError, TryAgainError, quoted
from deid_core.core.s3_url import S3Url
from deid_core.lake.object_store import delta_options, file_system, store_error
from deid_core.readers.source_listing import not_read_as

_ROWS = 256
"""Rows of a Parquet file in memory at once: a text may have megabytes."""
_BUFFER_BYTES = 1_000_000
_GONE = ("No such file", "not found: No such", "AWS Error NO_SUCH_KEY", "404 Not Found")
"""In messages of delta-rs and Arrow: a file of the table was removed meanwhile."""


class ParquetTable:
    """A Parquet file, or the .parquet files below a folder, with folders such as year=2012 as columns.

    modified_ns: when the newest file was written, nanoseconds since 1970.
    """

    def __init__(self, files: FileSystem, path: str, found: list[FileInfo]) -> None:
        """path: of the table. found: its .parquet files."""
        self._files = files
        self._paths = [file.path for file in found]
        self._stamps = [_stamp(file) for file in found]
        self._dataset = ds.dataset(
            self._paths,
            filesystem=files,
            format="parquet",
            partitioning=ds.partitioning(flavor="hive"),
            partition_base_dir=path,
        )
        self.schema: pa.Schema = self._dataset.schema
        self.modified_ns = max(file.mtime_ns or 0 for file in found)

    def has_changed(self) -> bool:
        """Return whether files were replaced or removed since the table was opened."""
        try:
            return [_stamp(file) for file in self._files.get_file_info(self._paths)] != self._stamps
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
            # Spark writes checksums of pages; unless they are looked at, a changed byte of a text goes unnoticed.
            with pq.ParquetFile(
                fragment.path,
                filesystem=self._files,
                pre_buffer=False,
                buffer_size=_BUFFER_BYTES,
                page_checksum_verification=True,
            ) as file:
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


class DeltaTableVersion:
    """The version of a Delta table that is the latest when it is opened.

    modified_ns: when its log was written last, nanoseconds since 1970.
    """

    def __init__(self, place: Path | S3Url, log: list[FileInfo]) -> None:
        """log: the files of its log."""
        from deltalake import DeltaTable

        self._table = DeltaTable(str(place), storage_options=delta_options(place))
        self.schema: pa.Schema = pa.schema(self._table.schema().to_arrow())
        self.modified_ns = max(file.mtime_ns or 0 for file in log)

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


def open_table(place: Path | S3Url) -> ParquetTable | DeltaTableVersion:
    """Return the table at a place.

    Raises ConfigurationError if it is none, or cannot be read, TryAgainError if a store does not answer.
    """
    with errors_named(place):
        files, path = file_system(place)
        root = files.get_file_info(path)
        if root.type == FileType.NotFound:
            raise ConfigurationError(f"--input {quoted(place)}: there is no such file or folder")
        if root.is_file:
            return ParquetTable(files, path, [root])
        if log := files.get_file_info(FileSelector(f"{path}/_delta_log", allow_not_found=True)):
            return DeltaTableVersion(place, log)
        below = files.get_file_info(FileSelector(path, recursive=True))
        found = [file for file in below if file.extension == "parquet" and not file.base_name.startswith((".", "_"))]
        if not found and any(not_read_as(file.base_name) is None for file in below if file.is_file):
            raise ConfigurationError(
                f"--input {quoted(place)}: holds letters and no table: leave out --input-format and the columns"
            )
        if not found:
            raise ConfigurationError(
                f"--input {quoted(place)}: is no Delta table and holds no .parquet file; is it mounted?"
            )
        return ParquetTable(files, path, sorted((file for file in found if file.is_file), key=lambda file: file.path))


def _stamp(file: FileInfo) -> tuple[int | None, int | None]:
    """Return size and date; None for a file that is gone."""
    return file.size, file.mtime_ns


@contextmanager
def errors_named(path: Path | S3Url, has_changed: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Name the table in an error of reading it. The error's own message may quote a value, so it is left out.

    has_changed: whether files of the table were replaced meanwhile.
    Raises TryAgainError if they were, or are gone, ConfigurationError otherwise.
    """
    try:
        yield
    except (DeidError, MemoryError):
        raise
    except Exception as error:
        if any(gone in str(error) for gone in _GONE):
            raise changed(path) from None
        if isinstance(path, S3Url) and (refused := store_error(path, error)):
            raise refused from None
        if has_changed():
            raise changed(path) from None
        if isinstance(error, PermissionError):
            raise ConfigurationError(f"--input {quoted(path)}: this account may not read all of it") from None
        raise ConfigurationError(
            f"--input {quoted(path)}: cannot be read as a table ({type(error).__name__}): a file of it is damaged, "
            "files of it differ in their columns' types, or it uses a feature of Delta that is not known here"
        ) from None


def changed(path: Path | S3Url) -> TryAgainError:
    """Return the error for a table whose files were replaced or removed while it was read."""
    return TryAgainError(
        f"--input {quoted(path)}: files of the table were replaced while it was read; run again when it is complete"
    )
