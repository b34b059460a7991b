"""Spark's Python daemon, which forks the workers of a machine: it makes the engine first, so they share its memory.

spark.python.daemon.module     deid_core.spark.worker_daemon
spark.executorEnv.DEID_ENGINE  EngineFile.to_json()
"""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout, suppress

from pyspark.daemon import manager

from deid_core.core.files import protect_process
from deid_core.spark.worker_engine import EngineFile

MODULE = "deid_core.spark.worker_daemon"
VARIABLE = "DEID_ENGINE"


def preload() -> None:
    """Make the engine that the environment names, if it names one.

    If that fails, each worker tries it again, and tells the driver why.
    """
    # Spark reads the daemon's port from stdout.
    with redirect_stdout(sys.stderr), suppress(Exception):
        if named := os.environ.get(VARIABLE):
            protect_process()
            EngineFile.from_json(named).engine()


if __name__ == "__main__":
    preload()
    manager()
