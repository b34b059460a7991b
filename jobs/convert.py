"""Run the first stage alone: read new and changed files into raw notes.

spark-submit jobs/convert.py --input DIR --lake DIR
"""

from __future__ import annotations

import sys

from deid_core.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["run", "--stage", "convert", *sys.argv[1:]]))
