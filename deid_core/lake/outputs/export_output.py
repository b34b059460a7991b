"""Where an export goes: a new folder, or a new prefix of an object store. An output that is there is whole.

A folder is written beside its name and renamed. A store has no renaming: the file is put whole, and after it `_SUCCESS`
with its checksum, as `sha256sum` writes it. A prefix without `_SUCCESS` is an export that did not end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from pyarrow.fs import FileSelector, FileSystem, LocalFileSystem, copy_files

from deid_core.core.errors import NO_ROOM, ConfigurationError, quoted
from deid_core.core.files import content_sha256, new_folder, part_of
from deid_core.core.s3_url import S3Url
from deid_core.lake.object_store import StoreAddress, store_error

SUCCESS = "_SUCCESS"


def new_output(place: Path | S3Url) -> AbstractContextManager[Path]:
    """Return a context that gives a folder to write files into. They are at `place` once it was left without an error.

    Raises ConfigurationError if there is something at the place or it cannot be made, TryAgainError if a store does not
    answer.
    """
    return _new_folder(place) if isinstance(place, Path) else _new_prefix(place)


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    try:
        if folder.exists() and any(folder.iterdir()):
            raise ConfigurationError(f"--output {quoted(folder)}: is not empty; name a new folder")
        part_of(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        raise ConfigurationError(f"--output {quoted(error.filename)}: cannot be made: {error.strerror}") from None
    with new_folder(folder) as part:
        yield part


@contextmanager
def _new_prefix(place: S3Url) -> Iterator[Path]:
    store = StoreAddress.from_environment().connect()
    with _errors_named(place):
        if _holds_something(store, place.path):
            raise ConfigurationError(
                f"--output {quoted(place)}: is not empty; name a new prefix, or remove what is there if it has no "
                f"{SUCCESS}, from an export that did not end"
            )
    with tempfile.TemporaryDirectory(prefix="deid-") as folder:
        yield Path(folder)
        with _errors_named(place):
            _put(sorted(Path(folder).iterdir()), store, place.path)


def _holds_something(store: FileSystem, path: str) -> bool:
    if store.get_file_info(path).is_file:
        return True
    try:
        return bool(store.get_file_info(FileSelector(path)))
    except FileNotFoundError:
        return False


def _put(files: list[Path], store: FileSystem, path: str) -> None:
    """Put the files, and last their checksums. Removes them again if that fails, so that the prefix stays new."""
    checksums = "".join(f"{content_sha256(file)}  {file.name}\n" for file in files)
    try:
        for file in files:
            copy_files(
                str(file), f"{path}/{file.name}", source_filesystem=LocalFileSystem(), destination_filesystem=store
            )
        with store.open_output_stream(f"{path}/{SUCCESS}") as sink:
            sink.write(checksums.encode())
    except BaseException:
        for name in (SUCCESS, *(file.name for file in files)):
            with suppress(OSError):
                store.delete_file(f"{path}/{name}")
        raise


@contextmanager
def _errors_named(place: S3Url) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise store_error(place, error, "--output") or error from None
