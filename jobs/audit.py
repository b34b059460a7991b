"""Run the third stage alone: count what was removed and dropped, per year, label and recogniser.

spark-submit jobs/audit.py --lake DIR
"""

from __future__ import annotations

import sys

from deid_core.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["run", "--stage", "audit", *sys.argv[1:]]))
