"""The engine of a Python worker: one for each process, which a worker has from the daemon that it is a fork of.

Loads no pyarrow, which starts threads when it is imported: the daemon forks.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.spark.task_base import check_code

_ENGINES: dict[str, Engine] = {}
"""This process's engine by the digest of its spec. One at a time, since its lists fill memory."""


@dataclass(frozen=True)
class EngineFile:
    """A file from which every worker makes the same engine.

    path: of a file of EngineSpec.to_bytes(), which all executors see. digest: of these bytes, hexadecimal.
    fingerprint: the driver's, of the spec.
    """

    path: str
    digest: str
    fingerprint: str

    def to_json(self) -> str:
        """Return it as text; `from_json` reads it."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> EngineFile:
        """Return the one of `to_json`."""
        return EngineFile(**json.loads(text))

    def engine(self) -> Engine:
        """Return this process's engine, as `worker_engine` does."""
        return worker_engine(Path(self.path).read_bytes, self.digest, self.fingerprint)


def worker_engine(spec: Callable[[], bytes], digest: str, fingerprint: str) -> Engine:
    """Return this process's engine for the spec of this digest; make it if there is none.

    spec: returns EngineSpec.to_bytes(). digest: of these bytes, hexadecimal. fingerprint: the driver's, of the spec.

    Raises ConfigurationError if the driver's code is another one.
    """
    if digest not in _ENGINES:
        read = EngineSpec.from_bytes(spec())
        check_code(read.fingerprint, fingerprint)
        _ENGINES.clear()
        # Lets the collector free the former engine.
        gc.unfreeze()
        engine = Engine(read)
        # A note's time limit does not cover what is loaded and compiled with the first note.
        engine.warm_up()
        keep_engine(engine, digest)
    return _ENGINES[digest]


def keep_engine(engine: Engine, digest: str) -> None:
    """Make a warm engine that of this process and its forks. digest: as of `worker_engine`."""
    _ENGINES.clear()
    _ENGINES[digest] = engine
    # Blocks and spans of a batch are many objects, so Python's collector would traverse the whole engine several times
    # a batch. Freezing exempts what exists now, and leaves its memory shared with forks.
    gc.collect()
    gc.freeze()
