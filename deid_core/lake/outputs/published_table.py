"""A copy of a lake's Delta table in a folder or on an object store: the same data files, and a log of its own.

A data file never changes, and no other has its name. So a copy with the same files has the same rows, and the files
that only one of both tables has are all that there is to do. New files are put first. Then one commit names them and no
longer names the old ones; it fails if anybody wrote to the copy since it was opened. Then the old files are removed. A
kill leaves a complete table, from before or after the commit, and files that it does not name. The next call uses or
removes these.

Two processes may work on one copy at once if each opens it before it reads the lake. Only one of them commits. A file
that one has put for a newer state of the lake is never removed as an old one: who sees it reads the lake later.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, RemoveAction
from pyarrow.fs import FileSelector, LocalFileSystem, copy_files

from deid_core.core.errors import DamageFoundError, quoted
from deid_core.core.s3_url import S3Url
from deid_core.lake.object_store import delta_options, file_system
from deid_core.lake.tables import delta_reader, file_rewriting

_LOG = "_delta_log/"
_UNNAMED = ".part"
"""Ending of a file that is being written into a folder, or that a kill cut short."""


class LakeVersion(NamedTuple):
    """The latest version of a lake's table. files: size in bytes by path below the table."""

    path: Path
    log: DeltaTable
    files: dict[str, int]

    @staticmethod
    def of(table: Path) -> LakeVersion:
        """Read it. Raises DamageFoundError."""
        log = delta_reader.open_log(table)
        return LakeVersion(table, log, _files(log))

    @property
    def columns(self) -> dict[str, str]:
        """The type of each column, as Delta names it."""
        return delta_reader.types_of(self.log.schema())


class TableChange(NamedTuple):
    """What was done to a copy. version: the number of its last commit. added, removed: files that it names or no longer
    names.
    """

    version: int
    added: int
    removed: int


class PublishedTable:
    """The copy of a table at a place, as it was when this object was made. Its folder belongs to `deid publish`."""

    def __init__(self, place: Path | S3Url, lake_id: str) -> None:
        """lake_id: see publish.lake_id. Raises OSError and DeltaError."""
        self.place = place
        self._mark = {"deid": "publish", "lake": lake_id}
        self._store, self._path = file_system(place)
        below = self._store.get_file_info(FileSelector(self._path, recursive=True, allow_not_found=True))
        self._found = {file.path.removeprefix(f"{self._path}/"): file.size for file in below if file.is_file}
        self._log: DeltaTable | None = None
        self._is_damaged = False
        if any(name.startswith(_LOG) and name.endswith(".json") for name in self._found):
            try:
                self._log = DeltaTable(str(place), storage_options=delta_options(place))
            except DeltaError:
                self._is_damaged = True

    def problem(self, table: LakeVersion) -> str | None:
        """Return why this copy cannot be brought to the state of the lake's table; None if it can."""
        where = f"--output {quoted(self.place)}: "
        remedy = "; name another place, or remove it"
        if self._is_damaged:
            return f"{where}is a Delta table whose log cannot be read{remedy}"
        if self._log is None:
            return f"{where}is not empty, and no Delta table; name another place" if self._found else None
        last = self._last_mark(int(self._log.version()))
        if last.keys() != self._mark.keys() or last["deid"] != self._mark["deid"]:
            return f"{where}another program made or changed this table{remedy}: only `deid publish` may write there"
        if last != self._mark:
            return f"{where}is a copy of another lake's table; name another place"
        if delta_reader.types_of(self._log.schema()) != table.columns:
            return f"{where}has other columns than the lake, which was upgraded{remedy}"
        return None

    def bring_to(self, table: LakeVersion) -> TableChange:
        """Give the copy the state of the lake's table. Commits nothing if it has it.

        Raises CommitFailedError if another program wrote to the copy meanwhile, FileNotFoundError if a file of the lake
        is gone, DamageFoundError if one has another size, OSError and DeltaError.
        """
        log = self._log or self._create(table.log)
        named = _files(log)
        for name, size in table.files.items():
            if self._found.get(name) != size:
                if (table.path / name).stat().st_size != size:
                    raise DamageFoundError(table.path)
                self._put(table.path / name, name)
        added, removed = sorted(table.files.keys() - named.keys()), sorted(named.keys() - table.files.keys())
        if added or removed:
            new = [file_rewriting.added(name, table.path / name) for name in added]
            self._commit(log, new, [file_rewriting.removed(name, named[name]) for name in removed])
        for name in self._found:
            if _is_data(name) and name not in table.files:
                self._delete(name)
        # The commit does not move the object that it was made with.
        return TableChange(int(log.version()) + bool(added or removed), len(added), len(removed))

    def _last_mark(self, version: int) -> Mapping[str, object]:
        """Return what the last commit says of itself; {} if it was not one of `deid publish`."""
        try:
            with self._store.open_input_stream(f"{self._path}/{_LOG}{version:020}.json") as file:
                actions = [json.loads(line) for line in file.read().splitlines()]
            said = next((info.get("userMetadata") for action in actions if (info := action.get("commitInfo"))), None)
            mark = json.loads(said or "{}")
        except (FileNotFoundError, ValueError):
            return {}
        return mark if isinstance(mark, dict) else {}

    def _create(self, log: DeltaTable) -> DeltaTable:
        """Create the copy without rows, so that whatever lies in its folder from now on is its own."""
        try:
            return DeltaTable.create(
                str(self.place),
                log.schema(),
                mode="error",
                partition_by=log.metadata().partition_columns,
                configuration=log.metadata().configuration,
                storage_options=delta_options(self.place),
                commit_properties=self._properties(),
            )
        except DeltaError as error:
            if "already exists" in str(error):
                raise CommitFailedError("another process created it") from None
            raise

    def _commit(self, log: DeltaTable, added: list[AddAction], removed: list[RemoveAction]) -> None:
        file_rewriting.commit(log, added, removed, self._properties())

    def _properties(self) -> CommitProperties:
        """No retries: a commit follows the version that was looked at, or fails."""
        mark = {"userMetadata": json.dumps(self._mark, sort_keys=True)}
        return CommitProperties(custom_metadata=mark, max_commit_retries=0)

    def _put(self, source: Path, name: str) -> None:
        """Write a file as a whole. One that is there is replaced."""
        target = f"{self._path}/{name}"
        if isinstance(self.place, S3Url):
            copy_files(str(source), target, source_filesystem=LocalFileSystem(), destination_filesystem=self._store)
            return
        file = Path(target)
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f"{uuid4().hex}{_UNNAMED}")
        try:
            shutil.copyfile(source, new)
            new.replace(file)
        except BaseException:
            new.unlink(missing_ok=True)
            raise

    def _delete(self, name: str) -> None:
        if isinstance(self.place, S3Url):
            self._store.delete_file(f"{self._path}/{name}")
        else:
            Path(self._path, name).unlink(missing_ok=True)


def _files(log: DeltaTable) -> dict[str, int]:
    actions = pa.table(log.get_add_actions(flatten=True))
    return dict(zip(actions["path"].to_pylist(), actions["size_bytes"].to_pylist(), strict=True))


def _is_data(name: str) -> bool:
    """Return whether a file lies where data files of a table lie: another table may lie below."""
    *folders, file = name.split("/")
    return all("=" in folder for folder in folders) and file.endswith((".parquet", _UNNAMED))
