"""Airflow 3: the nightly refresh as a DAG. `airflow dags test deid_refresh 2026-01-02` runs it once.

Exit code 75 (another run holds the lake, a full disk, no input folder) is retried after an hour. Every other
code but 0 fails the task at once, since a retry would end the same way.
"""

from __future__ import annotations

import subprocess
from datetime import datetime, timedelta

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException

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
    """Process what changed in the archive since the last night."""

    @task
    def run() -> None:
        """Run once. The log has counts and opaque ids, but no text of a note."""
        done = subprocess.run([DEID, "run", "--input", INPUT, "--lake", LAKE], check=False)
        if done.returncode == TRY_AGAIN:
            raise AirflowException("another run holds the lake, or storage is unavailable: to be retried")
        if done.returncode:
            raise AirflowFailException(f"deid run exited with {done.returncode}; the task's log says why")

    run()


deid_refresh()
