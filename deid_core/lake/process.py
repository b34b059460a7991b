"""What a process that handles raw notes must not leave behind: files that others can read, and dumps of its memory."""

from __future__ import annotations

import os
import resource

_UMASK = 0o077


def protect_process() -> None:
    """Closes to others what this process and those it starts write from now on, and lets none dump core.

    A JVM and local workers that are started later inherit it. Executors of a cluster call it in their Python workers;
    what their JVMs write lies below `restricted`, which is closed as a whole.
    """
    os.umask(_UMASK)
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
