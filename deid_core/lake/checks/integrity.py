"""Find damaged files of a lake, and remove those whose content the next stages make again.

Each run compares with the recorded checksums (checksums.py) all sizes, the content of the ledger, of what it is about
to read or to rewrite, and of every thirtieth other file, another thirtieth each day; `deid check` compares all.

What can be made again is removed: raw notes are read from the input folder again, the notes of a year are de-identified
again, counts are counted again. Commits that an interrupted run left half written, as a power cut does, are taken back.
Nothing else is ever removed here.
"""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from deid_core.core.errors import DamagedLakeError, DamageFoundError
from deid_core.core.files import content_sha256
from deid_core.lake.checks import checksums
from deid_core.lake.checks.checksums import SUFFIXES, Checksums
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import LakeTable, Tables

DAYS = 30
"""A file that stays is read once in so many daily runs."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged file.

    table: its path below the lake's root, as `file` is. version: of a Delta table, -1 if its log cannot be read, None
    for raw notes. in_log: the file is of the table's log. since_run: only commits are damaged that were made after the
    last run that ended.
    """

    table: str
    version: int | None
    file: str
    problem: str
    in_log: bool = False
    since_run: bool = False

    @property
    def made_again(self) -> bool:
        """Whether `mend` removes it, and the next stages make its rows again."""
        made_again = self.table in ("restricted/notes", *_OF_NOTES) or self.is_output
        return self.since_run or self.table in (*_MADE_WHOLE, _BEGUN_ANEW) or (made_again and not self.in_log)

    @property
    def is_output(self) -> bool:
        """Whether it is of texts of a policy, made from raw notes and detections."""
        return self.table.startswith("clean/deidentified_")

    @property
    def remedy(self) -> str:
        """What is done about it, or has to be done."""
        if self.table == "restricted/notes":
            return "a run reads its notes from the input folder again"
        if self.table in _MADE_WHOLE:
            return "a run makes the table again"
        if self.since_run:
            return "a run takes back what an interrupted run committed, and does it again"
        if self.table in _OF_NOTES and not self.in_log:
            return f"a run de-identifies the notes of {_year_of(self.file)} again"
        if self.is_output and not self.in_log:
            return f"a run with this policy makes its texts of {_year_of(self.file)} again"
        if self.table == _BEGUN_ANEW:
            return "a run begins a new table, without the earlier rows"
        away = "; or move that folder away, and a run"
        restore = f"restore the folder {self.table} from a backup"
        if self.table in _OF_NOTES:
            return f"restore {_listed(_OF_NOTES)} from one backup; or move them away, and a run makes them again"
        if self.table == "restricted/ledger":
            return f"{restore}{away} reads all files again"
        if self.is_output:
            return f"{restore}{away} with this policy makes it again"
        return f"{restore}{away} begins a new table, without the earlier rows"

    def __str__(self) -> str:
        version = "" if self.version is None or self.version < 0 else f", version {self.version}"
        return f"{self.table}{version}: {self.file} {self.problem}: {self.remedy}"


_OF_NOTES = (
    "clean/deidentified",
    "clean/phi_audit",
    "restricted/detections",
    "restricted/dropped",
    "restricted/patient_evidence",
)
_MADE_WHOLE = (
    "clean/phi_counts",
    "clean/dropped_counts",
    "clean/leak_sweep",
    "restricted/patient_conflicts",
    "restricted/output_failures",
)
"""Tables that are made from others as a whole."""
_BEGUN_ANEW = "clean/run_profiles"
"""A table whose earlier rows can be done without."""


def damages(lake: Lake, *, day: int | None = None) -> list[Damage]:
    """Return the damaged files of the tables and of the raw notes, by table.

    day: a number that is one more each day; of most files only the size is compared. None: all files are read.
    """
    recorded = checksums.recorded(lake)
    found = [damage for table in Tables(lake).all() for damage in _of_table(lake, table, recorded, day)]
    return found + list(_of_raw_notes(lake, recorded or {}, day))


def check_raw_notes(lake: Lake, folders: Collection[Path]) -> None:
    """Compare the content of raw notes that are about to be read: Spark may read a damaged file without noticing.

    Raises DamageFoundError. Files that this run wrote have no checksum yet and pass.
    """
    recorded = checksums.recorded(lake) or {}
    names = {str(folder.relative_to(lake.root)) for folder in folders}
    files = [lake.root / name for name in recorded if name.rpartition("/")[0] in names]
    if any(_problem(lake, file, recorded, day=None) for file in files):
        raise DamageFoundError(lake.notes)


def check_years(lake: Lake, table: LakeTable, years: Collection[int | None]) -> None:
    """Compare the content of a table's files of some years, before they are rewritten: damage would be copied.

    years: None is a table without years. Raises DamageFoundError. Files that this run wrote have no checksum yet and
    pass.
    """
    files = delta_reader.data_files(table.path) if years else []
    check_files(lake, table, [file for file in files if table.year_of(file) in years])


def check_files(lake: Lake, table: LakeTable, files: Iterable[Path]) -> None:
    """Compare the content of data files of a table, as `check_years` does."""
    recorded = checksums.recorded(lake) or {}
    for file in files:
        if str(file.relative_to(lake.root)) in recorded and _problem(lake, file, recorded, day=None):
            raise DamageFoundError(table.path)


def mend(lake: Lake, found: Iterable[Damage]) -> None:
    """Remove what is made again from the tables.

    Raises DamagedLakeError, and removes nothing, if there is damage that only a person can repair.
    """
    found = list(found)
    if for_a_person := [str(damage) for damage in found if not damage.made_again]:
        raise DamagedLakeError(lake.root, for_a_person)
    for name in sorted({damage.file.rpartition("/")[0] for damage in found if damage.table == "restricted/notes"}):
        shutil.rmtree(lake.root / name, ignore_errors=True)
    begun_anew = {damage.table for damage in found if damage.table == _BEGUN_ANEW and not damage.since_run}
    for name in sorted(begun_anew | ({damage.table for damage in found} & {*_MADE_WHOLE})):
        shutil.rmtree(lake.root / name)
    _take_back(lake, {damage.table for damage in found if damage.since_run and damage.table not in _MADE_WHOLE})
    for year in sorted({_year_of(damage.file) for damage in found if damage.table in _OF_NOTES and not damage.in_log}):
        for table in Tables(lake).of_notes():
            _delete_year(table.path, year)
    for name, year in sorted(
        {(damage.table, _year_of(damage.file)) for damage in found if damage.is_output and not damage.in_log}
    ):
        _delete_year(lake.root / name, year)


def _delete_year(table: Path, year: int) -> None:
    if delta_reader.exists(table):
        # By partition, so that no file is read.
        DeltaTable(str(table)).delete(f"year = {year}")


def _of_table(lake: Lake, table: LakeTable, known: Checksums | None, day: int | None) -> Iterator[Damage]:
    name, recorded = table.name, known or {}
    if not delta_reader.exists(table.path):
        return
    logs = [log for log in sorted((table.path / "_delta_log").glob("[!._]*")) if log.suffix in SUFFIXES]
    seen = _newest_commit(name, recorded)
    broken = {log: problem for log in logs if (problem := _problem(lake, log, recorded, day))}
    if broken:
        since_run = known is not None and all(_version_of(log) > seen for log in broken)
        for log, problem in broken.items():
            yield Damage(name, -1, str(log.relative_to(lake.root)), problem, in_log=True, since_run=since_run)
        return
    try:
        version, files = delta_reader.version(table.path), delta_reader.data_files(table.path)
    except DamageFoundError:
        since_run = known is not None and any(_version_of(log) > seen for log in logs)
        problem = "cannot be read as a Delta log"
        yield Damage(name, -1, f"{name}/_delta_log", problem, in_log=True, since_run=since_run)
        return
    if seen > version:
        problem = (
            f"lacks the commits up to version {seen} (if an older version was restored on purpose, remove "
            "restricted/checksums.tsv)"
        )
        yield Damage(name, version, f"{name}/_delta_log", problem, in_log=True)
        return
    for file in files:
        if problem := _problem(lake, file, recorded, day):
            path = str(file.relative_to(lake.root))
            since_run = known is not None and path not in recorded and name not in _OF_NOTES
            yield Damage(name, version, path, problem, since_run=since_run)


def _take_back(lake: Lake, tables: Collection[str]) -> None:
    """Take back the commits of these tables that were made after the last run that ended.

    If one is of notes, those of all tables of notes: no text may be without its audit. The older data files are still
    there, since a run removes them last.
    """
    recorded = checksums.recorded(lake) or {}
    for name in {*tables, *(_OF_NOTES if {*tables} & {*_OF_NOTES} else ())}:
        seen = _newest_commit(name, recorded)
        if seen < 0:
            # A table of notes may not have been begun yet.
            shutil.rmtree(lake.root / name, ignore_errors=True)
            continue
        for file in (lake.root / name / "_delta_log").glob("*"):
            # Checkpoints and checksums of a version too; the pointer to the last checkpoint only saves time.
            if file.name.strip(".").startswith("_last_checkpoint") or _version_of(file) > seen:
                file.unlink()


def _version_of(log: Path) -> int:
    """Return the version that a file of a Delta log belongs to; -1 if it belongs to none."""
    number = log.name.lstrip(".").partition(".")[0]
    return int(number) if number.isdigit() else -1


def _newest_commit(table: str, recorded: Checksums) -> int:
    """Return the newest recorded version of a table's log; -1 if none is."""
    log = f"{table}/_delta_log/"
    return max((_version_of(Path(name)) for name in recorded if name.startswith(log)), default=-1)


def _of_raw_notes(lake: Lake, recorded: Checksums, day: int | None) -> Iterator[Damage]:
    """Yield damaged files of raw notes. If a whole folder is missing, a run reads its notes again anyway."""
    for folder in lake.note_folders():
        prefix = f"{folder.relative_to(lake.root)}/"
        names = {name for name in recorded if name.startswith(prefix)}
        names |= {str(file.relative_to(lake.root)) for file in folder.glob("*.parquet")}
        for name in sorted(names):
            if problem := _problem(lake, lake.root / name, recorded, day):
                yield Damage("restricted/notes", None, name, problem)


def _problem(lake: Lake, file: Path, recorded: Checksums, day: int | None) -> str | None:
    """Return what is wrong with a file, None if nothing is."""
    name = str(file.relative_to(lake.root))
    # Every run rewrites the ledger from its rows.
    reads = day is None or name.startswith("restricted/ledger/") or (zlib.crc32(name.encode()) - day) % DAYS == 0
    try:
        size, sha256 = recorded.get(name, (-1, ""))
        if not sha256:
            return _log_problem(file) if file.suffix == ".json" else _parquet_problem(file)
        if (actual := file.stat().st_size) != size:
            return f"has {actual} bytes, not {size}"
        return "is not what was written" if reads and content_sha256(file) != sha256 else None
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _parquet_problem(file: Path) -> str | None:
    """Return what is wrong with a file that has no checksum yet, since the run that wrote it was interrupted."""
    try:
        with pq.ParquetFile(file) as parquet:
            for _ in parquet.iter_batches():
                continue
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError):
        return "is no whole Parquet file"
    return None


def _log_problem(log: Path) -> str | None:
    try:
        entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    except ValueError:
        entries = []
    return None if entries else "is no whole log entry"


def _year_of(file: str) -> int:
    [year] = [part.removeprefix("year=") for part in file.split("/") if part.startswith("year=")]
    return int(year)


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}"
