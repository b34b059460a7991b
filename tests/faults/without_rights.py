"""A command that cannot open the files of other accounts, though root starts it: `python without_rights.py run …`.

Root may read and write whatever the modes of files say, by two capabilities. This program starts the command without.
"""

from __future__ import annotations

import ctypes
import os
import sys

_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 1, 2

if __name__ == "__main__":
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
        if libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
    os.execv(sys.executable, [sys.executable, "-m", "deid_core.cli", *sys.argv[1:]])  # noqa: S606
