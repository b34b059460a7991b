"""Gives a file that was written under another name the one it is meant for, and never in place of another file."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""What a file system without hard links says."""


def name_if_free(new: Path, name: Path) -> bool:
    """Gives the file `new`, on the same file system, this name too if no file has it, and says whether it did.

    Of two hosts that do this at once, one gets False. Without hard links a look comes before a rename, which two hosts
    may do at once: there the lake's lock has to do. The caller removes `new`, which is there afterwards or not.
    """
    try:
        os.link(new, name)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(name):
            return False
        new.replace(name)
    return True
