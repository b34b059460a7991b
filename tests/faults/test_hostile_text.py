"""Texts made to keep the engine busy: it ends with a result or a refusal, and lets nothing through."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_texts import hostile_texts

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import Note
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import load_spec
from deid_core.pipeline.settings_file import Settings, load_settings

SIZE = 250_000
"""Characters of each text: sixty letters."""
PROGRAM = """
import sys
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.settings_file import load_settings
from deid_core.pipeline.loading import load_spec
from deid_core.pipeline.engine import Engine
from deid_core.core.errors import NoteError
from deid_core.core.note import Note
from hostile_texts import hostile_texts
engine = Engine(load_spec(load_pipeline("default"), load_settings()))
for text in hostile_texts(int(sys.argv[1])).values():
    try:
        print("done", "Müller" in engine.deidentify(Note("n", text, year=2010)).text, flush=True)
    except NoteError as error:
        print(error.reason, flush=True)
"""
LIMIT_S = 550
"""A tenth of it is usual."""


@pytest.mark.fault
def test_every_text_ends(repository: Path) -> None:
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(repository), str(repository / "tests" / "fuzz")])}
    command = [sys.executable, "-c", PROGRAM, str(SIZE)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    ends = dict(zip(hostile_texts(SIZE), done.stdout.split("\n"), strict=False))
    assert set(ends.values()) <= {"done False", "done True", "too_large"}, ends
    assert ends["a sentence"] == "done False", ends


def test_too_slow_is_refused_not_let_through() -> None:
    """A limit that no note can keep gives no result, not even that of the rules that were in time."""
    settings = load_settings()
    hasty = Settings.model_validate({"engine": {"note_time_limit_s": 1e-9}, "gazetteers": settings.gazetteers})
    engine = Engine(load_spec(load_pipeline("baseline"), hasty))
    with pytest.raises(NoteError) as caught:
        engine.deidentify(Note("n", "Herr Müller kam am 12.03.2011.", year=2011))
    assert caught.value.reason is Reason.ENGINE_TIMEOUT
    assert "Müller" not in str(caught.value)
