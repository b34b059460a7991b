"""The nightly refresh, for spark-submit: what changed since the last night, and nothing else.

    spark-submit jobs/refresh.py --input DIR --lake DIR [--pipeline NAME] [--dry-run]

Every run is incremental, so this is run.py under the name that a schedule wants to read. docker/cron.example and
docker/airflow_dag.py start it.
"""

from __future__ import annotations

import sys

from deid_core.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["run", *sys.argv[1:]]))
