"""Commands that read no note start quickly: they load none of the large packages. Modules are counted, not seconds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deid_core.cli import choices
from deid_core.core.labels import Label

_PROGRAM = """
import contextlib, io, json, sys
from deid_core.cli import COMMANDS, main

HEAVY = {"deltalake", "lxml", "numba", "numpy", "pandas", "pyarrow", "pydantic", "pyspark", "regex", "scipy", "tqdm"}
LAKE = ["--lake", "nosuch"]
calls = [[name, "--help"] for name in COMMANDS]
calls += [["--help"], ["completion", "bash"], ["labels"], ["gazetteers", "check", "--help"]]
calls += [[name, *LAKE] for name in ("check", "report", "list", "review", "rekey")]
calls += [["export", *LAKE, "--output", "x"], ["publish", *LAKE, "--output", "x"]]
calls += [["show", "NOTE", *LAKE], ["withdraw", "--patient", "1", *LAKE]]
calls += [["certify", "plan", *LAKE], ["release", "--name", "1", *LAKE, "--output", "x", "--without-dossier"]]
told, loaded = [], set()
for call in calls:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = main(call)
        except SystemExit as left:
            code = left.code
    said = "no such lake" in out.getvalue() if "nosuch" in call else len(out.getvalue()) > 100
    told.append([" ".join(call), code or 0, said, sorted(HEAVY & sys.modules.keys() - loaded)])
    loaded |= sys.modules.keys()
print(json.dumps(told))
"""


def test_no_large_package_is_loaded(tmp_path: Path) -> None:
    """By any `--help`, by the script of completion, and by commands on a lake that is not there."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
    )
    told = json.loads(done.stdout)
    assert len(told) > 35
    assert [call for call in told if call[3]] == []
    assert [call for call in told if call[1] != (64 if "nosuch" in call[0] else 0) or not call[2]] == []
    assert list(tmp_path.iterdir()) == []


def test_the_choices_are_those_of_the_modules() -> None:
    pytest.importorskip("deltalake", reason="needs the extra spark")
    from deid_core.cli.compare_systems import ALL
    from deid_core.lab.corpora import FORMATS, WRITABLE
    from deid_core.lab.corpora.layout_changes import FORMATS as WORD_LAYOUTS
    from deid_core.lab.corpora.layout_changes import LAYOUTS
    from deid_core.lab.corpora.letter_index import INDEX_FILE
    from deid_core.lab.corpora.writing_changes import WRITINGS
    from deid_core.lab.evaluate.bootstrap import RESAMPLES
    from deid_core.lab.evaluate.evaluation_sets import AS_WRITTEN, GENERATED, LETTERS, MADE, NON_MEDICAL
    from deid_core.lab.evaluate.randomisation import ROUNDS
    from deid_core.lab.synthetic.lists import SPLITS
    from deid_core.lab.synthetic.note_files import FORMATS as NOTE_FORMATS
    from deid_core.lab.synthetic.surrogates import CORPORA
    from deid_core.lab.training.adaptation_trial import FEWEST
    from deid_core.lexicon.gazetteer.kinds import NAME_KINDS
    from deid_core.pipeline.identity_terms import KINDS

    assert choices.IDENTITY_KINDS == tuple(map(str, KINDS))
    assert choices.NAME_KINDS == tuple(map(str, NAME_KINDS))
    assert choices.LIST_KINDS == ("never", *map(str, Label), *map(str, NAME_KINDS))
    assert choices.MARK_FORMATS == tuple(FORMATS)
    assert choices.WRITABLE == WRITABLE
    assert set(choices.OF_FOLDERS) == {name for name, form in FORMATS.items() if form.write_one}
    assert choices.INDEX_FILE == INDEX_FILE
    assert choices.SPLITS == SPLITS
    assert choices.NOTE_FORMATS == NOTE_FORMATS
    assert choices.CORPORA == tuple(CORPORA)
    assert (choices.RESAMPLES, choices.ROUNDS, choices.FEWEST_LETTERS) == (RESAMPLES, ROUNDS, FEWEST)
    assert (choices.ALL_SYSTEMS, choices.AS_WRITTEN) == (ALL, AS_WRITTEN)
    assert choices.LETTER_SETS == tuple(LETTERS)
    assert choices.MADE_SETS == MADE
    assert choices.DEFAULT_SETS == ("letters-dev", "letters-dev-long", GENERATED, *NON_MEDICAL)
    assert choices.LAYOUTS == (*LAYOUTS, *WRITINGS, *WORD_LAYOUTS)
