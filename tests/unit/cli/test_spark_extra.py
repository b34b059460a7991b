"""Commands on a lake: without the extra `spark` they name it, and `--stage` offers the stages that a run has."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deid_core.cli import main, run
from deid_core.errors import ExitCode


@pytest.mark.parametrize(
    ("arguments", "module"),
    [(["run"], "jobs.run"), (["report"], "jobs.lake"), (["show", "NOTE"], "jobs.lookup")],
)
def test_commands_name_the_extra_that_they_lack(
    arguments: list[str],
    module: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert main([*arguments, "--lake", str(tmp_path / "lake")]) == ExitCode.USAGE
    assert capsys.readouterr().err == (
        f"deid {arguments[0]}: deid {arguments[0]} needs the extra 'spark': pip install 'deid[spark]' ({module})\n"
    )


def test_stages_are_those_of_a_run() -> None:
    jobs_run = pytest.importorskip("jobs.run", reason="needs the extra spark")
    assert run.STAGES == jobs_run.STAGES
