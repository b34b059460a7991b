"""Convert .doc, .rtf and .odt to .docx with LibreOffice: many files per call, under time limits, without leftovers.

Each call is its own process group, which is killed when the call ends or stops making progress. A file without a result
is retried once, alone and with a new profile. Files are renamed to numbers, because real names hold patients' names and
characters that LibreOffice would misread. The profile disables macros, links and the network. LibreOffice recomputes
some fields: freeze_fields.py and docx/wordml.py compensate for that.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import zipfile
from collections.abc import Sequence
from enum import Enum, auto
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType

from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.file_formats import Format
from deid_core.readers.scratch import Scratch
from deid_core.readers.settings import ReadingSettings

_POLL_S = 0.02
_NOT_LOADED = b"source file could not be loaded"
_NOWHERE = ("127.0.0.1", "9")
"""A proxy that does not answer: port 9, discard."""

_SETTINGS = {
    "org.openoffice.Office.Common/Security/Scripting": {
        "MacroSecurityLevel": "3",
        "DisableMacrosExecution": "true",
        "BlockUntrustedRefererLinks": "true",
    },
    "org.openoffice.Office.Writer/Content/Update": {"Link": "2", "Field": "false"},
    "org.openoffice.Inet/Settings": {
        "ooInetProxyType": "2",
        "ooInetNoProxy": "",
        **{f"ooInet{p}ProxyName": _NOWHERE[0] for p in ("HTTP", "HTTPS", "FTP")},
        **{f"ooInet{p}ProxyPort": _NOWHERE[1] for p in ("HTTP", "HTTPS", "FTP")},
    },
}


class _Outcome(Enum):
    """How a call of LibreOffice ended."""

    DONE = auto()
    NOT_LOADED = auto()
    CRASHED = auto()
    TIMED_OUT = auto()


class LibreOffice:
    """Converts added files in batches. One instance has one profile and runs one process."""

    def __init__(self, settings: ReadingSettings) -> None:
        """Raises ConfigurationError if the program is missing."""
        self._settings = settings
        self._program = find_program(settings.libreoffice)
        self._scratch = Scratch()
        self._input, self._output = self._scratch.path / "in", self._scratch.path / "out"
        for folder in (self._input, self._output, self._scratch.path / "tmp"):
            folder.mkdir()
        self._log = self._scratch.path / "log"
        self._profile: Path | None = None
        self._profiles = 0
        self._waiting: dict[int, Path] = {}
        self._added = 0

    def __enter__(self) -> LibreOffice:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        """Return the number of files that wait for `convert`."""
        return len(self._waiting)

    def close(self) -> None:
        """Remove profile and files. A second call does nothing."""
        self._scratch.close()

    def add(self, data: bytes, form: Format) -> int:
        """Add a file for the next `convert` and return its number."""
        self._added += 1
        path = self._input / f"n{self._added:06d}.{form.value}"
        path.write_bytes(data)
        self._waiting[self._added] = path
        return self._added

    def convert(self) -> dict[int, bytes | NoteError]:
        """Return the .docx, or the error, of every waiting file by its number.

        Errors: TIMEOUT, CORRUPT (LibreOffice cannot load the file), CONVERTER_FAILED, TOO_LARGE (the .docx).
        """
        waiting, self._waiting = self._waiting, {}
        if not waiting:
            return {}
        try:
            outcome = self._run(list(waiting.values()))
            results: dict[int, bytes | NoteError] = {}
            for number, path in waiting.items():
                if self._converted(path) is None:
                    if len(waiting) > 1 or outcome is not _Outcome.NOT_LOADED:
                        self._drop_profile()
                        outcome = self._run([path])
                    results[number] = self._result(path, outcome)
                else:
                    results[number] = self._result(path, _Outcome.DONE)
            return results
        finally:
            for folder in (self._input, self._output, self._scratch.path / "tmp"):
                _empty(folder)

    def _result(self, source: Path, outcome: _Outcome) -> bytes | NoteError:
        path = self._converted(source)
        if path is not None:
            size = path.stat().st_size
            if size > self._settings.max_file_bytes:
                return NoteError(Reason.TOO_LARGE, f"converted to {size} bytes, limit {self._settings.max_file_bytes}")
            data = path.read_bytes()
            path.unlink()
            return data
        match outcome:
            case _Outcome.TIMED_OUT:
                return NoteError(
                    Reason.TIMEOUT, f"LibreOffice, alone, {self._time_limit_s(1):g} s, limit libreoffice_file_s"
                )
            case _Outcome.NOT_LOADED:
                return NoteError(Reason.CORRUPT, "LibreOffice does not load it")
            case _Outcome.CRASHED:
                return NoteError(Reason.CONVERTER_FAILED, "LibreOffice crashed on it, alone")
            case _Outcome.DONE:
                return NoteError(Reason.CONVERTER_FAILED, "LibreOffice gave nothing for it, alone")

    def _converted(self, source: Path) -> Path | None:
        """Return the path of a file's .docx if it is complete. A truncated one has no directory at its end."""
        path = self._output / f"{source.stem}.docx"
        return path if path.is_file() and zipfile.is_zipfile(path) else None

    def _time_limit_s(self, files: int) -> float:
        return self._settings.libreoffice_start_s + files * self._settings.libreoffice_file_s

    def _run(self, sources: Sequence[Path]) -> _Outcome:
        """Call LibreOffice once. Drop its profile unless the call succeeds."""
        outcome = _Outcome.CRASHED
        try:
            outcome = self._call(sources)
        finally:
            if outcome is not _Outcome.DONE:
                self._drop_profile()
        return outcome

    def _call(self, sources: Sequence[Path]) -> _Outcome:
        command = [
            self._program,
            f"-env:UserInstallation={self._profile_folder().as_uri()}",
            *("--headless", "--norestore", "--nolockcheck", "--nodefault", "--nologo", "--nofirststartwizard"),
            *("--convert-to", "docx:MS Word 2007 XML", "--outdir", str(self._output)),
            *map(str, sources),
        ]
        with self._log.open("wb") as log:
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=self._scratch.path,
                    env=self._environment(),
                    start_new_session=True,
                )
            except OSError as error:
                raise ConfigurationError(f"reading.libreoffice: {self._program}: {error.strerror}") from None
        try:
            self._scratch.watch(process.pid)
            in_time = self._wait(process.pid, len(sources))
        finally:
            # The leader is not yet reaped, so no other group can have its number.
            _kill_group(process.pid)
            code = process.wait()
            self._scratch.watch(0)
        if not in_time:
            return _Outcome.TIMED_OUT
        if _NOT_LOADED in self._log.read_bytes():
            return _Outcome.NOT_LOADED
        return _Outcome.DONE if code == 0 else _Outcome.CRASHED

    def _wait(self, leader: int, files: int) -> bool:
        """Wait until the leader ends. Return False if the batch or one file exceeds its time limit.

        LibreOffice writes a .docx for each finished file. A call that writes none within one file's limit hangs, so the
        remaining files need not wait for the limit of the whole batch. The first file may take the time to start as
        well. What LibreOffice logs is no progress: it warns before it has started.
        """
        deadline = monotonic() + self._time_limit_s(files)
        stalled = monotonic() + self._time_limit_s(1)
        finished = self._finished()
        while os.waitid(os.P_PID, leader, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            now = monotonic()
            if (seen := self._finished()) != finished:
                finished, stalled = seen, now + self._settings.libreoffice_file_s
            if now > min(deadline, stalled):
                return False
            sleep(_POLL_S)
        return True

    def _finished(self) -> int:
        """Return the number of files that LibreOffice has written."""
        return sum(name.endswith(".docx") for name in os.listdir(self._output))

    def _environment(self) -> dict[str, str]:
        """Return a minimal environment, independent of the user and without secrets."""
        home = str(self._scratch.path)
        temporary = str(self._scratch.path / "tmp")
        path = os.environ.get("PATH", os.defpath)
        return {"PATH": path, "HOME": home, "TMPDIR": temporary, "LANG": "C.UTF-8", "SAL_USE_VCLPLUGIN": "svp"}

    def _profile_folder(self) -> Path:
        if self._profile is None:
            self._profiles += 1
            self._profile = self._scratch.path / f"profile{self._profiles}"
            (self._profile / "user").mkdir(parents=True)
            (self._profile / "user" / "registrymodifications.xcu").write_text(_registry(), encoding="utf-8")
        return self._profile

    def _drop_profile(self) -> None:
        if self._profile is not None:
            shutil.rmtree(self._profile, ignore_errors=True)
            self._profile = None


def find_program(program: str | None) -> str:
    """Return the path of the program in the setting reading.libreoffice; None means `soffice`.

    Raises ConfigurationError if it is missing.
    """
    found = shutil.which(program or "soffice")
    if found is None:
        raise ConfigurationError(
            f"reading.libreoffice: {program}: there is no such program"
            if program
            else "reading.libreoffice: soffice is not on PATH; install LibreOffice Writer or set the program's path"
        )
    return found


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _registry() -> str:
    """Return the content of the profile's registrymodifications.xcu."""
    items = "".join(
        f'<item oor:path="/{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, values in _SETTINGS.items()
        for name, value in values.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"{items}</oor:items>\n"
    )
