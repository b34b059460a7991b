"""The engine of a worker: one at a time, and the daemon that makes it before it forks workers."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="needs the extra spark")

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.loading import spec_with_lists
from deid_core.spark import worker_engine
from deid_core.spark.worker_daemon import VARIABLE
from deid_core.spark.worker_engine import EngineFile

NOTE = Note("n", "Herr Muster kam am 3.4.2010.")


def engine_file(folder: Path, pipeline: str) -> EngineFile:
    spec = spec_with_lists(load_pipeline(pipeline), EngineSettings(), compile_lists({ListKind.TOWN: ["Ulm"]}))
    path = folder / pipeline
    path.write_bytes(spec.to_bytes())
    return EngineFile(str(path), pipeline, spec.fingerprint)


def test_a_worker_keeps_one_engine_out_of_reach_of_the_collector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_engine, "_ENGINES", {})
    engines = []
    for pipeline in ("baseline", "variants"):
        file = engine_file(tmp_path, pipeline)
        engine = file.engine()
        assert engine.deidentify(NOTE).text == "<SALUTE> Muster kam am <DATE>."
        Path(file.path).unlink()
        assert file.engine() is engine
        engines.append(weakref.ref(engine))
        assert gc.get_freeze_count() > 0
        del engine
    gc.collect()
    assert [made() is None for made in engines] == [True, False]
    worker_engine._ENGINES.clear()
    gc.unfreeze()


def test_another_code_than_the_drivers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_engine, "_ENGINES", {})
    file = engine_file(tmp_path, "baseline")
    with pytest.raises(ConfigurationError, match="is not the driver's"):
        EngineFile(file.path, file.digest, "another").engine()
    assert worker_engine._ENGINES == {}


PROGRAM = """
import json, sys
from deid_core.spark import worker_daemon, worker_engine
worker_daemon.preload()
print(json.dumps([list(worker_engine._ENGINES), [name for name in ("pyarrow", "pandas") if name in sys.modules]]))
"""


@pytest.mark.parametrize(("change", "made"), [({}, ["baseline"]), ({"path": "missing"}, []), (None, [])])
def test_the_daemon_makes_the_engine_without_what_starts_threads(
    tmp_path: Path, change: dict[str, str] | None, made: list[str]
) -> None:
    """An engine that it cannot make is the worker's to report: a daemon that ends would tell nobody why."""
    named = json.loads(engine_file(tmp_path, "baseline").to_json())
    variables = {} if change is None else {VARIABLE: json.dumps(named | change)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=os.environ | variables, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [made, []]
