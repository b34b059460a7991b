"""Start the Spark session with Delta's jars, quiet logs, and the settings that every run needs."""

from __future__ import annotations

import atexit
import locale
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from deid_core.core.data_folders import conf_dir
from deid_core.core.errors import ConfigurationError
from deid_core.lake.lock import Lock
from deid_core.spark.delta_jars import jars_dir
from deid_core.spark.temporary_folder import TemporaryFolder
from deid_core.spark.worker_daemon import MODULE

_END_S = 20
"""A JVM that is still there then is left to itself, and its files to the next run."""
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of a JVM that distributes work to Python and does little itself: all of HotSpot's optimisation, and a
concurrent collector, would cost as much CPU time as the rest."""
_STDERR = 2
_SAID_AT_THE_START = b"WARNING: Using incubator modules"
_PROBE = "io.delta.sql.DeltaSparkSessionExtension"
_ALWAYS = {
    "spark.sql.extensions": _PROBE,
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    # Shuffled rows, spilled rows and broadcasts are in spark.local.dir, and stay there if Spark is killed.
    "spark.io.encryption.enabled": "true",
    # A note may have megabytes, and a Python worker holds a whole batch in memory. Whichever limit comes first applies.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
    "spark.sql.execution.arrow.maxBytesPerBatch": "64m",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.log.level": "WARN",
    "spark.python.daemon.module": MODULE,
    # The run's log has a bar of its own.
    "spark.ui.showConsoleProgress": "false",
    # Hadoop sets the modes of files and folders itself, whatever the process's umask is.
    "spark.hadoop.fs.permissions.umask-mode": "077",
}


def start_session(*, settings: Mapping[str, str] | None = None, lock: Lock | None = None) -> SparkSession:
    """Return the running session, or a new one: by conf/spark/local.conf on a local master, else as spark-submit says.

    settings: override all others but those that every run needs. lock: of the
    lake; a JVM that is started here holds it too.
    Raises ConfigurationError if Delta's jars are missing.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    temporary = _start_jvm(lock)
    conf = SparkConf()
    local = conf.get("spark.master", "local[*]").startswith("local")
    defaults = _local_conf() if local else {}
    if local and temporary:
        defaults |= {"spark.local.dir": str(temporary.path)}
    for name, value in ({"spark.app.name": "deid"} | defaults | _python(local)).items():
        conf.setIfMissing(name, value)
    for name, value in (dict(settings or {}) | _ALWAYS).items():
        conf.set(name, value)
    _add_delta(conf)
    session = SparkSession.builder.config(conf=conf).getOrCreate()
    # spark-submit has configured its own log by now, and a session configures it again.
    _jvm().org.apache.logging.log4j.LogManager.getContext(False).setConfigLocation(_jvm().java.net.URI(_log_settings()))
    return session


def jvm_has_ended() -> bool:
    """Return whether the JVM that this process started is no longer there: it was killed, or ran out of memory."""
    process = getattr(SparkContext._gateway, "proc", None)
    return process is not None and process.poll() is not None


def check_same_storage(folder: Path) -> None:
    """Check that the JVM sees in this folder what Python writes there. Nothing raw may be written before.

    A JVM whose locale is not UTF-8 turns a letter like "ü" in a path into "?" and would write into another folder.
    Raises ConfigurationError if the JVM does not see the file.
    """
    with tempfile.NamedTemporaryFile(dir=folder, prefix="probe-") as probe:
        if not _jvm().java.io.File(probe.name).exists():
            raise ConfigurationError(
                f"{folder}: Python and the driver's JVM see different folders under this path; start with a UTF-8 "
                "locale (LC_ALL=C.UTF-8), and with storage that both see"
            )


def _start_jvm(lock: Lock | None) -> TemporaryFolder | None:
    """Start the JVM if spark-submit has not done so, with the options that take effect at its start only.

    A JVM whose Python was killed ends a moment later and may finish a commit until then. No run may begin before, so
    the JVM inherits the lock. Returns the folder for temporary files of a JVM that was started here.
    """
    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        temporary = TemporaryFolder.new()
        _give_jvm_pythons_locale()
        _give_jvm_an_address()
        conf = SparkConf(loadDefaults=False)
        for name, value in _local_conf().items():
            conf.set(name, value)
        options = f"{_QUICK} -Dfile.encoding=UTF-8 -Dlog4j2.configurationFile={_log_settings()}"
        conf.set("spark.driver.extraJavaOptions", f'{options} "-Djava.io.tmpdir={temporary.path}"')
        inherited = (temporary.descriptor, lock.descriptor) if lock else (temporary.descriptor,)
        reading, writing = os.pipe()
        log = threading.Thread(target=_pass_on, args=(reading,), name="log of the JVM", daemon=True)
        log.start()
        try:
            gateway = launch_gateway(conf, {"pass_fds": inherited, "stderr": writing})
        except PySparkRuntimeError:
            raise ConfigurationError(
                "the JVM did not start; what it says is on stderr. Check that `java -version` works, and that the "
                f"machine has the memory of spark.driver.memory in {conf_dir() / 'spark' / 'local.conf'}"
            ) from None
        finally:
            os.close(writing)
        atexit.register(_end_jvm, gateway, temporary, log)
        SparkContext._ensure_initialized(gateway=gateway)
        return temporary
    SparkContext._ensure_initialized()
    return None


def _pass_on(reading: int) -> None:
    """Write what the JVM writes to stderr to this process's, but for what every JVM of Spark says at its start."""
    with open(reading, "rb") as lines:
        for line in lines:
            if not line.startswith(_SAID_AT_THE_START):
                with suppress(OSError):
                    os.write(_STDERR, line)


def _end_jvm(gateway: Any, temporary: TemporaryFolder, log: threading.Thread) -> None:
    """End the JVM, as the end of this process would do, and remove its temporary files."""
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(_END_S)
    except subprocess.TimeoutExpired:
        return
    log.join(_END_S)
    temporary.remove()


def _give_jvm_pythons_locale() -> None:
    """Make the JVM use UTF-8 for file names where Python does: under cron the locale is C, which a JVM takes as ASCII.

    The variable must be set before the JVM starts. It reads the locale once, and no option changes it later.
    """
    if sys.getfilesystemencoding() == "utf-8" and locale.getencoding().lower() not in ("utf-8", "utf8"):
        os.environ["LC_ALL"] = "C.UTF-8"


def _give_jvm_an_address() -> None:
    """Let the JVM start where the host name has no address, as in a container without a network.

    It looks the name up before it reads spark.driver.host. The variable must be set before it starts.
    """
    try:
        socket.gethostbyname(socket.gethostname())
    except OSError:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def _log_settings() -> str:
    return (conf_dir() / "spark" / "log4j2.properties").as_uri()


def _local_conf() -> dict[str, str]:
    lines = (conf_dir() / "spark" / "local.conf").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(None, 1) for line in lines if line.strip() and not line.startswith("#"))
    return {name: value.strip() for name, value in pairs}


def _python(local: bool) -> dict[str, str]:
    """Return the settings for Python workers: this Python on one machine, their own environment on a cluster."""
    if not local:
        return {}
    # The context reads this variable only, and would otherwise take any "python3" on PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    root = str(Path(__file__).resolve().parents[2])
    return {"spark.pyspark.python": sys.executable, "spark.executorEnv.PYTHONPATH": root}


def _add_delta(conf: SparkConf) -> None:
    """Add the jars that `make setup` fetched to the class path of this JVM and of executors. Needs no network.

    Raises ConfigurationError if they are missing and spark-submit did not bring Delta itself.
    """
    if _has_delta():
        return
    jars = sorted(jars_dir().glob("*.jar"))
    if jars:
        loader = _jvm().java.lang.Thread.currentThread().getContextClassLoader()
        for jar in jars:
            loader.addURL(_jvm().java.io.File(str(jar)).toURI().toURL())
        others = [name for name in (conf.get("spark.jars", "") or "").split(",") if name]
        conf.set("spark.jars", ",".join(others + [str(jar) for jar in jars]))
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
