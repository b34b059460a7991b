"""Run all stages over a lake: convert, de-identify and audit what is new or changed.

spark-submit jobs/run.py --input DIR --lake DIR [--pipeline NAME]
"""

from __future__ import annotations

import sys

from deid_core.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["run", *sys.argv[1:]]))
