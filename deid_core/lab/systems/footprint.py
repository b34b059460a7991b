"""`python -m deid_core.lab.systems.footprint NAME [FOLDER]`: the cost of a pipeline or system, as JSON, measured alone.

start_s: CPU seconds until the first short note is annotated, Python's own start included; memory_mb: most resident
megabytes until then; size_mb: of its files, or of what a run sends to a worker.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import NamedTuple

from deid_core.core.note import Note
from deid_core.lab.systems.registry import PARTIAL, SYSTEMS, load_system, system_folder
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec

_NOTE = Note("start", "Sehr geehrte Kollegen,\nwir berichten über Herrn Muster, geboren am 3.4.1950, aus Musterstadt.")


class Footprint(NamedTuple):
    """What a pipeline or system costs besides its time a token."""

    start_s: float
    memory_mb: float
    size_mb: float


def footprint(name: str, folder: Path | None = None) -> Footprint:
    """Return the footprint of a pipeline or trained system, measured in a process of its own.

    Raises RuntimeError if the process fails.
    """
    command = [sys.executable, "-m", __spec__.name, name, *([str(folder)] if folder else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}: its footprint cannot be measured: {done.stderr.strip().splitlines()[-1:]}")
    return Footprint(**json.loads(done.stdout.splitlines()[-1]))


def main(name: str, folder: Path | None = None) -> None:
    """Print the footprint."""
    if name in SYSTEMS or name in PARTIAL:
        load_system(name, folder).annotate(_NOTE)
        place = folder or system_folder(PARTIAL.get(name, name))
        size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
    else:
        spec = engine_spec(name)
        Engine(spec).annotate(_NOTE)
        size = len(spec.to_bytes())
    # Linux counts `ru_maxrss` on over exec; VmHWM begins anew.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    most = int(status.split("VmHWM:")[1].split()[0])
    found = Footprint(round(process_time(), 2), round(most / 1024, 1), round(size / 1e6, 1))
    sys.stdout.write(json.dumps(found._asdict()) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else None)
