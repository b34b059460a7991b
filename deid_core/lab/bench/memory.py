"""`python -m deid_core.lab.bench.memory SPEC NOTES`: peak resident megabytes of an engine, as a Spark worker has it.

SPEC holds the bytes that are broadcast to workers, NOTES JSON lines of notes. Imports nothing that a worker does not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from deid_core.core.note import Note
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec


def main(spec: Path, notes: Path) -> None:
    """Prints the megabytes."""
    engine = Engine(EngineSpec.from_bytes(spec.read_bytes()))
    with notes.open(encoding="utf-8") as lines:
        for line in lines:
            engine.deidentify(Note.from_json(json.loads(line)))
    print(_peak_megabytes())


def _peak_megabytes() -> int:
    """Linux counts `ru_maxrss` on over exec, so a large parent's memory would be this process's; VmHWM begins anew."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
