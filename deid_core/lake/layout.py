"""A lake's folders and their permissions. Table columns are in tables/columns.py, the lock of a run in lock.py.

A lake lies on storage that the driver and every executor see under the same path (a disk, NFS, a mounted cluster file
system). Its key and its modes are files of that storage, and a batch of notes is committed by renaming folders.

A run creates files and folders for its own account alone. In a new lake the account's group may also enter the root and
`clean`. Whoever is responsible for handing data on opens the tables in `clean`, or does not.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deid_core.core.errors import ConfigurationError, quoted

RESTRICTED_MODE = 0o700
ROOT_MODE = 0o750
_UNSAFE_IN_PATHS = frozenset("%*?[]{}\\#")
"""Spark reads some of them as patterns. Delta's logs and readers read others as parts of a URL."""

_OUTPUT = "deidentified_"


def exists(table: Path) -> bool:
    """Return whether there is a Delta table at this path.

    Raises ConfigurationError if this account may not look, or a file is in the way of a folder.
    """
    try:
        return any(name.endswith(".json") for name in os.listdir(table / "_delta_log"))
    except FileNotFoundError:
        return False
    except PermissionError:
        raise ConfigurationError(f"{table}: this account may not read it") from None
    except NotADirectoryError:
        raise ConfigurationError(f"{table}: cannot be there, a part of its path is a file") from None


class _PathInLake:
    """Descriptor: the path of a file or folder below the lake's root."""

    def __init__(self, below_root: str) -> None:
        self._below_root = below_root

    def __get__(self, lake: Lake, owner: type[Lake]) -> Path:
        return lake.root / self._below_root


@dataclass(frozen=True, slots=True)
class Lake:
    """The two roots of a lake and the places of its tables. `root` is absolute."""

    root: Path

    restricted = _PathInLake("restricted")
    """Holds PHI: raw notes, file names, the key."""
    clean = _PathInLake("clean")
    """May be handed on."""
    key = _PathInLake("restricted/key")
    """The secret key of the note ids."""
    notes = _PathInLake("restricted/notes")
    """Parquet: raw notes, year=/batch=."""
    patient_secret = _PathInLake("restricted/patient-key")
    """The secret key of patients, once `deid rekey` has made one; before, the key of the note ids serves."""
    ledger = _PathInLake("restricted/ledger")
    """Delta: a row for each source file."""
    detections = _PathInLake("restricted/detections")
    """Delta: a row for each removed span, with its place in the raw text."""
    dropped = _PathInLake("restricted/dropped")
    """Delta: a row for each detection that the engine dropped or trimmed."""
    patient_evidence = _PathInLake("restricted/patient_evidence")
    """Delta: what a note says about its patient."""
    patient_conflicts = _PathInLake("restricted/patient_conflicts")
    """Delta: notes whose patient is not certain."""
    withdrawn_patients = _PathInLake("restricted/withdrawn_patients")
    """Delta: by what later runs recognise the notes of withdrawn patients; keyed hashes."""
    output_failures = _PathInLake("restricted/output_failures")
    """Delta: notes on which a policy's operator failed."""
    reviews = _PathInLake("restricted/reviews.jsonl")
    """JSON lines: what readers marked in notes; see notes/reviews.py."""
    sampling_plan = _PathInLake("restricted/sampling_plan")
    """Folder: the notes to read before the corpus is certified, and the texts of which they were drawn."""
    releases = _PathInLake("restricted/releases")
    """Folder: a list of the notes of each release."""
    checksums = _PathInLake("restricted/checksums.tsv")
    """Size and SHA-256 of each file of the tables; see checks/checksums.py."""
    staging = _PathInLake("restricted/staging")
    """A folder for each running run. The next run removes what a crashed one left."""
    lock = _PathInLake("restricted/lock")
    """The kernel lock of a run; see lock.py."""
    lock_owner = _PathInLake("restricted/lock.json")
    """The running run: host, process, start. JSON."""
    deidentified = _PathInLake("clean/deidentified")
    """Delta: redacted texts."""
    phi_audit = _PathInLake("clean/phi_audit")
    """Delta: a row for each removed span."""
    phi_counts = _PathInLake("clean/phi_counts")
    """Delta: removed spans per year, label and recogniser."""
    dropped_counts = _PathInLake("clean/dropped_counts")
    """Delta: dropped detections per year, label, recogniser, rule and reason."""
    leak_sweep = _PathInLake("clean/leak_sweep")
    """Delta: what the sweep found again, per year, source, kind, outcome and recogniser."""
    runs = _PathInLake("clean/runs")
    """Delta: a row for each run that changed something."""
    run_profiles = _PathInLake("clean/run_profiles")
    """Delta: the notes of each run by bin of each measure."""

    @staticmethod
    def at(path: Path) -> Lake:
        """Return the lake at a path, whether it exists or not.

        Raises ConfigurationError if Spark or Delta could not address a table below this path.
        """
        root = path.resolve()
        found = {c for c in str(root) if c in _UNSAFE_IN_PATHS or not c.isprintable()}
        if found:
            shown = " ".join(c if c.isprintable() else ascii(c)[1:-1] for c in sorted(found))
            raise ConfigurationError(f"--lake {quoted(path)}: must not hold {shown}, which Spark and Delta interpret")
        return Lake(root)

    def output(self, policy: str) -> Path:
        """Delta: texts of a policy."""
        return self.clean / f"{_OUTPUT}{policy}"

    def outputs(self) -> list[str]:
        """Return the names of the policies that there is an output of, sorted."""
        return sorted(path.name.removeprefix(_OUTPUT) for path in self.clean.glob(f"{_OUTPUT}*") if path.is_dir())

    def prepare(self) -> None:
        """Create the roots. Close `restricted` to others, even if somebody opened it.

        The modes of an existing `clean` stay as they are: its owner decides.
        Raises ConfigurationError if a folder cannot be created.
        """
        try:
            for folder in (self.root, self.clean):
                if not folder.exists():
                    folder.mkdir(parents=True)
                    folder.chmod(ROOT_MODE)
            self.restricted.mkdir(mode=RESTRICTED_MODE, exist_ok=True)
            if self.restricted.stat().st_mode & 0o777 != RESTRICTED_MODE:
                self.restricted.chmod(RESTRICTED_MODE)
        except OSError as error:
            raise ConfigurationError(f"--lake {quoted(self.root)}: cannot be written: {error.strerror}") from None

    @contextmanager
    def staging_of(self, run_id: str) -> Iterator[Path]:
        """Yield the run's staging folder, which holds raw text while the run lasts. Remove those of crashed runs."""
        shutil.rmtree(self.staging, ignore_errors=True)
        folder = self.staging / run_id
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(self.staging, ignore_errors=True)

    def note_folders(self, batch: str | None = None) -> list[Path]:
        """Return the folders year=/batch= of raw notes, sorted: those of one batch, or all."""
        return sorted(self.notes.glob(f"year=*/batch={batch or '*'}"))
