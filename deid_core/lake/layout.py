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


@dataclass(frozen=True, slots=True)
class Lake:
    """The two roots of a lake and the places of its tables. `root` is absolute."""

    root: Path

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

    @property
    def restricted(self) -> Path:
        """Holds PHI: raw notes, file names, the key."""
        return self.root / "restricted"

    @property
    def clean(self) -> Path:
        """May be handed on."""
        return self.root / "clean"

    @property
    def key(self) -> Path:
        """The secret key of the note ids."""
        return self.restricted / "key"

    @property
    def notes(self) -> Path:
        """Parquet: raw notes, year=/batch=."""
        return self.restricted / "notes"

    @property
    def patient_secret(self) -> Path:
        """The secret key of patients, once `deid rekey` has made one; before, the key of the note ids serves."""
        return self.restricted / "patient-key"

    @property
    def ledger(self) -> Path:
        """Delta: a row for each source file."""
        return self.restricted / "ledger"

    @property
    def detections(self) -> Path:
        """Delta: a row for each removed span, with its place in the raw text."""
        return self.restricted / "detections"

    @property
    def dropped(self) -> Path:
        """Delta: a row for each detection that the engine dropped or trimmed."""
        return self.restricted / "dropped"

    @property
    def patient_evidence(self) -> Path:
        """Delta: what a note says about its patient."""
        return self.restricted / "patient_evidence"

    @property
    def patient_conflicts(self) -> Path:
        """Delta: notes whose patient is not certain."""
        return self.restricted / "patient_conflicts"

    @property
    def withdrawn_patients(self) -> Path:
        """Delta: by what later runs recognise the notes of withdrawn patients; keyed hashes."""
        return self.restricted / "withdrawn_patients"

    @property
    def output_failures(self) -> Path:
        """Delta: notes on which a policy's operator failed."""
        return self.restricted / "output_failures"

    @property
    def reviews(self) -> Path:
        """JSON lines: what readers marked in notes; see notes/reviews.py."""
        return self.restricted / "reviews.jsonl"

    @property
    def sampling_plan(self) -> Path:
        """Folder: the notes to read before the corpus is certified, and the texts of which they were drawn."""
        return self.restricted / "sampling_plan"

    @property
    def releases(self) -> Path:
        """Folder: a list of the notes of each release."""
        return self.restricted / "releases"

    @property
    def checksums(self) -> Path:
        """Size and SHA-256 of each file of the tables; see checks/checksums.py."""
        return self.restricted / "checksums.tsv"

    @property
    def staging(self) -> Path:
        """A folder for each running run. The next run removes what a crashed one left."""
        return self.restricted / "staging"

    @property
    def lock(self) -> Path:
        """The kernel lock of a run; see lock.py."""
        return self.restricted / "lock"

    @property
    def lock_owner(self) -> Path:
        """The running run: host, process, start. JSON."""
        return self.restricted / "lock.json"

    @property
    def deidentified(self) -> Path:
        """Delta: redacted texts."""
        return self.clean / "deidentified"

    @property
    def phi_audit(self) -> Path:
        """Delta: a row for each removed span."""
        return self.clean / "phi_audit"

    @property
    def phi_counts(self) -> Path:
        """Delta: removed spans per year, label and recogniser."""
        return self.clean / "phi_counts"

    @property
    def dropped_counts(self) -> Path:
        """Delta: dropped detections per year, label, recogniser, rule and reason."""
        return self.clean / "dropped_counts"

    @property
    def leak_sweep(self) -> Path:
        """Delta: what the sweep found again, per year, source, kind, outcome and recogniser."""
        return self.clean / "leak_sweep"

    @property
    def runs(self) -> Path:
        """Delta: a row for each run that changed something."""
        return self.clean / "runs"

    @property
    def run_profiles(self) -> Path:
        """Delta: the notes of each run by bin of each measure."""
        return self.clean / "run_profiles"

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
