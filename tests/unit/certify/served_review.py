"""`deid review` in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from deid_core.lake.layout import Lake


@contextmanager
def served(lake: Lake, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Yield the address of the page and its process, which is interrupted at the end."""
    command = [sys.executable, "-m", "deid_core.cli", "review", "--lake", str(lake.root), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
