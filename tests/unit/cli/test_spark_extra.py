"""Commands on a lake: without the extra `spark` they name it, and `--stage` offers the stages that a run has."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deid_core.cli import main, run
from deid_core.core.errors import ExitCode
from deid_core.core.extras import how_to_install
from deid_core.lake.layout import Lake


@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        (["run"], "deid_core.spark.run_lake"),
        (["report"], "deid_core.audit_page.corpus"),
        (["list"], "deid_core.lake.inspection.note_list"),
        (["show", "NOTE"], "deid_core.lake.inspection.show_note"),
    ],
)
def test_commands_name_the_extra_that_they_lack(
    arguments: list[str],
    module: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lake = Lake.at(tmp_path / "lake")
    for table in (lake.ledger, lake.phi_counts):
        (table / "_delta_log").mkdir(parents=True)
        (table / "_delta_log" / "0.json").touch()
    monkeypatch.setitem(sys.modules, module, None)
    assert main([*arguments, "--lake", str(lake.root)]) == ExitCode.USAGE
    assert capsys.readouterr().err == (
        f"deid {arguments[0]}: deid {arguments[0]} needs the extra 'spark': {how_to_install('spark')} ({module})\n"
    )


@pytest.mark.parametrize(
    ("arguments", "module", "package", "extra"),
    [
        (["certify", "plan"], "deid_core.certify.bounds", "scipy", "sign"),
        (["review"], "deid_core.review.serve", "uvicorn", "review"),
    ],
)
def test_commands_of_other_extras_name_theirs(
    arguments: list[str],
    module: str,
    package: str,
    extra: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("deltalake", reason="needs the extra spark")
    from page_lake import page_lake

    lake = page_lake(tmp_path)
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    assert main([*arguments, "--lake", str(lake.root)]) == ExitCode.USAGE
    assert f"needs the extra '{extra}': {how_to_install(extra)} ({package})" in capsys.readouterr().err


def test_all_extras_that_a_command_needs_are_named_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Lake.at(tmp_path).ledger
    (table / "_delta_log").mkdir(parents=True)
    (table / "_delta_log" / "0.json").touch()
    monkeypatch.setitem(sys.modules, "deid_core.certify.release", None)
    for package in ("deltalake", "cryptography", "scipy"):
        monkeypatch.setitem(sys.modules, package, None)
    arguments = ["--lake", str(tmp_path), "--name", "1", "--output", str(tmp_path), "--without-dossier"]
    assert main(["release", *arguments]) == ExitCode.USAGE
    told = capsys.readouterr().err
    assert f"needs the extras 'spark', 'sign': {how_to_install('spark', 'sign')}" in told
    assert "deltalake, cryptography, scipy)" in told


def test_what_the_package_logs_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a command with a log the log tells it, and `--quiet` counts."""

    def log(args: object) -> int:
        logging.getLogger("deid_core.core.jit").info("compiling")
        return 0

    monkeypatch.setattr("deid_core.cli.labels.run", log)
    monkeypatch.setattr("deid_core.cli.run.run", log)
    assert main(["labels"]) == main(["run", "--lake", "none"]) == 0
    assert capsys.readouterr().err == "deid labels: compiling\n"


def test_stages_are_those_of_a_run() -> None:
    run_options = pytest.importorskip("deid_core.spark.run_options", reason="needs the extra spark")
    assert run.STAGES == run_options.STAGES


def test_a_package_of_the_laboratory_that_is_missing_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lacks(name: str) -> Callable[[object], int]:
        def run(_: object) -> int:
            raise ModuleNotFoundError(name=name)

        return run

    monkeypatch.setattr("deid_core.cli.labels.run", lacks("rapidfuzz"))
    assert main(["labels"]) == ExitCode.USAGE
    assert (
        capsys.readouterr().err
        == f"deid labels: needs the package rapidfuzz, of the extra 'lab': {how_to_install('lab')}\n"
    )
    monkeypatch.setattr("deid_core.cli.labels.run", lacks("deid_core.gone"))
    assert main(["labels"]) == ExitCode.INTERNAL
    assert "internal error" in capsys.readouterr().err
