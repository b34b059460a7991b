"""Whether this account may use the files of a lake. Those of another account, such as root in a run by hand, may be
closed to it. They are no damage: nothing may be removed or made again for that.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from deid_core.core.errors import ConfigurationError


def check_access(root: Path, places: Iterable[Path], *, writing: bool = False) -> None:
    """Raise ConfigurationError if this account may not read all that is in these places of a lake.

    places: files and folders below its root; those that do not exist are left out. writing: it must also be able to
    add files to the folders and to remove them.
    """
    closed = sorted({path for place in places for path in _closed(place, writing)})
    if closed:
        what = "read or change" if writing else "read"
        raise ConfigurationError(
            f"--lake {root}: this account may not {what} {len(closed)} of its files and folders, the first is "
            f"{closed[0].relative_to(root)}. If a command was run under another account, give the lake back: chown -R"
        )


def _closed(place: Path, writing: bool) -> Iterator[Path]:
    """Yield the place, and what is below it, as far as it is closed. What is in a closed folder is not looked at."""
    if not os.path.isdir(place):
        if os.path.exists(place) and not os.access(place, os.R_OK):
            yield place
        return
    in_folder = os.R_OK | os.X_OK | (os.W_OK if writing else 0)
    if not os.access(place, in_folder):
        yield place
        return
    for folder, folders, files in os.walk(place):
        closed = [name for name in folders if not os.access(os.path.join(folder, name), in_folder)]
        folders[:] = [name for name in folders if name not in closed]
        closed += [name for name in files if not os.access(os.path.join(folder, name), os.R_OK)]
        yield from (Path(folder, name) for name in closed)
