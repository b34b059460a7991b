"""Word's .doc by LibreOffice, many files a call, each call a process group that is killed at a time limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from deid_core.core.errors import ConfigurationError, TryAgainError
from deid_core.readers.scratch import Scratch

_START_S = 60.0
_FILE_S = 5.0
_TRIES = 2


class Word97Writer:
    """Converts .docx files to .doc. A context manager: leaving it removes LibreOffice's profile and all copies."""

    def __init__(self, program: str | None = None) -> None:
        """Raises ConfigurationError if LibreOffice is not there."""
        found = shutil.which(program or "soffice")
        if found is None:
            raise ConfigurationError(
                f"{program or 'soffice'} is not on PATH; install LibreOffice Writer, or take --format docx"
            )
        self._program = found

    def __enter__(self) -> Word97Writer:
        self._scratch = Scratch()
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.close()

    def write(self, documents: Sequence[bytes], targets: Sequence[Path]) -> None:
        """Writes each .docx document as .doc to its target.

        Raises TryAgainError if LibreOffice gives none for one of them, in the batch and once more.
        """
        source, output = self._scratch.path / "in", self._scratch.path / "out"
        for folder in (source, output):
            folder.mkdir(exist_ok=True)
        waiting = {}
        for number, (document, target) in enumerate(zip(documents, targets, strict=True)):
            path = source / f"n{number:05}.docx"
            path.write_bytes(document)
            waiting[path] = target
        for _ in range(_TRIES):
            self._convert(list(waiting), output)
            for path in list(waiting):
                made = output / f"{path.stem}.doc"
                if made.exists():
                    shutil.move(made, waiting.pop(path))
                    path.unlink()
            if not waiting:
                return
            shutil.rmtree(self._scratch.path / "profile", ignore_errors=True)
        raise TryAgainError(f"LibreOffice gave no .doc for {len(waiting)} of {len(documents)} notes in {_TRIES} tries")

    def _convert(self, paths: Sequence[Path], output: Path) -> None:
        process = subprocess.Popen(
            [
                self._program,
                f"-env:UserInstallation={(self._scratch.path / 'profile').as_uri()}",
                *("--headless", "--norestore", "--nolockcheck", "--nodefault", "--nologo", "--nofirststartwizard"),
                *("--convert-to", "doc:MS Word 97", "--outdir", str(output)),
                *map(str, paths),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._scratch.path,
            env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self._scratch.path), "LANG": "C.UTF-8"},
            start_new_session=True,
        )
        self._scratch.watch(process.pid)
        try:
            process.wait(_START_S + _FILE_S * len(paths))
        except subprocess.TimeoutExpired:
            pass  # what it has not converted is tried once more
        finally:
            # Also after a normal end: soffice leaves its own child for a moment.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            self._scratch.watch(0)
