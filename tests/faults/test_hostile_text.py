"""Texts made to keep the engine busy: it ends with a result or a timeout, and lets nothing through."""

from __future__ import annotations

import subprocess
import sys

import pytest

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import Note
from deid_core.pipeline.build import load_spec
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.settings import Settings, load_settings

HOSTILE = {
    "a line of 1 MB": "'Herr Müller kam am 12.03.2011. ' * 32_000",
    "50,000 words without a blank": "'Straße' * 50_000",
    "50,000 words with hyphens": "'-'.join(['Müller'] * 50_000)",
    "digits": "'1' * 200_000",
    "digits and blanks": "'1 ' * 100_000",
    "digits and dots": "'1.' * 100_000",
    "digits, slashes, brackets": "'(0)1/-' * 40_000",
    "half of an address of mail": "'a.' * 50_000 + '@'",
    "many at signs": "'a@' * 50_000",
    "half of a link": "'http://' + 'a/' * 50_000",
    "titles": "'Dr. med. ' * 30_000",
    "kinship and roles": "'Ehefrau Tochter Hausarzt ' * 10_000",
    "capital letters": "'A' * 200_000",
    "words of one capital letter": "'A. ' * 60_000",
    "new lines": "chr(10) * 300_000",
    "blanks": "' ' * 1_000_000",
    "tabs": "chr(9) * 300_000",
    "combining marks": "'a' + chr(0x301) * 200_000",
    "right to left and no width": "(chr(0x202e) + chr(0x200b) + 'Müller') * 20_000",
    "a header without an end": "'An' + chr(9) + 'Herrn Dr. Müller, ' * 20_000",
}
PROGRAM = """
import sys
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.settings import load_settings
from deid_core.pipeline.build import load_spec
from deid_core.pipeline.engine import Engine
from deid_core.core.errors import NoteError
from deid_core.core.note import Note
engine = Engine(load_spec(load_pipeline("default"), load_settings()))
for expression in sys.argv[1:]:
    try:
        text = engine.deidentify(Note("n", eval(expression), year=2010)).text
        print("done", "Müller" in text, flush=True)
    except NoteError as error:
        print(error.reason, flush=True)
"""
LIMIT_S = 400
"""Twenty texts, each with a limit of 20 seconds."""


@pytest.mark.fault
def test_every_text_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *HOSTILE.values()], capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    ends = dict(zip(HOSTILE, done.stdout.split("\n"), strict=False))
    assert set(ends.values()) <= {"done False", "done True", "engine_timeout"}, ends
    assert ends["a line of 1 MB"] in ("done False", "engine_timeout"), ends


def test_too_slow_is_refused_not_let_through() -> None:
    """A limit that no note can keep gives no result, not even that of the rules that were in time."""
    settings = load_settings()
    hasty = Settings.model_validate({"engine": {"note_time_limit_s": 1e-9}, "gazetteers": settings.gazetteers})
    engine = Engine(load_spec(load_pipeline("baseline"), hasty))
    with pytest.raises(NoteError) as caught:
        engine.deidentify(Note("n", "Herr Müller kam am 12.03.2011.", year=2011))
    assert caught.value.reason is Reason.ENGINE_TIMEOUT
    assert "Müller" not in str(caught.value)
