"""`python -m deid_core.cli` is `deid`."""

import sys

from deid_core.cli import main

sys.exit(main())
