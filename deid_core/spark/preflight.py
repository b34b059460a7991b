"""Check what a run needs of its machine before it writes anything. Settings and lists are checked elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path, PurePath

from deid_core.core.errors import ConfigurationError, quoted
from deid_core.core.file_formats import FORMATS
from deid_core.lake.layout import Lake
from deid_core.readers.libreoffice import find_program
from deid_core.readers.settings import ReadingSettings
from deid_core.spark.delta_jars import jar_problems, jars_dir

_FOR_LIBREOFFICE = frozenset(ending for entry in FORMATS.values() if entry.by_libreoffice for ending in entry.endings)
_SPARK_IS_SET_UP = ("PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_HOME")
"""If one of these is set, the caller has chosen Delta's jars and the machines that read notes."""


def check_machine(lake: Lake, reading: ReadingSettings, names: Callable[[], Iterable[str]] | None) -> None:
    """Raise ConfigurationError with everything that is missing.

    names: returns the names of the input's files if they are to be converted.
    """
    problems = [*_storage(lake), *_java()]
    if not any(name in os.environ for name in _SPARK_IS_SET_UP):
        problems += [*jar_problems(jars_dir()), *(_libreoffice(reading, names) if names else [])]
    if problems:
        raise ConfigurationError(problems)


def _storage(lake: Lake) -> list[str]:
    if not str(lake.root).isascii() and sys.getfilesystemencoding() != "utf-8":
        # delta-rs takes every path as UTF-8.
        return [f"--lake {quoted(lake.root)}: non-ASCII letters in its path need a UTF-8 locale, LC_ALL=C.UTF-8"]
    try:
        for folder in (lake.root, lake.restricted, lake.clean):
            with tempfile.NamedTemporaryFile(dir=_existing(folder), prefix=".deid-"):
                continue
    except OSError as error:
        return [f"--lake {quoted(lake.root)}: cannot be written: {error.strerror}"]
    return []


def _existing(folder: Path) -> Path:
    """Return the folder, or its nearest ancestor that exists."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def _java() -> list[str]:
    """Look for Java as Spark does: in JAVA_HOME if it is set, else on PATH. Under spark-submit the JVM already runs."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return []
    home = os.environ.get("JAVA_HOME")
    if shutil.which(str(Path(home, "bin", "java")) if home else "java"):
        return []
    return [f"JAVA_HOME {home}: has no bin/java; install Java 17" if home else "java is not on PATH; install Java 17"]


def _libreoffice(reading: ReadingSettings, names: Callable[[], Iterable[str]]) -> list[str]:
    """Report a missing LibreOffice if any file needs it. One such file is enough, so most walks end early."""
    try:
        find_program(reading.libreoffice)
    except ConfigurationError as error:
        needed = any(PurePath(name.rstrip()).suffix.lower() in _FOR_LIBREOFFICE for name in names())
        return error.problems if needed else []
    return []
