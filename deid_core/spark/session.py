"""Starts the Spark session: Delta's jars, quiet logs, and settings that every run needs, local or on a cluster."""

from __future__ import annotations

import locale
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from deid_core.core.errors import ConfigurationError
from deid_core.core.resources import conf_dir
from deid_core.lake.lock import Lock
from deid_core.spark.delta_jars import jars_dir

_PROBE = "io.delta.sql.DeltaSparkSessionExtension"
_ALWAYS = {
    "spark.sql.extensions": _PROBE,
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    # Shuffled rows, spilled rows and broadcasts lie in spark.local.dir, and stay there if Spark is killed.
    "spark.io.encryption.enabled": "true",
    # A note may have megabytes; a batch goes through a Python worker's memory at once, and ends at what comes first.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
    "spark.sql.execution.arrow.maxBytesPerBatch": "64m",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.log.level": "WARN",
    # Hadoop gives each file and folder a mode of its own choice, whatever the process's umask.
    "spark.hadoop.fs.permissions.umask-mode": "077",
}


def start_session(
    *, interactive: bool = False, settings: Mapping[str, str] | None = None, lock: Lock | None = None
) -> SparkSession:
    """The running session, or a new one: with conf/spark/local.conf on a local master, else as spark-submit says.

    interactive: show Spark's progress bar. settings: stand above all others but those that every run needs. lock: of
    the lake; a JVM that is started here holds it too.
    Raises ConfigurationError if Delta's jars are missing.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    _start_jvm(lock)
    conf = SparkConf()
    local = conf.get("spark.master", "local[*]").startswith("local")
    defaults = _local_conf() if local else {}
    for name, value in ({"spark.app.name": "deid"} | defaults | _python(local)).items():
        conf.setIfMissing(name, value)
    for name, value in (dict(settings or {}) | _ALWAYS).items():
        conf.set(name, value)
    conf.set("spark.ui.showConsoleProgress", str(interactive).lower())
    _add_delta(conf)
    session = SparkSession.builder.config(conf=conf).getOrCreate()
    # spark-submit has set up its own log by now, and a session sets it up anew.
    _jvm().org.apache.logging.log4j.LogManager.getContext(False).setConfigLocation(_jvm().java.net.URI(_log_settings()))
    return session


def check_same_storage(folder: Path) -> None:
    """Makes sure that the JVM finds in this folder what Python writes there; nothing raw may be written before.

    A JVM whose locale is not UTF-8 turns a letter like "ü" of a path into "?" and would write into another folder.
    Raises ConfigurationError if it finds nothing.
    """
    with tempfile.NamedTemporaryFile(dir=folder, prefix="probe-") as probe:
        if not _jvm().java.io.File(probe.name).exists():
            raise ConfigurationError(
                f"{folder}: Python and the driver's JVM see different folders under this path; start with a UTF-8 "
                "locale (LC_ALL=C.UTF-8), and with storage that both see"
            )


def _start_jvm(lock: Lock | None) -> None:
    """Starts the JVM if spark-submit has not done so; what only a starting JVM takes is given here.

    A JVM whose Python was killed ends a moment later and may finish a commit until then: nobody may begin before.
    """
    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        _give_jvm_pythons_locale()
        conf = SparkConf(loadDefaults=False)
        for name, value in _local_conf().items():
            conf.set(name, value)
        conf.set("spark.driver.extraJavaOptions", f"-Dfile.encoding=UTF-8 -Dlog4j2.configurationFile={_log_settings()}")
        inherited = {"pass_fds": (lock.descriptor,)} if lock else {}
        SparkContext._ensure_initialized(gateway=launch_gateway(conf, inherited))
    else:
        SparkContext._ensure_initialized()


def _give_jvm_pythons_locale() -> None:
    """Cron's locale is C, where Python takes names of files as UTF-8 and a JVM as ASCII.

    The variable must be set before the JVM starts: it reads the locale once, and no option changes what it took.
    """
    if sys.getfilesystemencoding() == "utf-8" and locale.getencoding().lower() not in ("utf-8", "utf8"):
        os.environ["LC_ALL"] = "C.UTF-8"


def _log_settings() -> str:
    return (conf_dir() / "spark" / "log4j2.properties").as_uri()


def _local_conf() -> dict[str, str]:
    lines = (conf_dir() / "spark" / "local.conf").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(None, 1) for line in lines if line.strip() and not line.startswith("#"))
    return {name: value.strip() for name, value in pairs}


def _python(local: bool) -> dict[str, str]:
    """On one machine Python workers are this Python and import what it imports; a cluster has its own environment."""
    if not local:
        return {}
    # The context reads the variable alone, and would take whatever "python3" is on PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    root = str(Path(__file__).resolve().parents[2])
    return {"spark.pyspark.python": sys.executable, "spark.executorEnv.PYTHONPATH": root}


def _add_delta(conf: SparkConf) -> None:
    """Puts the jars that `make setup` fetched on the class path, of this JVM and of executors; asks no network.

    Raises ConfigurationError if they are not there and spark-submit did not bring Delta itself.
    """
    if _has_delta():
        return
    jars = sorted(jars_dir().glob("*.jar"))
    if jars:
        loader = _jvm().java.lang.Thread.currentThread().getContextClassLoader()
        for jar in jars:
            loader.addURL(_jvm().java.io.File(str(jar)).toURI().toURL())
        given = [name for name in (conf.get("spark.jars", "") or "").split(",") if name]
        conf.set("spark.jars", ",".join(given + [str(jar) for jar in jars]))
    if not _has_delta():
        raise ConfigurationError(
            f"Delta's jars are not in {jars_dir()}: run `make setup` (or `python -m deid_core.spark.delta_jars`) once "
            "with a network, or give spark-submit --packages or --jars with Delta"
        )


def _has_delta() -> bool:
    from py4j.protocol import Py4JJavaError

    try:
        _jvm().java.lang.Thread.currentThread().getContextClassLoader().loadClass(_PROBE)
    except Py4JJavaError:
        return False
    return True


def _jvm() -> Any:
    return SparkContext._jvm
