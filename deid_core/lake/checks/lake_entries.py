"""What of a lake's folders is the lake's: whether this account may use it, and what else lies beside it."""

from __future__ import annotations

from pathlib import Path

from deid_core.lake.access import check_access
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables


def strays(lake: Lake) -> list[str]:
    """Return what lies beside the tables and is not the lake's, by path below its root, sorted.

    No run reads, checks or removes it. The path of a folder ends with a slash; what is in it is not listed.
    """
    years = sorted(lake.notes.glob("year=*"))
    tables = {table.path for table in Tables(lake).all()}
    own = {place for place in _own_places(lake) if place not in tables or delta_reader.exists(place)}
    own.update((lake.restricted, lake.clean, lake.reviews, lake.sampling_plan, lake.releases))
    own.update(years, lake.note_folders())
    places = (folder for folder in (lake.root, lake.clean, lake.restricted, lake.notes, *years) if folder.is_dir())
    found = (path for folder in places for path in folder.iterdir() if path not in own)
    return sorted(f"{path.relative_to(lake.root)}{'/' if path.is_dir() else ''}" for path in found)


def check_account(lake: Lake, *, writing: bool = False) -> None:
    """Raise ConfigurationError if this account may not read all that is the lake's. writing: or not change it.

    What is closed to the account must not be taken for damaged: it would be removed and made again.
    """
    check_access(lake.root, _own_places(lake), writing=writing)


def _own_places(lake: Lake) -> list[Path]:
    """Return the files and folders that a run reads or writes, whether they exist or not."""
    files = [lake.key, lake.patient_secret, lake.checksums, lake.lock, lake.lock_owner]
    return [*files, lake.staging, lake.notes, *(table.path for table in Tables(lake).all())]
