"""Run the second stage alone: de-identify the raw notes that have no text of this pipeline yet.

spark-submit jobs/deidentify.py --lake DIR [--pipeline NAME]
"""

from __future__ import annotations

import sys

from deid_core.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["run", "--stage", "deidentify", *sys.argv[1:]]))
