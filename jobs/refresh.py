"""Run the nightly refresh: process what changed since the last night, and nothing else.

    spark-submit jobs/refresh.py --input DIR --lake DIR [--pipeline NAME] [--dry-run]

Every run is incremental, so this does the same as run.py, under a name that suits a schedule.
"""

from __future__ import annotations

import sys

from deid_core.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["run", *sys.argv[1:]]))
