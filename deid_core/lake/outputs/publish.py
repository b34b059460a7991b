"""Keep copies of a lake's clean tables in a folder or on an object store, as Delta tables: `deid publish`.

Published are the tables that researchers need: texts, what was removed from them, counts of it per year, and the
runs. Tables that say how the removal may fail (dropped detections, the sweep, drift) stay with those who sign for it.
With the texts of a policy there are no places of removed spans: beside surrogates they tell which words are invented.

Only `clean` is read, so who publishes needs no right to read `restricted`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from deltalake.exceptions import CommitFailedError, DeltaError
from pyarrow.fs import FileSelector, FileType

from deid_core.core.errors import NO_ROOM, ConfigurationError, DamageFoundError, DeidError, TryAgainError, quoted
from deid_core.core.s3_url import S3Url
from deid_core.lake.layout import Lake
from deid_core.lake.object_store import file_system, store_error
from deid_core.lake.outputs.published_table import LakeVersion, PublishedTable, TableChange
from deid_core.lake.storage_errors import storage_error_text
from deid_core.lake.tables import delta_reader


class Published(NamedTuple):
    """A table of the lake whose copy is up to date. rows: that both have."""

    table: Path
    place: Path | S3Url
    rows: int
    change: TableChange


def tables_of(lake: Lake, texts: Path) -> list[Path]:
    """Return the tables that are published with these texts, in their order.

    A withdrawn note's text goes first. The runs come last: of a run that the copy lists, all else is there.
    """
    audit = [lake.phi_audit] if texts == lake.deidentified else []
    return [texts, *audit, lake.phi_counts, lake.runs]


def lake_id(lake: Lake) -> str:
    """Return what tells this lake from others: the id that Delta gave its table `clean/runs`."""
    return str(delta_reader.open_log(lake.runs).metadata().id)


def publish(lake: Lake, texts: Path, output: Path | S3Url) -> Iterator[Published]:
    """Bring the copies of the lake's tables to its state, and yield each that is done.

    texts: the table of texts, see export.texts_of. Raises ConfigurationError, before anything is changed, if a place is
    not that of such a copy; TryAgainError if the lake or a copy changed meanwhile, or a store does not answer;
    DamageFoundError if a table of the lake is damaged.
    """
    tables = tables_of(lake, texts)
    if missing := [table.name for table in tables if not delta_reader.exists(table)]:
        raise ConfigurationError(f"--lake {quoted(lake.root)}: lacks clean/{', clean/'.join(missing)}; a run makes it")
    with _errors_named(output):
        if problems := _problems(lake, {table.name for table in tables}, output):
            raise ConfigurationError(problems)
        identity = lake_id(lake)
        # Before the lake is read; published_table.py says why.
        copies = {table: PublishedTable(_below(output, table.name), identity) for table in tables}
        versions = {table: LakeVersion.of(table) for table in reversed(tables)}
        if problems := [told for table in tables if (told := copies[table].problem(versions[table]))]:
            raise ConfigurationError(problems)
        for table in tables:
            version = versions[table]
            try:
                change = copies[table].bring_to(version)
            except (FileNotFoundError, DamageFoundError):
                raise _changed(version, output) from None
            yield Published(table, copies[table].place, int(version.log.count()), change)


def _problems(lake: Lake, names: set[str], output: Path | S3Url) -> list[str]:
    """Return why no tables may lie below this place."""
    where = f"--output {quoted(output)}: "
    if isinstance(output, Path) and output.resolve().is_relative_to(lake.root):
        return [f"{where}lies in the lake; name a place outside of it"]
    store, path = file_system(output)
    if isinstance(output, S3Url):
        bucket = path.partition("/")[0]
        if store.get_file_info(bucket).type == FileType.NotFound:
            return [f"{where}there is no such bucket"]
    if store.get_file_info(path).is_file:
        return [f"{where}is a file; name a folder"]
    found = {file.base_name for file in store.get_file_info(FileSelector(path, allow_not_found=True))}
    if "_delta_log" in found:
        return [f"{where}is a Delta table; name the folder that holds the tables"]
    if isinstance(output, Path):
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if error.errno in NO_ROOM:
                raise
            return [f"{where}cannot be made: {error.strerror}"]
    of_policies = {name for name in found if name.startswith(lake.output("").name)}
    others = found & ({lake.deidentified.name, lake.phi_audit.name} | of_policies) - names
    return [
        f"{where}holds {name} of another --policy: together they tell which words are invented; name another place, "
        "or remove it"
        for name in sorted(others)
    ]


def _below(output: Path | S3Url, name: str) -> Path | S3Url:
    return S3Url(f"{output.path}/{name}") if isinstance(output, S3Url) else output.absolute() / name


def _changed(version: LakeVersion, output: Path | S3Url) -> DeidError:
    """Return the error for a file that was gone or had another size."""
    if int(delta_reader.version(version.path)) != int(version.log.version()):
        return TryAgainError(f"{version.path}: a run replaced files meanwhile; start again when it has ended")
    sizes = {name: (version.path / name) for name in version.files}
    if all(file.exists() and file.stat().st_size == version.files[name] for name, file in sizes.items()):
        return TryAgainError(f"--output {quoted(output)}: another program removed files there; start again")
    return DamageFoundError(version.path)


@contextmanager
def _errors_named(output: Path | S3Url) -> Iterator[None]:
    try:
        yield
    except DeidError:
        raise
    except CommitFailedError:
        raise TryAgainError(
            f"--output {quoted(output)}: another program wrote to a table there at the same time; start again"
        ) from None
    except (OSError, DeltaError) as error:
        if isinstance(output, S3Url):
            raise store_error(output, error, "--output") or error from None
        if isinstance(error, PermissionError):
            raise ConfigurationError(f"--output {quoted(output)}: cannot be written: {error.strerror}") from None
        if words := storage_error_text(error):
            raise TryAgainError(f"--output {quoted(output)}: {words}; what was published is whole") from None
        raise
