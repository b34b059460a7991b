"""A lake's folders and who may enter them. Knows no table's columns; the lock of a run is in lock.py.

A lake lies on storage that the driver and every executor see under the same path (a disk, NFS, a cluster file system
that is mounted): its key and its modes are files of that storage, and a batch of notes is committed by renaming.

A run makes all files and folders for its own account alone. Of a new lake, the root and `clean` may also be entered by
the account's group; the tables in `clean` are opened, or not, by who answers for handing them on.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deid_core.core.errors import ConfigurationError

RESTRICTED_MODE = 0o700
ROOT_MODE = 0o750
_UNSAFE_IN_PATHS = frozenset("%*?[]{}\\#")
"""Spark takes some for patterns, and Delta's logs and readers take some for parts of an address."""


@dataclass(frozen=True, slots=True)
class Lake:
    """The two roots of a lake and what lies in them; `root` is absolute."""

    root: Path

    @staticmethod
    def at(path: Path) -> Lake:
        """The lake at a path, whether it exists or not.

        Raises ConfigurationError if a table below this path could not be named to Spark or Delta.
        """
        root = path.resolve()
        found = {c for c in str(root) if c in _UNSAFE_IN_PATHS or not c.isprintable()}
        if found:
            told = " ".join(c if c.isprintable() else ascii(c)[1:-1] for c in sorted(found))
            raise ConfigurationError(f"--lake {path}: must not hold {told}, which Spark and Delta interpret")
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
        """The secret that note ids are made with."""
        return self.restricted / "key"

    @property
    def notes(self) -> Path:
        """Parquet: raw notes, year=/batch=."""
        return self.restricted / "notes"

    @property
    def ledger(self) -> Path:
        """Delta: a row for each source file."""
        return self.restricted / "ledger"

    @property
    def staging(self) -> Path:
        """A folder for each run that is at work; what a crashed run left is removed by the next."""
        return self.restricted / "staging"

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
        """Delta: counts per year, label and recogniser."""
        return self.clean / "phi_counts"

    @property
    def runs(self) -> Path:
        """Delta: a row for each run that changed something."""
        return self.clean / "runs"

    def prepare(self) -> None:
        """Makes the roots; `restricted` is closed to others, also if somebody had opened it.

        Modes of a `clean` that is there are its owner's decision.

        Raises ConfigurationError if a folder cannot be made.
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
            raise ConfigurationError(f"--lake {self.root}: cannot be written: {error.strerror}") from None

    @contextmanager
    def staging_of(self, run_id: str) -> Iterator[Path]:
        """The run's staging folder, which holds raw text while it lasts; first removes those of crashed runs."""
        shutil.rmtree(self.staging, ignore_errors=True)
        folder = self.staging / run_id
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(self.staging, ignore_errors=True)

    def note_folders(self, batch: str | None = None) -> list[Path]:
        """The folders year=/batch= of raw notes, sorted; of one batch, or of all."""
        return sorted(self.notes.glob(f"year=*/batch={batch or '*'}"))
