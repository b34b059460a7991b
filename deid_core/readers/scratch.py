"""A private temporary folder for copies of notes, removed together with its processes even if the owner is killed.

A killed owner cannot clean up. So a guard process in its own session reads a pipe from the owner. When the pipe closes,
the guard kills the last process group that it was told to watch and removes the folder.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

# Run with -I -S: starts in 20 ms and imports nothing of the project.
_GUARD = """
import os, shutil, signal, sys
group = 0
for line in sys.stdin:
    group = int(line)
if group:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
_GUARD_ENDS_S = 10.0


class Scratch:
    """A folder that only this user can read. `close` removes it; if the owner dies, the guard does."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="deid-"))
        try:
            self._guard = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _GUARD, str(self.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                text=True,
                start_new_session=True,
            )
        except BaseException:
            shutil.rmtree(self.path, ignore_errors=True)
            raise

    def __enter__(self) -> Scratch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def watch(self, group: int) -> None:
        """Tell the guard which process group to kill; 0 means none."""
        if self._guard.stdin is not None:
            with contextlib.suppress(OSError):  # the guard was killed: `close` still cleans up
                self._guard.stdin.write(f"{group}\n")
                self._guard.stdin.flush()

    def close(self) -> None:
        """Remove the folder and end the guard. A second call does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._guard.stdin is not None and not self._guard.stdin.closed:
            with contextlib.suppress(OSError):
                self._guard.stdin.close()
        try:
            self._guard.wait(_GUARD_ENDS_S)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
