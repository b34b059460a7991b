"""Airflow: the nightly refresh as a DAG. An example; it was checked as Python, not run in an Airflow.

Exit code 75 (another run is at work, a disk is full, the input went away) is tried again after an hour; every other
code but 0 fails the task at once, since a second try would end the same.
"""

from __future__ import annotations

import subprocess
from datetime import datetime, timedelta

from airflow.decorators import dag, task
from airflow.exceptions import AirflowException, AirflowFailException

DEID = "/opt/deid/.venv/bin/deid"
INPUT = "/archive/letters"
LAKE = "/data/lake"
TRY_AGAIN = 75


@dag(
    schedule="0 1 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 3, "retry_delay": timedelta(hours=1), "execution_timeout": timedelta(hours=6)},
)
def deid_refresh() -> None:
    """What changed in the archive since the last night."""

    @task
    def run() -> None:
        """One run; its log has counts and opaque ids, no note's text."""
        done = subprocess.run([DEID, "run", "--input", INPUT, "--lake", LAKE], check=False)
        if done.returncode == TRY_AGAIN:
            raise AirflowException("another run is at work, or the storage is not there: to be tried again")
        if done.returncode:
            raise AirflowFailException(f"deid run left with {done.returncode}; the task's log says why")

    run()


deid_refresh()
