"""A private temporary folder and the processes that work in it: both go when their owner does, however it ends.

Copies of notes lie in the folder. An owner that is killed cannot clean up, so a guard process of its own session waits
at the end of a pipe: when the pipe closes, it kills the process group it was last told of and removes the folder.
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
    """A folder that only this user can read, removed by `close` or, if that never comes, by the guard."""

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
        """Tells the guard which process group to kill; 0 for none."""
        if self._guard.stdin is not None:
            with contextlib.suppress(OSError):  # the guard was killed: `close` still cleans up
                self._guard.stdin.write(f"{group}\n")
                self._guard.stdin.flush()

    def close(self) -> None:
        """Removes the folder and ends the guard; a second call does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._guard.stdin is not None and not self._guard.stdin.closed:
            with contextlib.suppress(OSError):
                self._guard.stdin.close()
        try:
            self._guard.wait(_GUARD_ENDS_S)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
